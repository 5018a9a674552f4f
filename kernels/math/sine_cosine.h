// Sine with cosine, of every float.
//
// |x| = j pi/2 + r with |r| <= pi/4; polynomials in r give both, the quadrant j mod 4 their order and signs.
//   |x| < 2^17   Cody and Waite, Software Manual for the Elementary Functions (1980): pi/2 in three floats, subtracted one
//                after the other. The first fused step is exact: |r| < 1 and both terms are multiples of 2^-24.
//   beyond       Payne and Hanek, Radian Reduction for Trigonometric Functions (1983): of 2/pi only the 96 bits matter that
//                are neither whole turns after the product with x nor below its precision. Integers only.
// Polynomials: minimax, by tests/oracle/math/fit.py. Largest error of any float: 1.23 units in the last place.
#pragma once
#include "math/not_a_number.h"

/// An angle as quadrant pi/2 + rest + tail, |rest| <= pi/4; `tail` is what rounding cost `rest`. Of `quadrant` only the low
/// two bits count.
struct ReducedAngle {
  uint32_t quadrant;
  float rest, tail;
};

/// For 0 <= x < 2^17.
INLINE ReducedAngle reduce_angle(float x) {
  const float shifted = fused(x, 0.636619747f, 12582912.0f);  // 2/pi; 1.5 * 2^23 leaves round(x 2/pi) in the low bits
  const float j = shifted - 12582912.0f;
  const float first = fused(-j, 1.57079637f, x);  // pi/2 in three floats: the first product is exact here,
  const float second = j * 4.37113883e-8f;        // the second in two parts
  const float second_tail = fused(j, 4.37113883e-8f, -second);
  const float rest = first + second;
  return {float_bits(shifted), rest, (first - rest) + second + fused(j, 1.71512451e-15f, second_tail)};
}

/// The bits of 2/pi, after one word of zeros.
constexpr uint32_t two_over_pi[8] = {0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

/// For finite x >= 2^16. Rare: a call costs less than its code in every kernel that turns a joint.
__attribute__((noinline)) inline ReducedAngle reduce_large_angle(float x) {
  const uint32_t bits = float_bits(x);
  const uint32_t mantissa = (bits & 0x7fffffu) | 0x800000u;  // x = mantissa 2^(exponent - 150)
  const uint32_t first = (bits >> 23) - 120u;                // the bit of the table that is worth 2 / mantissa
  const uint32_t* word = two_over_pi + (first >> 5);
  const uint32_t shift = first & 31u;
  const uint32_t high = (uint32_t)(((((uint64_t)word[0] << 32) | word[1]) << shift) >> 32);
  const uint32_t middle = (uint32_t)(((((uint64_t)word[1] << 32) | word[2]) << shift) >> 32);
  const uint32_t low = (uint32_t)(((((uint64_t)word[2] << 32) | word[3]) << shift) >> 32);
  // x 2/pi modulo 4, in units of 2^-62: the product's bits above weight 2 fall off the top.
  const uint64_t product =
      ((uint64_t)(mantissa * high) << 32) + (uint64_t)mantissa * middle + (((uint64_t)mantissa * low) >> 32);
  const uint32_t quadrant = (uint32_t)((product + (1ull << 61)) >> 62);
  const int64_t fraction = (int64_t)(product << 2) >> 2;  // what is left, in [-2^61, 2^61)
  const float head = (float)fraction;
  const float left_over = (float)(fraction - (int64_t)head);
  const float scale = 3.40612167e-19f, scale_tail = -9.47839643e-27f;  // pi/2 2^-62 in two floats
  const float small = fused(head, scale_tail, left_over * scale);
  const float rest = fused(head, scale, small);
  return {quadrant, rest, fused(head, scale, -rest) + small};
}

/// s = sin x and c = cos x; NaN for infinities and NaN. sin(-0) = -0.
INLINE void sin_cos(float x, float& s, float& c) {
  const float size = absolute(x);
  ReducedAngle angle;
  if (size < 131072.0f) {
    angle = reduce_angle(size);
  } else if (size < bits_float(0x7f800000u)) {
    angle = reduce_large_angle(size);
  } else {
    s = c = not_a_number();
    return;
  }
  const float r = angle.rest, r2 = r * r;
  const float cubic = fused(fused(-1.95182904e-4f, r2, 8.33218917e-3f), r2, -1.66666552e-1f);
  const float sine = r + fused(cubic, r2 * r, angle.tail);
  const float cosine =
      fused(fused(fused(fused(2.44323273e-5f, r2, -1.38873095e-3f), r2, 4.16666456e-2f), r2, -0.5f), r2, 1.0f);
  const uint32_t sine_sign = (float_bits(x) ^ (angle.quadrant << 30)) & 0x80000000u;
  const uint32_t cosine_sign = ((angle.quadrant + 1u) << 30) & 0x80000000u;
  const bool odd = angle.quadrant & 1u;
  s = bits_float(float_bits(odd ? cosine : sine) ^ sine_sign);
  c = bits_float(float_bits(odd ? sine : cosine) ^ cosine_sign);
}
