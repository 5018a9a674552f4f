// Two cylinders, by the general convex routine.
#pragma once
#include "collision/narrowphase/convex_convex.h"

INLINE int cylinder_cylinder(const Geom& cylinder1, const Geom& cylinder2, real margin, ContactPoint* contacts) {
  return convex_convex(shape_cylinder, cylinder1, shape_cylinder, cylinder2, margin, contacts);
}
