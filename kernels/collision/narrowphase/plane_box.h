// A plane and a box: up to four contacts at the box's corners.
//
// As in MuJoCo, only corners below the box's centre count, in the order of their number (bit i: the sign of axis i), and
// the first four within the margin are kept.
#pragma once
#include "collision/narrowphase/plane_sphere.h"

inline int plane_box(const Geom& plane, const Geom& box, real margin, ContactPoint* contacts) {
  const Vec3 normal = plane.axis(2);
  int count = 0;
  NO_UNROLL for (int corner = 0; corner < 8 && count < 4; ++corner) {
    const Vec3 local = {corner & 1 ? box.size.x : -box.size.x, corner & 2 ? box.size.y : -box.size.y,
                        corner & 4 ? box.size.z : -box.size.z};
    const Vec3 offset = box.axes * local;
    if (dot(normal, offset) > 0) continue;
    count += plane_ball(plane.pos, normal, box.pos + offset, 0, margin, &contacts[count]);
  }
  return count;
}
