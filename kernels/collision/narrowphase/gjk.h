// The distance of two convex cores (Gilbert, Johnson and Keerthi).
//
// van den Bergen, Collision Detection in Interactive 3D Environments (2003), section 4.3; the nearest point of a simplex
// as in Ericson, Real-Time Collision Detection (2005), section 5.1. The cores are apart by |v|, v being the point of their
// difference nearest to the origin; v . w, with w the farthest point against v, bounds |v|^2 from below.
#pragma once
#include "collision/narrowphase/convex_shape.h"

constexpr int gjk_iteration_limit = 80;
/// The search ends when the bounds of the squared distance agree to this part of it.
constexpr real gjk_tolerance = sizeof(real) == 8 ? real(1e-14) : real(1e-6);
/// Cores nearer than this part of their size count as overlapping.
constexpr real gjk_touching = sizeof(real) == 8 ? real(1e-10) : real(1e-5);

/// Up to four points and their weights in the nearest point.
struct Simplex {
  DifferencePoint vertex[4];
  real weight[4];
  int count;
};

/// The weights of the point of a triangle (or of a segment, where a vertex repeats) nearest to the origin.
inline Vec3 nearest_on_triangle(Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 ab = b - a, ac = c - a;
  const real d1 = -dot(ab, a), d2 = -dot(ac, a);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const real d3 = -dot(ab, b), d4 = -dot(ac, b);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const Vec3 normal = cross(ab, ac);
  const real vc = dot(normal, cross(a, b));
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const real t = d1 / (d1 - d3);
    return {1 - t, t, 0};
  }
  const real d5 = -dot(ab, c), d6 = -dot(ac, c);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const real vb = dot(normal, cross(c, a));
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const real t = d2 / (d2 - d6);
    return {1 - t, 0, t};
  }
  const real va = dot(normal, cross(b, c));
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const real t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - t, t};
  }
  const real inverse = 1 / (va + vb + vc);
  return {va * inverse, vb * inverse, vc * inverse};
}

/// Sets the weights of the nearest point and drops vertices without one. False if the origin is inside the tetrahedron.
inline bool reduce_to_nearest(Simplex& simplex) {
  real best = largest_real;
  Vec3 best_weight = {1, 0, 0};
  int best_face = 0;
  bool inside = simplex.count == 4;
  // Face f leaves out vertex f. Fewer than four vertices make one face, whose missing corners repeat the last vertex.
  const int first_face = simplex.count == 4 ? 0 : 3;
  NO_UNROLL for (int face = first_face; face < 4; ++face) {
    int corner[3];
    NO_UNROLL for (int i = 0; i < 3; ++i) corner[i] = min(i + (i >= face ? 1 : 0), simplex.count - 1);
    const Vec3 a = simplex.vertex[corner[0]].point, b = simplex.vertex[corner[1]].point, c = simplex.vertex[corner[2]].point;
    if (simplex.count == 4) {
      const Vec3 normal = cross(b - a, c - a);
      const real side_of_origin = -dot(normal, a), side_of_fourth = dot(normal, simplex.vertex[face].point - a);
      if (side_of_origin * side_of_fourth > 0) continue;
      inside = false;
    }
    const Vec3 weight = nearest_on_triangle(a, b, c);
    const Vec3 nearest = a * weight.x + b * weight.y + c * weight.z;
    const real squared = dot(nearest, nearest);
    if (squared < best) {
      best = squared;
      best_weight = weight;
      best_face = face;
    }
  }
  if (inside) return false;
  int kept = 0;
  const int last = simplex.count - 1;
  NO_UNROLL for (int i = 0; i < 3; ++i) {
    if (!(best_weight[i] > 0)) continue;
    simplex.vertex[kept] = simplex.vertex[min(i + (i >= best_face && last == 3 ? 1 : 0), last)];
    simplex.weight[kept++] = best_weight[i];
  }
  simplex.count = kept;
  return true;
}

/// False if the cores overlap or touch; otherwise fills `gap`. Stops early, with any dist beyond it, once dist > `limit`.
inline bool gjk_distance(const ConvexShape& first, const ConvexShape& second, real limit, ConvexGap& gap) {
  Vec3 v = first.geom.pos - second.geom.pos;
  if (dot(v, v) < square(smallest_length)) v = vec3(1, 0, 0);
  Simplex simplex;
  simplex.vertex[0] = farthest_difference(first, second, -v);
  simplex.weight[0] = 1;
  simplex.count = 1;
  v = simplex.vertex[0].point;
  real squared = dot(v, v), scale = squared;
  NO_UNROLL for (int iteration = 0; iteration < gjk_iteration_limit; ++iteration) {
    if (!(squared > square(gjk_touching) * scale)) return false;
    const DifferencePoint w = farthest_difference(first, second, -v);
    const real bound = dot(v, w.point);
    scale = max(scale, dot(w.point, w.point));
    if (bound > 0 && square(bound) > square(max(limit, real(0))) * squared) {
      gap.dist = bound / square_root(squared);
      return true;
    }
    if (squared - bound <= gjk_tolerance * squared) break;
    const Simplex before = simplex;
    simplex.vertex[simplex.count++] = w;
    if (!reduce_to_nearest(simplex)) return false;
    Vec3 nearest = {0, 0, 0};
    NO_UNROLL for (int i = 0; i < simplex.count; ++i) nearest = add_scaled(nearest, simplex.weight[i], simplex.vertex[i].point);
    const real nearer = dot(nearest, nearest);
    if (!(nearer < squared)) {
      simplex = before;
      break;
    }
    v = nearest;
    squared = nearer;
  }
  if (!(squared > square(gjk_touching) * scale)) return false;
  gap.dist = square_root(squared);
  gap.normal = v * (-1 / gap.dist);
  gap.on_first = {0, 0, 0};
  NO_UNROLL for (int i = 0; i < simplex.count; ++i) {
    gap.on_first = add_scaled(gap.on_first, simplex.weight[i], simplex.vertex[i].on_first);
  }
  gap.on_second = gap.on_first - v;
  return true;
}
