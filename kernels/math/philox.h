// Random numbers that depend on what they are for, not on when they are drawn: Philox 4x32-10.
//
// Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011), section 3.3. A bijection of 128-bit
// counters, chosen by a 64-bit key. Key = seed; counter = (environment id, step, stream, index), so any number can be drawn
// alone, in any order, on any machine. Integers throughout, and floats of 24 bits made from them, also in the double build.
#pragma once
#include "platform/compiler.h"

struct FourWords {
  uint32_t x, y, z, w;
};

/// Ten rounds of Philox 4x32.
INLINE FourWords philox(FourWords counter, uint32_t key_low, uint32_t key_high) {
  NO_UNROLL
  for (int round = 0; round < 10; round++) {
    const uint64_t a = (uint64_t)0xd2511f53u * counter.x;
    const uint64_t b = (uint64_t)0xcd9e8d57u * counter.z;
    const uint32_t x = (uint32_t)(b >> 32) ^ counter.y ^ key_low;
    const uint32_t z = (uint32_t)(a >> 32) ^ counter.w ^ key_high;
    counter = {x, (uint32_t)b, z, (uint32_t)a};
    key_low += 0x9e3779b9u;   // the golden ratio
    key_high += 0xbb67ae85u;  // the square root of 3, less 1
  }
  return counter;
}

/// Four random words for one purpose. `stream` names the purpose; `index` counts the draws within a step.
INLINE FourWords random_words(uint64_t seed, uint32_t environment, uint32_t step, uint32_t stream, uint32_t index) {
  return philox({environment, step, stream, index}, (uint32_t)seed, (uint32_t)(seed >> 32));
}

/// A number in [0, 1): the word's upper 24 bits times 2^-24, exactly.
INLINE float uniform(uint32_t word) { return (float)(word >> 8) * 5.9604644775390625e-8f; }

/// The largest float below a finite x.
INLINE float next_below(float x) {
  const uint32_t bits = float_bits(x);
  if (x == 0.0f) return bits_float(0x80000001u);
  return bits_float(x > 0.0f ? bits - 1u : bits + 1u);
}

/// A number in [low, high), for low < high with a finite difference: low + uniform(word) (high - low), each of the three
/// operations rounded to float; where that rounds up to high, the float below it. Not fused, and float in the double build
/// too, so both builds draw the same number.
INLINE float uniform(uint32_t word, float low, float high) {
  const float x = low + uniform(word) * (high - low);
  return x < high ? x : next_below(high);
}
