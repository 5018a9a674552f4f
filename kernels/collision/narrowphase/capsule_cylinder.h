// A capsule and a cylinder, by the general convex routine.
#pragma once
#include "collision/narrowphase/convex_convex.h"

INLINE int capsule_cylinder(const Geom& capsule, const Geom& cylinder, real margin, ContactPoint* contacts) {
  return convex_convex(shape_capsule, capsule, shape_cylinder, cylinder, margin, contacts);
}
