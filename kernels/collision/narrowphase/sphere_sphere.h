// Two spheres, and the two balls to which rounder pairs come down.
#pragma once
#include "collision/narrowphase/contact_point.h"

/// Balls with coincident centres meet along `fallback`.
INLINE int ball_ball(Vec3 centre1, real radius1, Vec3 centre2, real radius2, Vec3 fallback, real margin,
                     ContactPoint* contact) {
  const Vec3 between = centre2 - centre1;
  const real distance = length(between), dist = distance - radius1 - radius2;
  if (!(dist <= margin)) return 0;
  const Vec3 normal = distance < smallest_length ? normalized(fallback) : between * (1 / distance);
  *contact = ball_contact(centre1, radius1, normal, dist);
  return 1;
}

/// MuJoCo's normal for coincident centres: across both z axes.
INLINE Vec3 normal_of_coincident(const Geom& a, const Geom& b) { return cross(a.axis(2), b.axis(2)); }

INLINE int sphere_sphere(const Geom& sphere1, const Geom& sphere2, real margin, ContactPoint* contacts) {
  return ball_ball(sphere1.pos, sphere1.size.x, sphere2.pos, sphere2.size.x, normal_of_coincident(sphere1, sphere2), margin,
                   contacts);
}
