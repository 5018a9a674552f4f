// A warp played by the host: 32 lanes as coroutines that take turns at every collective.
//
// Each lane has a stack of its own; a collective stores the lane's value and yields to the next lane, so that when it runs
// again all values are there. Lanes run in order, one at a time: the play is deterministic and needs no threads.
#pragma once
#include <ucontext.h>

#include <cstdlib>

struct EmulatedWarp {
  static constexpr int width = 32;
  ucontext_t host, lane_context[width];
  char* stack[width];
  bool finished[width];
  int current = 0;
  union Value {
    float real_value;
    int int_value;
  } mailbox[2][width];
  int phase[width];
  void (*body)(int lane, void* argument);
  void* argument;

  static EmulatedWarp*& running() {
    static thread_local EmulatedWarp* warp = nullptr;
    return warp;
  }
  static void enter() {
    EmulatedWarp& w = *running();
    const int lane = w.current;
    w.body(lane, w.argument);
    w.finished[lane] = true;
    w.pass();
  }
  /// Gives the turn to the next unfinished lane, or back to the host when all are done.
  void pass() {
    const int from = current;
    for (int step = 1; step <= width; ++step) {
      const int next = (from + step) % width;
      if (!finished[next]) {
        current = next;
        if (next != from) swapcontext(&lane_context[from], &lane_context[next]);
        return;
      }
    }
    swapcontext(&lane_context[from], &host);
  }
  /// Runs body(lane, argument) on 32 lanes.
  void run(void (*lane_body)(int, void*), void* lane_argument) {
    body = lane_body;
    argument = lane_argument;
    running() = this;
    constexpr int stack_bytes = 1 << 18;
    for (int i = 0; i < width; ++i) {
      stack[i] = (char*)malloc(stack_bytes);
      finished[i] = false;
      phase[i] = 0;
      getcontext(&lane_context[i]);
      lane_context[i].uc_stack.ss_sp = stack[i];
      lane_context[i].uc_stack.ss_size = stack_bytes;
      lane_context[i].uc_link = &host;
      makecontext(&lane_context[i], &EmulatedWarp::enter, 0);
    }
    current = 0;
    swapcontext(&host, &lane_context[0]);
    for (int i = 0; i < width; ++i) free(stack[i]);
    running() = nullptr;
  }
  /// Stores this lane's value, waits for all lanes, and returns the values of this exchange.
  Value* exchange(Value value) {
    const int lane = current;
    Value* box = mailbox[phase[lane] & 1];
    box[lane] = value;
    phase[lane] += 1;
    pass();
    return box;
  }
};

inline EmulatedWarp& warp_now() { return *EmulatedWarp::running(); }
inline void lane_sync() { warp_now().exchange({}); }
inline float lane_shuffle(float value, int source) {
  EmulatedWarp::Value v;
  v.real_value = value;
  return warp_now().exchange(v)[source & 31].real_value;
}
inline int lane_shuffle(int value, int source) {
  EmulatedWarp::Value v;
  v.int_value = value;
  return warp_now().exchange(v)[source & 31].int_value;
}
inline float lane_shuffle_xor(float value, int mask) {
  const int lane = warp_now().current;
  return lane_shuffle(value, lane ^ mask);
}
inline uint32_t lane_ballot(bool p) {
  EmulatedWarp::Value v;
  v.int_value = p;
  const EmulatedWarp::Value* box = warp_now().exchange(v);
  uint32_t votes = 0;
  for (int i = 0; i < 32; ++i) votes |= (uint32_t)(box[i].int_value != 0) << i;
  return votes;
}
inline bool lane_any(bool p) { return lane_ballot(p) != 0; }
