// A plane and a capsule: up to two contacts, one for each end's ball, with the frame's second axis along the capsule.
#pragma once
#include "collision/narrowphase/plane_sphere.h"

inline int plane_capsule(const Geom& plane, const Geom& capsule, real margin, ContactPoint* contacts) {
  const Vec3 normal = plane.axis(2), axis = capsule.axis(2);
  int count = 0;
  NO_UNROLL for (int end = 1; end >= -1; end -= 2) {
    const Vec3 centre = add_scaled(capsule.pos, end * capsule.size.y, axis);
    if (!plane_ball(plane.pos, normal, centre, capsule.size.x, margin, &contacts[count])) continue;
    contacts[count++].tangent = axis;
  }
  return count;
}
