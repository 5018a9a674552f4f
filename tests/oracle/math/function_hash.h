// A hash of each function over many inputs, the same on the host and on a GPU.
//
// Functions of one number take i as the bits of it, so that i = 0 .. 2^32 - 1 is every float. Functions of two take pairs
// made from i: special numbers against each other first, then random ones.
#pragma once
#include "math/functions.h"
#include "random_hash.h"

struct Operands {
  float a, b;
};

/// Zeros, subnormals, infinities, NaN, small whole numbers and their neighbours; the upper half is negative.
INLINE float special_number(uint32_t i) {
  constexpr uint32_t bits[16] = {0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x33800000, 0x3f000000,
                                 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x40400000, 0x40490fdb,
                                 0x4b7fffff, 0x7f7fffff, 0x7f800000, 0x7fc00000};
  return bits_float(bits[i & 15u] | (i & 16u) << 27);
}

INLINE Operands operands(uint32_t i) {
  if (i < 1024u) return {special_number(i >> 5), special_number(i)};
  const FourWords words = random_words(1, i, 0, 0, 0);
  switch (i & 3u) {
    case 0:  // any floats
      return {bits_float(words.x), bits_float(words.y)};
    case 1:  // MuJoCo's solimp: a width in (0, 1), a power
      return {uniform(words.x), uniform(words.y, 1.0f, 16.0f)};
    case 2:  // powers of every size
      return {uniform(words.x, 0.0f, 4.0f), uniform(words.y, -100.0f, 100.0f)};
    default:  // both within 2^-16 and 2^16
      return {bits_float((words.x & 0x807fffffu) | (111u + (words.z & 31u)) << 23),
              bits_float((words.y & 0x807fffffu) | (111u + (words.w & 31u)) << 23)};
  }
}

INLINE uint64_t hash_of_sine_cosine(uint32_t i) {
  float s, c;
  sin_cos(bits_float(i), s, c);
  return share_of(i, float_bits(s), float_bits(c));
}
INLINE uint64_t hash_of_exponential(uint32_t i) { return share_of(i, float_bits(exponential(bits_float(i))), 0); }
INLINE uint64_t hash_of_logarithm(uint32_t i) { return share_of(i, float_bits(logarithm(bits_float(i))), 0); }
INLINE uint64_t hash_of_arc_tangent2(uint32_t i) {
  const Operands o = operands(i);
  return share_of(i, float_bits(arc_tangent2(o.a, o.b)), 0);
}
INLINE uint64_t hash_of_power(uint32_t i) {
  const Operands o = operands(i);
  return share_of(i, float_bits(power(o.a, o.b)), 0);
}
