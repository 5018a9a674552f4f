// A hash of many random numbers, the same on the host, in its double build and on a GPU.
#pragma once
#include "math/philox.h"

/// Mixes the bits of a word: the finalizer of SplitMix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number
/// Generators, 2014). Sums of mixed words, modulo 2^64, do not depend on the order.
INLINE uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
/// What the results `first` and `second` of input i add to the hash.
INLINE uint64_t share_of(uint32_t i, uint32_t first, uint32_t second) {
  return mix(mix(i + 0x9e3779b97f4a7c15ull) ^ ((uint64_t)second << 32 | first));
}

INLINE uint64_t hash_of_random(uint32_t i) {
  const FourWords words = random_words(0x243f6a8885a308d3ull, i, i >> 7, 3, i & 15u);
  const float low = -1.0f / (float)(1u + (i & 255u));
  return share_of(i, float_bits(uniform(words.x)) ^ words.y, float_bits(uniform(words.z, low, 0.7f)) ^ words.w);
}
