// A sphere and an ellipsoid, by the general convex routine.
#pragma once
#include "collision/narrowphase/convex_convex.h"

INLINE int sphere_ellipsoid(const Geom& sphere, const Geom& ellipsoid, real margin, ContactPoint* contacts) {
  return convex_convex(shape_sphere, sphere, shape_ellipsoid, ellipsoid, margin, contacts);
}
