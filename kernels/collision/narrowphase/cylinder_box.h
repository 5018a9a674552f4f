// A cylinder and a box, by the general convex routine.
#pragma once
#include "collision/narrowphase/convex_convex.h"

INLINE int cylinder_box(const Geom& cylinder, const Geom& box, real margin, ContactPoint* contacts) {
  return convex_convex(shape_cylinder, cylinder, shape_box, box, margin, contacts);
}
