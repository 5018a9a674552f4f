// The angle of a point in the plane: arc tangent of a quotient.
//
// With t = min(|y|, |x|) / max(|y|, |x|) in [0, 1] the angle is a multiple of pi/2, plus or minus atan t.
// Polynomial: minimax, by tests/oracle/math/fit.py; its last bits were then searched so that atan 1 is the float nearest
// pi/4. Largest error found: 1.58 units in the last place.
#pragma once
#include "math/not_a_number.h"

/// atan t for 0 <= t <= 1.
INLINE float arc_tangent_of_fraction(float t) {
  const float u = t * t;
  float p = fused(-1.78190088e-3f, u, 1.08654974e-2f);
  p = fused(p, u, -3.10926978e-2f);
  p = fused(p, u, 5.78785762e-2f);
  p = fused(p, u, -8.39921683e-2f);
  p = fused(p, u, 1.09508693e-1f);
  p = fused(p, u, -1.42640144e-1f);
  p = fused(p, u, 1.99985325e-1f);
  p = fused(p, u, -3.33333015e-1f);
  return fused(p, u * t, t);
}

/// The angle of the point (x, y) in [-pi, pi], with the C library's signs of zero: (+0, +0) -> +0, (+0, -0) -> pi,
/// (-0, -0) -> -pi; infinities count as equally far.
NOINLINE float arc_tangent2(float y, float x) {
  if (!(x == x && y == y)) return not_a_number();
  const float across = absolute(x), up = absolute(y);
  const bool steep = up > across;
  const bool left = (float_bits(x) & 0x80000000u) != 0;
  const float smaller = steep ? across : up, larger = steep ? up : across;
  const float t = smaller == larger ? (larger > 0.0f ? 1.0f : 0.0f) : smaller / larger;  // 0/0 and inf/inf are not divided
  const float a = arc_tangent_of_fraction(t);
  // base = high + low: pi/2 about the vertical axis, pi to the left, 0 to the right
  const float high = steep ? 1.57079637f : (left ? 3.14159274f : 0.0f);
  const float low = steep ? -4.37113883e-8f : (left ? -8.74227766e-8f : 0.0f);
  const float angle = high + (low + (steep != left ? -a : a));
  return bits_float(float_bits(angle) | (float_bits(y) & 0x80000000u));
}
