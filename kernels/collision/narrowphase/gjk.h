// The distance of two convex cores (Gilbert, Johnson and Keerthi).
//
// van den Bergen, Collision Detection in Interactive 3D Environments (2003), section 4.3. The cores are apart by
// |v|, v being the point of their difference nearest to the origin; v . w, with w the farthest point against v, bounds |v|^2
// from below, and once it has been positive no flat tetrahedron may claim to hold the origin.
#pragma once
#include "collision/narrowphase/convex_shape.h"

constexpr int gjk_iteration_limit = 80;
/// The search ends when the bounds of the squared distance agree to this part of it.
constexpr real gjk_tolerance = sizeof(real) == 8 ? real(1e-14) : real(1e-6);
/// Cores nearer than this part of their size count as overlapping.
constexpr real gjk_touching = sizeof(real) == 8 ? real(1e-10) : real(1e-5);

/// A triangle with a smaller squared sine is its edges: its normal is rounding noise.
constexpr real thin_triangle = sizeof(real) == 8 ? real(1e-28) : real(1e-11);

/// Up to four points and their weights in the nearest point.
struct Simplex {
  DifferencePoint vertex[4];
  real weight[4];
  int count;
};

/// The weights of the point of a triangle nearest to the origin, in its interior or on one of its edges. They are never
/// negative and add up to one, so that rounding, in thin triangles, can give a farther point but not one outside.
NOINLINE Vec3 nearest_on_triangle(Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 ab = b - a, ac = c - a, normal = cross(ab, ac);
  const Vec3 area = {dot(normal, cross(b, c)), dot(normal, cross(c, a)), dot(normal, cross(a, b))};
  const bool flat = !(dot(normal, normal) > thin_triangle * dot(ab, ab) * dot(ac, ac));
  if (!flat && area.x > 0 && area.y > 0 && area.z > 0) return area * (1 / (area.x + area.y + area.z));
  const Vec3 corner[3] = {a, b, c};
  Vec3 best_weight = {1, 0, 0};
  real best = largest_real;
  NO_UNROLL for (int i = 0; i < 3; ++i) {
    const int next = i == 2 ? 0 : i + 1;
    const Vec3 edge = corner[next] - corner[i];
    const real towards = -dot(edge, corner[i]), squared = dot(edge, edge);
    const real t = towards > 0 ? (towards < squared ? towards / squared : real(1)) : real(0);
    const Vec3 nearest = add_scaled(corner[i], t, edge);
    if (!(dot(nearest, nearest) < best)) continue;
    best = dot(nearest, nearest);
    best_weight = with(with(vec3(0, 0, 0), i, 1 - t), next, t);
  }
  return best_weight;
}

/// Sets the weights of the nearest point and drops vertices without one. False if the origin is inside the tetrahedron.
/// All four faces are tried, not only those that see the origin: in a flat tetrahedron that is a question of rounding.
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
      inside = inside && side_of_origin * side_of_fourth > 0;
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
NOINLINE bool gjk_distance(const ConvexShape& first, const ConvexShape& second, real limit, ConvexGap& gap) {
  Vec3 v = first.geom.pos - second.geom.pos;
  if (dot(v, v) < square(smallest_length)) v = vec3(1, 0, 0);
  Simplex simplex = {};
  simplex.vertex[0] = farthest_difference(first, second, -v);
  simplex.weight[0] = 1;
  simplex.count = 1;
  v = simplex.vertex[0].point;
  real squared = dot(v, v), scale = dot(first.geom.size, first.geom.size) + dot(second.geom.size, second.geom.size);
  bool apart = false;
  NO_UNROLL for (int iteration = 0; iteration < gjk_iteration_limit; ++iteration) {
    if (!(squared > square(gjk_touching) * scale)) return false;
    const DifferencePoint w = farthest_difference(first, second, v * (-1 / square_root(squared)));
    const real bound = dot(v, w.point);
    scale = max(scale, dot(w.point, w.point));
    if (bound > 0 && square(bound) > square(max(limit, real(0))) * squared) {
      gap.dist = bound / square_root(squared);
      return true;
    }
    apart = apart || (bound > 0 && square(bound) > square(gjk_touching) * scale * squared);
    if (squared - bound <= gjk_tolerance * squared) break;
    const Simplex before = simplex;
    simplex.vertex[simplex.count++] = w;
    if (!reduce_to_nearest(simplex)) {
      if (!apart) return false;
      simplex = before;
      break;
    }
    Vec3 nearest = {0, 0, 0};
    NO_UNROLL for (int i = 0; i < simplex.count; ++i) {
      nearest = add_scaled(nearest, simplex.weight[i], simplex.vertex[i].point);
    }
    const real nearer = dot(nearest, nearest);
    if (!(nearer < squared)) {
      simplex = before;
      break;
    }
    v = nearest;
    squared = nearer;
  }
  if (!apart || !(squared > square(gjk_touching) * scale)) return false;
  gap.dist = square_root(squared);
  gap.normal = v * (-1 / gap.dist);
  gap.on_first = {0, 0, 0};
  NO_UNROLL for (int i = 0; i < simplex.count; ++i) {
    gap.on_first = add_scaled(gap.on_first, simplex.weight[i], simplex.vertex[i].on_first);
  }
  gap.on_second = gap.on_first - v;
  return true;
}
