// Natural logarithm.
//
// x = m 2^e with m near 1, so log x = e log 2 + log(1 + f) with f = m - 1, which is exact.
// Polynomial: minimax, by tests/oracle/math/fit.py. Largest error of any float: 0.94 units in the last place.
#pragma once
#include "math/not_a_number.h"

/// A positive number as mantissa 2^exponent.
struct SplitNumber {
  float mantissa, exponent;
};
/// Splits a finite x > 0, subnormal or not, so that the mantissa lies in [lowest, 2 lowest).
INLINE SplitNumber split_number(float x, float lowest) {
  const bool small = x < 1.17549435e-38f;
  const uint32_t bits = float_bits(small ? x * 8388608.0f : x);
  const uint32_t above = (bits - float_bits(lowest) + 0x40000000u) & 0xff800000u;  // biased, so that it never wraps
  const int exponent = (int)(above >> 23) - 128;
  return {bits_float(bits - (above - 0x40000000u)), (float)(small ? exponent - 23 : exponent)};
}

/// log x; -infinity for zeros, NaN below them.
INLINE float logarithm(float x) {
  const float infinity = bits_float(0x7f800000u);
  if (!(x > 0.0f)) return x == 0.0f ? -infinity : not_a_number();
  if (x == infinity) return infinity;
  const SplitNumber split = split_number(x, 0.666666687f);
  const float f = split.mantissa - 1.0f;
  float p = fused(-1.28916532e-1f, f, 1.39844462e-1f);
  p = fused(p, f, -1.2184269e-1f);
  p = fused(p, f, 1.40058681e-1f);
  p = fused(p, f, -1.66804865e-1f);
  p = fused(p, f, 2.00104058e-1f);
  p = fused(p, f, -2.49997973e-1f);
  p = fused(p, f, 3.33332151e-1f);
  p = fused(p, f, -0.5f);
  return fused(split.exponent, 0.693147182f, fused(p, f * f, f));
}
