// Unit quaternions (w, x, y, z) as rotations, with MuJoCo's conventions.
#pragma once
#include "math/functions.h"
#include "math/vector.h"

struct alignas(16) Quat {
  real w, x, y, z;
  INLINE Vec3 vector() const { return {x, y, z}; }
};

INLINE Quat conjugate(Quat q) { return {q.w, -q.x, -q.y, -q.z}; }
INLINE Quat operator*(Quat a, Quat b) {
  return {fused(a.w, b.w, -fused(a.x, b.x, fused(a.y, b.y, a.z * b.z))),
          fused(a.w, b.x, fused(a.x, b.w, fused(a.y, b.z, -(a.z * b.y)))),
          fused(a.w, b.y, fused(a.y, b.w, fused(a.z, b.x, -(a.x * b.z)))),
          fused(a.w, b.z, fused(a.z, b.w, fused(a.x, b.y, -(a.y * b.x))))};
}
/// The unit quaternion along q, or the identity where q has no length.
INLINE Quat normalized(Quat q) {
  const real size = square_root(fused(q.w, q.w, fused(q.x, q.x, fused(q.y, q.y, q.z * q.z))));
  if (size < smallest_length) return {1, 0, 0, 0};
  const real s = 1 / size;
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}
/// q v q*
INLINE Vec3 rotate(Quat q, Vec3 v) {
  const Vec3 u = q.vector(), t = cross(u, v) * 2;
  return add_scaled(v, q.w, t) + cross(u, t);
}
/// The matrix whose columns are the axes of the rotated frame.
INLINE Mat3 matrix(Quat q) {
  const real ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  return {{ww + xx - yy - zz, 2 * fused(q.x, q.y, -(q.w * q.z)), 2 * fused(q.x, q.z, q.w * q.y)},
          {2 * fused(q.x, q.y, q.w * q.z), ww - xx + yy - zz, 2 * fused(q.y, q.z, -(q.w * q.x))},
          {2 * fused(q.x, q.z, -(q.w * q.y)), 2 * fused(q.y, q.z, q.w * q.x), ww - xx - yy + zz}};
}
/// The rotation by `angle` radians about the unit vector `axis`.
INLINE Quat axis_angle(Vec3 axis, real angle) {
  real s, c;
  sin_cos(angle * real(0.5), s, c);
  return {c, axis.x * s, axis.y * s, axis.z * s};
}
/// The rotation vector (axis times angle in [-pi, pi]) of a unit quaternion.
INLINE Vec3 rotation_vector(Quat q) {
  const Vec3 v = q.vector();
  const real s = length(v);
  if (s < smallest_length) return {0, 0, 0};
  real angle = 2 * arc_tangent2(s, q.w);
  if (angle > pi) angle -= 2 * pi;
  return v * (angle / s);
}
/// q turned by the angular velocity w (in q's own frame) for dt seconds.
INLINE Quat integrate(Quat q, Vec3 w, real dt) {
  const real speed = length(w);
  const Vec3 axis = speed < smallest_length ? vec3(1, 0, 0) : w * (1 / speed);
  return normalized(q * axis_angle(axis, dt * speed));
}
