// A sphere and a cylinder: one contact with the side, a cap or a rim of the cylinder, whichever faces the sphere.
//
// A centre inside the cylinder leaves through the nearer of cap and side.
#pragma once
#include "collision/narrowphase/plane_sphere.h"
#include "collision/narrowphase/sphere_sphere.h"

inline int sphere_cylinder(const Geom& sphere, const Geom& cylinder, real margin, ContactPoint* contacts) {
  const real radius = cylinder.size.x, half = cylinder.size.y;
  const Vec3 axis = cylinder.axis(2), offset = sphere.pos - cylinder.pos;
  const real along = dot(axis, offset);
  const Vec3 across = add_scaled(offset, -along, axis);
  const real from_axis = length(across);
  bool beside = absolute(along) < half, over_cap = from_axis < radius;
  if (beside && over_cap) {
    beside = radius - from_axis <= half - absolute(along);
    over_cap = !beside;
  }
  const Vec3 outward = axis * (along > 0 ? real(1) : real(-1)), cap = add_scaled(cylinder.pos, half, outward);
  if (over_cap) {
    if (!plane_ball(cap, outward, sphere.pos, sphere.size.x, margin, contacts)) return 0;
    contacts->normal = -outward;
    return 1;
  }
  const Vec3 fallback = normal_of_coincident(sphere, cylinder);
  if (beside) {
    return ball_ball(sphere.pos, sphere.size.x, add_scaled(cylinder.pos, along, axis), radius, fallback, margin, contacts);
  }
  return ball_ball(sphere.pos, sphere.size.x, add_scaled(cap, radius / from_axis, across), 0, fallback, margin, contacts);
}
