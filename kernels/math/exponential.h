// Exponential, e to the x.
//
// Cody and Waite, Software Manual for the Elementary Functions (1980): x = n log 2 + r with |r| <= (log 2) / 2; a polynomial
// gives e^r, and 2^n is put in by multiplication, in two halves, so that results below the normal numbers are rounded once.
// Polynomial: minimax, by tests/oracle/math/fit.py. Largest error of any float: 0.90 units in the last place.
#pragma once
#include "math/not_a_number.h"

/// e^(x + rest) for -110 <= x <= 100 and |rest| far below 1.
INLINE float exponential_of_sum(float x, float rest) {
  // 1 / log 2, and 1.5 * 2^23, which leaves n = round(x / log 2) in the low bits
  const float shifted = fused(x, 1.44269502f, 12582912.0f);
  const float n = shifted - 12582912.0f;
  float r = fused(-n, 0.693147182f, x);  // log 2 in two floats
  r = fused(-n, -1.90465421e-9f, r);
  r = r + rest;
  float p = fused(1.38146046e-3f, r, 8.36871658e-3f);
  p = fused(p, r, 4.1668389e-2f);
  p = fused(p, r, 1.66665211e-1f);
  p = fused(p, r, 4.9999994e-1f);
  p = fused(p, r, 1.0f);
  p = fused(p, r, 1.0f);
  const uint32_t power = float_bits(shifted) - 0x4b400000u;  // n, modulo 2^32
  const uint32_t half = (power + 1024u) / 2u - 512u, other = power - half;
  return p * bits_float((half + 127u) << 23) * bits_float((other + 127u) << 23);
}

/// e^x: +0 below -104, infinity above 89.
INLINE float exponential(float x) {
  if (x != x) return not_a_number();
  return exponential_of_sum(x < -104.0f ? -104.0f : (x > 89.0f ? 89.0f : x), 0.0f);
}
