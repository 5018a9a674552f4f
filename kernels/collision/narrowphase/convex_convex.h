// Any two convex shapes: their cores' distance or depth, grown by their roundings.
//
// MuJoCo's "native" pipeline: several contacts where flat parts lie on each other (capsule, cylinder, box), else one, midway
// between the nearest or deepest points. Returns at most four.
#pragma once
#include "collision/narrowphase/epa.h"
#include "collision/narrowphase/flat_contact.h"
#include "collision/narrowphase/gjk.h"

NOINLINE int convex_convex(int type1, const Geom& geom1, int type2, const Geom& geom2, real margin,
                              ContactPoint* contacts) {
  // The world's origin moves to the first shape, so that float's precision goes into the shapes.
  const Vec3 origin = geom1.pos;
  ConvexShape first = {type1, geom1}, second = {type2, geom2};
  first.geom.pos = {0, 0, 0};
  second.geom.pos -= origin;
  const real rounding1 = first.rounding(), rounding2 = second.rounding(), limit = margin + rounding1 + rounding2;
  ConvexGap gap;
  if (!gjk_distance(first, second, limit, gap)) epa_depth(first, second, gap);
  if (!(gap.dist <= limit && gap.dist > -largest_real)) return 0;  // also for NaN
  if (type1 != shape_ellipsoid && type2 >= shape_cylinder) {
    const int count = flat_contacts(first, second, gap.normal, margin, contacts);
    NO_UNROLL for (int i = 0; i < count; ++i) contacts[i].pos += origin;
    if (count > 0) return count;
  }
  const real dist = gap.dist - rounding1 - rounding2;
  const Vec3 on_first = add_scaled(gap.on_first, rounding1, gap.normal);
  contacts[0] = {origin + add_scaled(on_first, real(0.5) * dist, gap.normal), gap.normal, vec3(0, 0, 0), dist};
  return 1;
}
