// An ellipsoid and a cylinder, by the general convex routine.
#pragma once
#include "collision/narrowphase/convex_convex.h"

INLINE int ellipsoid_cylinder(const Geom& ellipsoid, const Geom& cylinder, real margin, ContactPoint* contacts) {
  return convex_convex(shape_ellipsoid, ellipsoid, shape_cylinder, cylinder, margin, contacts);
}
