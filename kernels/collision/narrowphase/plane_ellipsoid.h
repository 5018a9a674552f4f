// A plane and an ellipsoid: the one contact at the ellipsoid's deepest point.
//
// The point of the ellipsoid farthest along d (in its own axes) is  S S d / |S d|,  with S the diagonal of the radii.
#pragma once
#include "collision/narrowphase/plane_sphere.h"

INLINE int plane_ellipsoid(const Geom& plane, const Geom& ellipsoid, real margin, ContactPoint* contacts) {
  const Vec3 normal = plane.axis(2), s = ellipsoid.size;
  const Vec3 d = transposed_times(ellipsoid.axes, -normal);
  const Vec3 on_ball = normalized(vec3(s.x * d.x, s.y * d.y, s.z * d.z));
  const Vec3 deepest = ellipsoid.pos + ellipsoid.axes * vec3(s.x * on_ball.x, s.y * on_ball.y, s.z * on_ball.z);
  return plane_ball(plane.pos, normal, deepest, 0, margin, contacts);
}
