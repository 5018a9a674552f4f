// An ellipsoid and a box, by the general convex routine.
#pragma once
#include "collision/narrowphase/convex_convex.h"

INLINE int ellipsoid_box(const Geom& ellipsoid, const Geom& box, real margin, ContactPoint* contacts) {
  return convex_convex(shape_ellipsoid, ellipsoid, shape_box, box, margin, contacts);
}
