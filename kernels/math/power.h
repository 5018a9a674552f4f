// Power, x to the y, with the C library's special cases.
//
// e^(y log x), where log x and its product with y are sums of two floats: an error of the exponent is a relative error of
// the power. log m = 2 atanh s with s = (m - 1) / (m + 1).
// Polynomial: minimax, by tests/oracle/math/fit.py. Largest error found: 1.1 units in the last place.
#pragma once
#include "math/exponential.h"
#include "math/logarithm.h"

/// A number as high + low, |low| at most half a unit in the last place of high.
struct FloatPair {
  float high, low;
};

/// a + b where |a| >= |b| or a = 0, without loss. Dekker, A Floating-Point Technique for Extending the Available Precision
/// (1971).
INLINE FloatPair exact_sum(float a, float b) {
  const float sum = a + b;
  return {sum, (a - sum) + b};
}
/// a b without loss.
INLINE FloatPair exact_product(float a, float b) {
  const float product = a * b;
  return {product, fused(a, b, -product)};
}

/// log x of a finite x > 0 to about 2^-35 of its size.
INLINE FloatPair logarithm_pair(float x) {
  const SplitNumber split = split_number(x, 0.707106769f);
  const float m = split.mantissa;
  const float f = m - 1.0f;  // exact
  const FloatPair q = exact_sum(m < 1.0f ? 1.0f : m, m < 1.0f ? m : 1.0f);
  const float inverse = 1.0f / q.high;
  const float s = f * inverse;
  const float s_low = fused(-s, q.low, fused(-s, q.high, f)) * inverse;
  // 2 atanh s = 2 s + s^3 (2/3 + ...): the cubic term is up to a hundredth of the first, so it too is a pair.
  const FloatPair u = exact_product(s, s);
  FloatPair cube = exact_product(u.high, s);
  cube.low = fused(u.low, s, cube.low);
  const float beyond = fused(fused(2.42861062e-1f, u.high, 2.84984887e-1f), u.high, 4.00009751e-1f);
  const FloatPair factor = exact_sum(6.66666627e-1f, beyond * u.high);
  FloatPair cubic = exact_product(cube.high, factor.high);
  cubic.low = fused(cube.high, factor.low, fused(cube.low, factor.high, cubic.low));
  // log 2 in 15 bits, so that the product is exact, and the rest.
  const FloatPair first = exact_sum(split.exponent * 0.693145752f, 2.0f * s);
  const FloatPair second = exact_sum(first.high, cubic.high);
  const float s_share = 2.0f * fused(s_low, u.high, s_low);  // s_low times the derivative of 2 atanh, 2 / (1 - s^2)
  const float low = fused(split.exponent, 1.42860677e-6f, s_share + cubic.low) + first.low + second.low;
  return exact_sum(second.high, low);
}

/// x^y for 0 < x < infinity.
NOINLINE float positive_power(float x, float y) {
  const FloatPair base = logarithm_pair(x);
  const float product = y * base.high;
  const float within = product < -110.0f ? -110.0f : (product > 100.0f ? 100.0f : product);
  const float rest = within == product ? fused(y, base.low, fused(y, base.high, -product)) : 0.0f;
  return exponential_of_sum(within, rest);
}

/// x^y. Exact for y = 0, 1, 2 and for x = 1; NaN for x < 0 unless y is whole.
inline float power(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (!(x == x && y == y)) return not_a_number();
  if (y == 1.0f) return x;
  if (y == 2.0f) return x * x;
  const float infinity = bits_float(0x7f800000u);
  const float size = absolute(x);
  const bool whole = round_down(y) == y;
  if (x < 0.0f && size < infinity && !whole) return not_a_number();
  float result;
  if (size == 0.0f || size == infinity) {
    result = (size == 0.0f) == (y > 0.0f) ? 0.0f : infinity;
  } else if (size == 1.0f) {
    result = 1.0f;
  } else {
    result = positive_power(size, y);
  }
  const bool odd = whole && round_down(0.5f * y) != 0.5f * y;
  return odd ? bits_float(float_bits(result) | (float_bits(x) & 0x80000000u)) : result;
}
