// A capsule and an ellipsoid, by the general convex routine.
#pragma once
#include "collision/narrowphase/convex_convex.h"

INLINE int capsule_ellipsoid(const Geom& capsule, const Geom& ellipsoid, real margin, ContactPoint* contacts) {
  return convex_convex(shape_capsule, capsule, shape_ellipsoid, ellipsoid, margin, contacts);
}
