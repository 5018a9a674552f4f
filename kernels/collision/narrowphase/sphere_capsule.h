// A sphere and a capsule: two balls, the second at the point of the capsule's segment nearest to the sphere.
#pragma once
#include "collision/narrowphase/sphere_sphere.h"

INLINE int sphere_capsule(const Geom& sphere, const Geom& capsule, real margin, ContactPoint* contacts) {
  const Vec3 axis = capsule.axis(2);
  const real along = clamp(dot(axis, sphere.pos - capsule.pos), -capsule.size.y, capsule.size.y);
  return ball_ball(sphere.pos, sphere.size.x, add_scaled(capsule.pos, along, axis), capsule.size.x,
                   normal_of_coincident(sphere, capsule), margin, contacts);
}
