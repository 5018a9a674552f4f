// A warp played by the host: 32 lanes as coroutines that meet at every collective.
//
// The host resumes one lane after the other; each runs to its next collective, leaves its value there and gives the turn
// back. When all have come, the values are dealt out and the next round begins. So the play is deterministic, needs no threads,
// and finds what a GPU would not tell:
//   - lanes that are at different collectives, or gone while others wait: an error with the place of each. Places are
//     compared too where the compiler does not copy code (without optimisation);
//   - races: a lane that reads what another writes in the same round gets another value when the lanes take turns in another
//     order, so its bits depend on `Order`.
#pragma once
#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct EmulatedWarp {
  static constexpr int width = 32;
  static constexpr int stack_bytes = 1 << 20;
  static constexpr unsigned char untouched = 0xa5;  // fills the stacks, to see how deep they were used

  /// The order in which the lanes run between two collectives.
  enum Order { ascending, descending, shuffled };
  enum Kind { none, sync, shuffle, shuffle_xor, vote, finished };
  union Value {
    float real_value;
    int int_value;
  };
  struct Lane {
    jmp_buf resume;
    ucontext_t start;
    char* stack;
    bool started;
    Kind at;     // the collective where it waits
    void* place;  // that collective's address in the code
    Value given;
  };

  Lane lane[width];
  Value dealt[width];  // of the round before, which the lanes now read
  int current = 0;
  jmp_buf host;
  ucontext_t host_context;
  void (*body)(void* argument);
  void* argument;

  EmulatedWarp() {
    for (Lane& l : lane) l.stack = (char*)malloc(stack_bytes);
  }
  ~EmulatedWarp() {
    for (Lane& l : lane) free(l.stack);
  }
  EmulatedWarp(const EmulatedWarp&) = delete;
  EmulatedWarp& operator=(const EmulatedWarp&) = delete;

  /// The warp whose lanes this thread plays.
  static EmulatedWarp*& running() {
    static thread_local EmulatedWarp* warp = nullptr;
    return warp;
  }

  /// Runs lane_body(argument) on 32 lanes. False with a message when the lanes do not agree; they are abandoned then.
  bool run(Order order, void (*lane_body)(void*), void* lane_argument, char* message, size_t message_bytes) {
    body = lane_body;
    argument = lane_argument;
    running() = this;
    for (Lane& l : lane) {
      memset(l.stack, untouched, 4096);
      l.started = false;
      l.at = none;
    }
    uint32_t random = 1;
    bool agreed = true;
    do {
      for (int turn = 0; turn < width; ++turn) {
        current = order == ascending ? turn : (order == descending ? width - 1 - turn : (turn * 11 + (int)(random >> 27)) % width);
        resume(lane[current]);
      }
      random = random * 1664525u + 1013904223u;
      agreed = agree(message, message_bytes);
      for (int i = 0; i < width; ++i) dealt[i] = lane[i].given;
    } while (agreed && lane[0].at != finished);
    running() = nullptr;
    return agreed;
  }

  /// Leaves a lane's value, waits for all lanes, and returns the values of this round.
  __attribute__((noinline)) const Value* exchange(Kind kind, Value value) {
    Lane& l = lane[current];
    l.at = kind;
    l.place = __builtin_return_address(0);
    l.given = value;
    if (!_setjmp(l.resume)) _longjmp(host, 1);
    return dealt;
  }

 private:
  /// Runs a lane to its next collective or its end.
  __attribute__((noinline)) void resume(Lane& l) {
    if (_setjmp(host)) return;
    if (l.started) _longjmp(l.resume, 1);
    l.started = true;
    getcontext(&l.start);
    l.start.uc_stack.ss_sp = l.stack;
    l.start.uc_stack.ss_size = stack_bytes;
    l.start.uc_link = nullptr;
    makecontext(&l.start, &EmulatedWarp::enter, 0);
    swapcontext(&host_context, &l.start);
  }
  static void enter() {
    EmulatedWarp& w = *running();
    w.body(w.argument);
    w.lane[w.current].at = finished;
    w.lane[w.current].place = nullptr;
    _longjmp(w.host, 1);
  }
  static const char* name(Kind kind) {
    static const char* const names[] = {"nothing", "sync", "shuffle", "shuffle_xor", "vote", "the end"};
    return names[kind];
  }
  /// The place as addr2line takes it.
  static unsigned long long offset(void* place) {
    Dl_info info;
    if (!place || !dladdr(place, &info)) return 0;
    return (unsigned long long)((char*)place - (char*)info.dli_fbase);
  }
  /// Whether all lanes have met.
  bool agree(char* message, size_t message_bytes) const {
#if defined(__OPTIMIZE__)
    constexpr bool places_tell = false;  // the compiler may have copied a collective
#else
    constexpr bool places_tell = true;
#endif
    for (int i = 0; i < width; ++i) {
      const Lane &a = lane[0], &b = lane[i];
      if ((unsigned char)b.stack[0] != untouched) {
        snprintf(message, message_bytes, "lane %d has used up its stack of %d bytes", i, stack_bytes);
        return false;
      }
      if (a.at != b.at || (places_tell && a.place != b.place)) {
        snprintf(message, message_bytes, "lane 0 is at %s (%#llx) while lane %d is at %s (%#llx)", name(a.at), offset(a.place), i, name(b.at),
                 offset(b.place));
        return false;
      }
    }
    return true;
  }
};

inline __attribute__((always_inline)) void lane_sync() { EmulatedWarp::running()->exchange(EmulatedWarp::sync, {}); }
inline __attribute__((always_inline)) float lane_shuffle(float value, int source) {
  EmulatedWarp::Value v;
  v.real_value = value;
  return EmulatedWarp::running()->exchange(EmulatedWarp::shuffle, v)[source & 31].real_value;
}
inline __attribute__((always_inline)) int lane_shuffle(int value, int source) {
  EmulatedWarp::Value v;
  v.int_value = value;
  return EmulatedWarp::running()->exchange(EmulatedWarp::shuffle, v)[source & 31].int_value;
}
inline __attribute__((always_inline)) float lane_shuffle_xor(float value, int mask) {
  EmulatedWarp& warp = *EmulatedWarp::running();
  EmulatedWarp::Value v;
  v.real_value = value;
  const int source = warp.current ^ mask;
  return warp.exchange(EmulatedWarp::shuffle_xor, v)[source & 31].real_value;
}
inline __attribute__((always_inline)) uint32_t lane_ballot(bool p) {
  EmulatedWarp::Value v;
  v.int_value = p;
  const EmulatedWarp::Value* box = EmulatedWarp::running()->exchange(EmulatedWarp::vote, v);
  uint32_t votes = 0;
  for (int i = 0; i < EmulatedWarp::width; ++i) votes |= (uint32_t)(box[i].int_value != 0) << i;
  return votes;
}
inline __attribute__((always_inline)) bool lane_any(bool p) { return lane_ballot(p) != 0; }
