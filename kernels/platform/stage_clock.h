// The end of each stage: its time, when asked for, and what a checked build looks for.
#pragma once
#include "generated/view.h"
#include "platform/checked.h"
#if !PHALANX_GPU
#include <ctime>
#endif

/// A clock that ticks: cycles of the multiprocessor on the GPU, nanoseconds on the host.
INLINE uint64_t ticks() {
#if PHALANX_GPU
  return (uint64_t)clock64();
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/// Adds the time since the last mark to a stage's sum; without sums there is no time to take.
struct StageClock {
  uint64_t* sums;
  uint64_t last;
  INLINE explicit StageClock(uint64_t* stage_sums) : sums(stage_sums), last(stage_sums ? ticks() : 0) {}
  template <class Team, class Env> INLINE void stage(Team team, const Env& env, int index) {
    finish_stage(team, env, index);
    if (index != stage_load && index != stage_integrate) begin_stage(team, env, index + 1);
    if (!sums) return;
    const uint64_t now = ticks();
    if (team.lane == 0) atomic_add(sums + index, now - last);
    last = ticks();
  }
};
