// A convex shape as what the general routine needs of it: the farthest point along a direction.
//
// Spheres and capsules are a point and a segment with a rounding radius; contacts are found between these cores and then
// grown, which is exact. A new convex shape adds a case to `farthest` (and to `rounding` if it has one).
#pragma once
#include "collision/narrowphase/contact_point.h"

/// MuJoCo's numbers for the types (mjtGeom).
constexpr int shape_sphere = 2, shape_capsule = 3, shape_ellipsoid = 4, shape_cylinder = 5, shape_box = 6;

struct ConvexShape {
  int type;
  Geom geom;

  INLINE real rounding() const { return type <= shape_capsule ? geom.size.x : real(0); }

  /// The point of the core farthest along `direction` (unit, or nearly so), both in the world.
  inline Vec3 farthest(Vec3 direction) const {
    const Vec3 d = transposed_times(geom.axes, direction), s = geom.size;
    Vec3 local = {0, 0, 0};
    if (type == shape_box) {
      local = {s.x * sign(d.x), s.y * sign(d.y), s.z * sign(d.z)};
    } else if (type == shape_ellipsoid) {
      const Vec3 n = normalized(vec3(s.x * d.x, s.y * d.y, s.z * d.z));
      local = {s.x * n.x, s.y * n.y, s.z * n.z};
    } else if (type == shape_cylinder) {
      const Vec3 n = normalized(vec3(d.x, d.y, 0));
      local = {s.x * n.x, s.x * n.y, s.y * sign(d.z)};
    } else if (type == shape_capsule) {
      local.z = s.y * sign(d.z);
    }
    return geom.pos + geom.axes * local;
  }
};

/// A point of the difference of two shapes, {a - b}, with the point of the first that makes it.
struct DifferencePoint {
  Vec3 point, on_first;
};
NOINLINE DifferencePoint farthest_difference(const ConvexShape& first, const ConvexShape& second, Vec3 direction) {
  const Vec3 a = first.farthest(direction);
  return {a - second.farthest(-direction), a};
}

/// How two cores lie to each other: where they come nearest, or the shortest way apart.
struct ConvexGap {
  real dist;                 // negative: the depth of the overlap
  Vec3 normal;               // unit, from the first to the second
  Vec3 on_first, on_second;  // their points that are nearest or deepest
};
