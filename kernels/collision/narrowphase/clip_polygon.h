// Cuts a convex polygon by a half space, in place (Sutherland and Hodgman).
//
// Ericson, Real-Time Collision Detection (2005), section 8.3.4.
#pragma once
#include "collision/narrowphase/contact_point.h"

/// Keeps what has outward . p <= offset and returns the new number of corners: at most one more, and never above `capacity`.
NOINLINE int clip_polygon(Vec3* polygon, int count, int capacity, Vec3 outward, real offset) {
  if (count == 0) return 0;
  const Vec3 start = polygon[0];
  Vec3 from = start, next = count > 1 ? polygon[1] : start;
  real outside_from = dot(outward, from) - offset;
  int kept = 0;
  // Along the edge from corner i to the next one. A corner is read one step ahead, because an edge that enters the half
  // space writes two points.
  NO_UNROLL for (int i = 0; i < count; ++i) {
    const Vec3 to = next;
    next = i + 2 < count ? polygon[i + 2] : start;
    const real outside_to = dot(outward, to) - offset;
    if ((outside_to > 0) != (outside_from > 0) && kept < capacity) {
      polygon[kept++] = add_scaled(from, outside_from / (outside_from - outside_to), to - from);
    }
    if (!(outside_to > 0) && kept < capacity) polygon[kept++] = to;
    from = to;
    outside_from = outside_to;
  }
  return kept;
}
