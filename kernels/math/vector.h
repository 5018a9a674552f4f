// Vectors of three and 3x3 matrices, with fused products in a fixed order.
#pragma once
#include "math/scalar.h"

struct Vec3 {
  real x, y, z;
  INLINE real operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
};

INLINE Vec3 vec3(real x, real y, real z) { return Vec3{x, y, z}; }
INLINE Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
INLINE Vec3 operator*(Vec3 a, real s) { return {a.x * s, a.y * s, a.z * s}; }
INLINE Vec3 operator*(real s, Vec3 a) { return a * s; }
INLINE Vec3& operator+=(Vec3& a, Vec3 b) { return a = a + b; }
INLINE Vec3& operator-=(Vec3& a, Vec3 b) { return a = a - b; }
/// a + s b, one rounding a component.
INLINE Vec3 add_scaled(Vec3 a, real s, Vec3 b) { return {fused(s, b.x, a.x), fused(s, b.y, a.y), fused(s, b.z, a.z)}; }
INLINE real dot(Vec3 a, Vec3 b) { return fused(a.x, b.x, fused(a.y, b.y, a.z * b.z)); }
INLINE Vec3 cross(Vec3 a, Vec3 b) {
  return {fused(a.y, b.z, -(a.z * b.y)), fused(a.z, b.x, -(a.x * b.z)), fused(a.x, b.y, -(a.y * b.x))};
}
INLINE real length(Vec3 a) { return square_root(dot(a, a)); }
INLINE Vec3 with(Vec3 a, int i, real value) {
  return {i == 0 ? value : a.x, i == 1 ? value : a.y, i == 2 ? value : a.z};
}
/// The vector of the components' absolute values.
INLINE Vec3 absolute(Vec3 a) { return {absolute(a.x), absolute(a.y), absolute(a.z)}; }
/// The number of the largest component; the first of equals.
INLINE int largest_axis(Vec3 a) { return a.x >= a.y ? (a.x >= a.z ? 0 : 2) : (a.y >= a.z ? 1 : 2); }
INLINE Vec3 unit_axis(int i) { return with(vec3(0, 0, 0), i, 1); }
/// The unit vector along a, or x where a has no length (as MuJoCo's mju_normalize3).
INLINE Vec3 normalized(Vec3 a) {
  const real size = length(a);
  return size < smallest_length ? vec3(1, 0, 0) : a * (1 / size);
}

/// Rows x, y, z; `m * v` rotates from the local frame when the columns are the frame's axes.
struct Mat3 {
  Vec3 x, y, z;
  INLINE Vec3 column(int i) const { return {x[i], y[i], z[i]}; }
};
INLINE Vec3 operator*(const Mat3& m, Vec3 v) { return {dot(m.x, v), dot(m.y, v), dot(m.z, v)}; }
/// m' v
INLINE Vec3 transposed_times(const Mat3& m, Vec3 v) {
  return {fused(m.x.x, v.x, fused(m.y.x, v.y, m.z.x * v.z)), fused(m.x.y, v.x, fused(m.y.y, v.y, m.z.y * v.z)),
          fused(m.x.z, v.x, fused(m.y.z, v.y, m.z.z * v.z))};
}
INLINE Mat3 transposed(const Mat3& m) { return {m.column(0), m.column(1), m.column(2)}; }
INLINE Mat3 operator*(const Mat3& a, const Mat3& b) {
  const Mat3 t = transposed(b);
  return {{dot(a.x, t.x), dot(a.x, t.y), dot(a.x, t.z)}, {dot(a.y, t.x), dot(a.y, t.y), dot(a.y, t.z)},
          {dot(a.z, t.x), dot(a.z, t.y), dot(a.z, t.z)}};
}
