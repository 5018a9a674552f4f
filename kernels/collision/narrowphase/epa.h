// How deep two convex cores overlap (the expanding polytope algorithm).
//
// van den Bergen, Collision Detection in Interactive 3D Environments (2003), section 4.3.8. A polytope inside the cores'
// difference grows where its faces come nearest to the origin. We differ in two points. The first tetrahedron is spanned by
// four far points and need not hold the origin: distances of faces are signed, and a negative one grows first. And the
// answer is the best of all supporting planes seen, h(n) = n . farthest(n): moving the second shape by h(n) along n parts
// the shapes whatever became of the polytope, so rounding can cost accuracy but never a contact.
#pragma once
#include "collision/narrowphase/convex_shape.h"

constexpr int epa_vertex_limit = sizeof(real) == 8 ? 100 : 40;
constexpr int epa_face_limit = 2 * epa_vertex_limit;
/// The search ends when a face is this part of the polytope's size from its supporting plane.
constexpr real epa_tolerance = sizeof(real) == 8 ? real(1e-10) : real(1e-6);

struct EpaFace {
  Vec3 normal;
  real offset;
  uint8_t vertex[3];
};

struct Polytope {
  DifferencePoint vertex[epa_vertex_limit];
  EpaFace face[epa_face_limit];
  int vertex_count, face_count;
  Vec3 inside;

  NOINLINE void add_face(int a, int b, int c) {
    if (face_count == epa_face_limit) return;
    const Vec3 pa = vertex[a].point, pb = vertex[b].point, pc = vertex[c].point;
    const Vec3 across = cross(pb - pa, pc - pa);
    const real area = length(across);
    EpaFace& face_ = face[face_count++];
    face_.vertex[0] = uint8_t(a), face_.vertex[1] = uint8_t(b), face_.vertex[2] = uint8_t(c);
    face_.normal = across * (area > 0 ? 1 / area : real(0));
    if (dot(face_.normal, pa - inside) < 0) {
      face_.normal = -face_.normal;
      face_.vertex[1] = uint8_t(c), face_.vertex[2] = uint8_t(b);
    }
    face_.offset = area > 0 ? dot(face_.normal, pa) : largest_real;  // a sliver never grows
  }
};

/// Four points of the difference that span a tetrahedron.
inline void span_tetrahedron(const ConvexShape& first, const ConvexShape& second, Polytope& polytope) {
  Vec3 direction = second.geom.pos - first.geom.pos;
  if (dot(direction, direction) < square(smallest_length)) direction = vec3(1, 0, 0);
  Vec3 edge = {0, 0, 0}, origin = {0, 0, 0};
  NO_UNROLL for (int i = 0; i < 4; ++i) {
    if (i == 2) {  // across the edge, towards the origin where that is a direction
      edge = polytope.vertex[1].point - origin;
      direction = add_scaled(-origin, dot(origin, edge) / dot(edge, edge), edge);
      if (dot(direction, direction) < real(1e-6) * dot(edge, edge)) {
        direction = cross(edge, absolute(edge.x) < absolute(edge.y) ? vec3(1, 0, 0) : vec3(0, 1, 0));
      }
    } else if (i == 3) {
      direction = cross(edge, polytope.vertex[2].point - origin);
      if (dot(direction, origin) > 0) direction = -direction;
    }
    DifferencePoint far = farthest_difference(first, second, i == 1 ? -direction : direction);
    if (i >= 2) {
      const DifferencePoint other = farthest_difference(first, second, -direction);
      if (absolute(dot(direction, other.point - origin)) > 2 * absolute(dot(direction, far.point - origin))) far = other;
    }
    polytope.vertex[i] = far;
    if (i == 0) origin = far.point;
  }
  polytope.vertex_count = 4;
  polytope.face_count = 0;
  polytope.inside = {0, 0, 0};
  NO_UNROLL for (int i = 0; i < 4; ++i) polytope.inside = add_scaled(polytope.inside, real(0.25), polytope.vertex[i].point);
  NO_UNROLL for (int i = 0; i < 4; ++i) polytope.add_face(i == 0 ? 1 : 0, i <= 1 ? 2 : 1, i <= 2 ? 3 : 2);
}

/// Replaces the faces that see the newest vertex by a cone over their rim.
inline void grow(Polytope& polytope, real tolerance) {
  const int newest = polytope.vertex_count - 1;
  const Vec3 point = polytope.vertex[newest].point;
  uint8_t rim[epa_face_limit][2];
  int rim_count = 0, kept = 0;
  NO_UNROLL for (int f = 0; f < polytope.face_count; ++f) {
    const EpaFace face = polytope.face[f];
    const real height = dot(face.normal, point - polytope.vertex[face.vertex[0]].point);
    if (!(height > tolerance)) {
      polytope.face[kept++] = face;
      continue;
    }
    NO_UNROLL for (int i = 0; i < 3; ++i) {
      const uint8_t a = face.vertex[i], b = face.vertex[i == 2 ? 0 : i + 1];
      int twin = -1;
      NO_UNROLL for (int e = 0; e < rim_count; ++e) {
        if (rim[e][0] == b && rim[e][1] == a) twin = e;
      }
      if (twin >= 0) {
        --rim_count;
        rim[twin][0] = rim[rim_count][0], rim[twin][1] = rim[rim_count][1];
      } else if (rim_count < epa_face_limit) {
        rim[rim_count][0] = a, rim[rim_count][1] = b;
        ++rim_count;
      }
    }
  }
  polytope.face_count = kept;
  NO_UNROLL for (int e = 0; e < rim_count; ++e) polytope.add_face(rim[e][0], rim[e][1], newest);
}

/// Sets the gap of overlapping cores. At least one of them must have a volume.
NOINLINE void epa_depth(const ConvexShape& first, const ConvexShape& second, ConvexGap& gap) {
  Polytope polytope;
  span_tetrahedron(first, second, polytope);
  const real size = length(polytope.vertex[0].point - polytope.vertex[1].point), tolerance = epa_tolerance * size;
  real best = largest_real;
  Vec3 best_normal = {0, 0, 1}, best_on_first = first.geom.pos;
  NO_UNROLL for (int iteration = 0; iteration < epa_vertex_limit; ++iteration) {
    int lowest = 0;
    NO_UNROLL for (int f = 1; f < polytope.face_count; ++f) {
      if (polytope.face[f].offset < polytope.face[lowest].offset) lowest = f;
    }
    const EpaFace face = polytope.face[lowest];
    if (polytope.face_count == 0 || !(face.offset < best)) break;
    const DifferencePoint w = farthest_difference(first, second, face.normal);
    const real height = dot(face.normal, w.point);
    if (height < best) {
      best = height;
      best_normal = face.normal;
      const Vec3 a = polytope.vertex[face.vertex[0]].point, b = polytope.vertex[face.vertex[1]].point,
                 c = polytope.vertex[face.vertex[2]].point, p = face.normal * face.offset;
      const real wa = dot(face.normal, cross(b - p, c - p)), wb = dot(face.normal, cross(c - p, a - p)),
                 wc = dot(face.normal, cross(a - p, b - p)), sum = wa + wb + wc;
      best_on_first = (polytope.vertex[face.vertex[0]].on_first * wa + polytope.vertex[face.vertex[1]].on_first * wb +
                       polytope.vertex[face.vertex[2]].on_first * wc) * (1 / sum);
    }
    if (height - face.offset <= tolerance || polytope.vertex_count == epa_vertex_limit) break;
    polytope.vertex[polytope.vertex_count++] = w;
    grow(polytope, real(0.01) * tolerance);
  }
  gap = {-best, best_normal, best_on_first, add_scaled(best_on_first, -best, best_normal)};
}
