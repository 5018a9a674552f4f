// The processor's rounding and denormal modes, which libraries in the same process change and leave changed.
#pragma once
#include "platform/compiler.h"

#if !PHALANX_GPU
#if defined(__x86_64__)
#include <xmmintrin.h>
/// Rounds to nearest and keeps denormals while it lives; restores what it found.
struct StandardFloatModes {
  unsigned found;
  StandardFloatModes() : found(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~StandardFloatModes() { _mm_setcsr(found); }
};
#elif defined(__aarch64__)
/// Rounds to nearest and keeps denormals while it lives; restores what it found.
struct StandardFloatModes {
  uint64_t found;
  StandardFloatModes() {
    asm volatile("mrs %0, fpcr" : "=r"(found));
    asm volatile("msr fpcr, %0" : : "r"(uint64_t(0)));
  }
  ~StandardFloatModes() { asm volatile("msr fpcr, %0" : : "r"(found)); }
};
#else
#error "Phalanx's CPU executor knows x86-64 and aarch64"
#endif
#endif
