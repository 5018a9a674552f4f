// A plane and a sphere, and the plane and ball to which other pairs come down.
#pragma once
#include "collision/narrowphase/contact_point.h"

/// `normal` is the plane's, of unit length.
INLINE int plane_ball(Vec3 point, Vec3 normal, Vec3 centre, real radius, real margin, ContactPoint* contact) {
  const real dist = dot(normal, centre - point) - radius;
  if (!(dist <= margin)) return 0;
  *contact = {add_scaled(centre, -fused(real(0.5), dist, radius), normal), normal, vec3(0, 0, 0), dist};
  return 1;
}

INLINE int plane_sphere(const Geom& plane, const Geom& sphere, real margin, ContactPoint* contacts) {
  return plane_ball(plane.pos, plane.axis(2), sphere.pos, sphere.size.x, margin, contacts);
}
