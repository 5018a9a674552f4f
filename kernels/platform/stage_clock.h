// Time spent in each stage, when asked for.
#pragma once
#include "platform/compiler.h"
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

/// Adds the time since the last mark to a stage's sum; does nothing without sums.
struct StageClock {
  uint64_t* sums;
  uint64_t last;
  INLINE explicit StageClock(uint64_t* stage_sums) : sums(stage_sums), last(stage_sums ? ticks() : 0) {}
  template <class Team> INLINE void stage(Team team, int index) {
    if (!sums) return;
    const uint64_t now = ticks();
    if (team.lane == 0) atomic_add(sums + index, now - last);
    last = ticks();
  }
};
