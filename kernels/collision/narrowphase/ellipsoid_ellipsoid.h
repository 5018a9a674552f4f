// Two ellipsoids, by the general convex routine.
#pragma once
#include "collision/narrowphase/convex_convex.h"

INLINE int ellipsoid_ellipsoid(const Geom& ellipsoid1, const Geom& ellipsoid2, real margin, ContactPoint* contacts) {
  return convex_convex(shape_ellipsoid, ellipsoid1, shape_ellipsoid, ellipsoid2, margin, contacts);
}
