// What a narrow-phase function reads and writes, and the frame of a contact.
//
// Every pair function is pure: two placed shapes and a margin in, contacts with dist <= margin out. Its name says which
// shape comes first, in MuJoCo's order of types: plane, sphere, capsule, ellipsoid, cylinder, box.
#pragma once
#include "math/vector.h"

/// A placed shape.
struct Geom {
  Vec3 pos;
  Mat3 axes;  // columns: the shape's own axes, in the world
  Vec3 size;  // MuJoCo's geom_size
  INLINE Vec3 axis(int i) const { return axes.column(i); }
};

struct ContactPoint {
  Vec3 pos;      // midway between the two surfaces
  Vec3 normal;   // unit, from the first shape to the second
  Vec3 tangent;  // where the frame's second axis should lie, or zero
  real dist;     // negative when the shapes overlap
};

/// The contact of a ball whose surface meets the other shape along `normal`, `dist` away.
INLINE ContactPoint ball_contact(Vec3 centre, real radius, Vec3 normal, real dist) {
  return {add_scaled(centre, fused(real(0.5), dist, radius), normal), normal, vec3(0, 0, 0), dist};
}

/// Rows: the normal and two tangents, with MuJoCo's choice (mju_makeFrame): the tangent nearest to the hint, else to y,
/// else, where the normal is within 60 degrees of y, to z.
INLINE Mat3 contact_frame(Vec3 normal, Vec3 tangent) {
  const Vec3 n = normalized(normal);
  const Vec3 fallback = (n.y < real(0.5) && n.y > real(-0.5)) ? vec3(0, 1, 0) : vec3(0, 0, 1);
  const Vec3 t = length(tangent) < real(0.5) ? fallback : tangent;
  const Vec3 t1 = normalized(add_scaled(t, -dot(n, t), n));
  return {n, t1, cross(n, t1)};
}
