// Two boxes: up to eight contacts of a face with a face, or one of an edge with an edge.
//
// Separating axis test over 15 axes, then the face that opposes the reference face is clipped to it.
// Ericson, Real-Time Collision Detection (2005), sections 4.4.1 and 8.3.4 (Sutherland and Hodgman). Choices that
// MuJoCo makes and we reproduce: the first axis wins a tie; an edge pair whose normal is within 8 degrees (cosine 0.99) of
// the best face's must beat it by 5 % of its depth, because the face gives a steadier set of contacts.
#pragma once
#include "collision/narrowphase/clip_polygon.h"
#include "collision/narrowphase/contact_point.h"

/// The separation of the boxes along one axis: unit, in box 1's frame, from box 1 to box 2.
struct BoxAxis {
  real separation;
  Vec3 normal;
  int feature1, feature2;  // the axes of the boxes that make it; -1 where only the other box has a part in it
};

/// The corner of a box farthest along a direction, both in the box's frame.
INLINE Vec3 box_corner(Vec3 size, Vec3 direction) {
  return {size.x * sign(direction.x), size.y * sign(direction.y), size.z * sign(direction.z)};
}

/// Box 2 in the frame of box 1.
struct BoxPair {
  Vec3 size1, size2, pos2;
  Mat3 axes2;
  NOINLINE BoxAxis along(Vec3 axis, int feature1, int feature2) const {
    const real offset = dot(axis, pos2);
    const real reach = dot(size1, absolute(axis)) + dot(size2, absolute(transposed_times(axes2, axis)));
    return {absolute(offset) - reach, axis * sign(offset), feature1, feature2};
  }
};

constexpr real parallel_edges_sine = sizeof(real) == 8 ? real(1e-6) : real(1e-3);
/// An edge pair beats a face by this part of its depth and, in float, by this part of the boxes' size: noise that would turn
/// the four contacts of a resting box into one.
constexpr real edge_handicap = real(1e-6), edge_handicap_of_size = sizeof(real) == 8 ? real(0) : real(1e-6);
/// Corners of the clipped face nearer than this part of the reference face's half diagonal are one contact.
constexpr real coincident_corners = sizeof(real) == 8 ? real(1e-7) : real(1e-6);

INLINE BoxAxis best_box_face(const BoxPair& pair) {
  BoxAxis best = {-largest_real, {0, 0, 0}, -1, -1};
  NO_UNROLL for (int i = 0; i < 6; ++i) {
    const BoxAxis face = i < 3 ? pair.along(unit_axis(i), i, -1) : pair.along(pair.axes2.column(i - 3), -1, i - 3);
    if (face.separation > best.separation) best = face;
  }
  return best;
}

INLINE BoxAxis best_box_edges(const BoxPair& pair) {
  BoxAxis best = {-largest_real, {0, 0, 0}, -1, -1};
  NO_UNROLL for (int i = 0; i < 9; ++i) {
    const int edge1 = i / 3, edge2 = i % 3;
    const Vec3 across = cross(unit_axis(edge1), pair.axes2.column(edge2));
    const real sine = length(across);
    if (sine < parallel_edges_sine) continue;
    const BoxAxis edges = pair.along(across * (1 / sine), edge1, edge2);
    if (edges.separation > best.separation) best = edges;
  }
  return best;
}

/// Contacts of the face of `reference` that looks along `normal` (its axis number `axis`) with the opposing face of `other`.
/// `flip` says that the reference is the second box.
inline int box_face_contacts(const Geom& reference, const Geom& other, int axis, Vec3 normal, bool flip, real margin,
                             ContactPoint* contacts) {
  const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
  const Vec3 axis_u = reference.axis(u), axis_v = reference.axis(v);
  const Vec3 origin = add_scaled(reference.pos, reference.size[axis], normal);
  const Vec3 facing = transposed_times(other.axes, normal);
  const int opposing = largest_axis(absolute(facing));
  const int s = opposing == 0 ? 1 : 0, t = opposing == 2 ? 1 : 2;
  Vec3 polygon[8];  // u, v, and the height over the reference face
  NO_UNROLL for (int i = 0; i < 4; ++i) {
    Vec3 corner = with(other.size, opposing, -other.size[opposing] * sign(facing[opposing]));
    if (i == 1 || i == 2) corner = with(corner, s, -corner[s]);
    if (i >= 2) corner = with(corner, t, -corner[t]);
    const Vec3 offset = other.pos + other.axes * corner - origin;
    polygon[i] = {dot(axis_u, offset), dot(axis_v, offset), dot(normal, offset)};
  }
  const real half_u = reference.size[u], half_v = reference.size[v];
  const real same_point = square(coincident_corners) * fused(half_u, half_u, half_v * half_v);
  int corner_count = 4;
  NO_UNROLL for (int side = 0; side < 4; ++side) {
    const real direction = side & 1 ? real(-1) : real(1);
    const Vec3 outward = side < 2 ? vec3(direction, 0, 0) : vec3(0, direction, 0);
    corner_count = clip_polygon(polygon, corner_count, 8, outward, side < 2 ? half_u : half_v);
  }
  int count = 0, kept = 0;
  NO_UNROLL for (int i = 0; i < corner_count; ++i) {
    const Vec3 p = polygon[i];
    bool repeated = false;
    NO_UNROLL for (int j = 0; j < kept; ++j) repeated = repeated || dot(p - polygon[j], p - polygon[j]) < same_point;
    if (repeated) continue;
    polygon[kept++] = p;
    if (!(p.z <= margin)) continue;
    const Vec3 pos = add_scaled(add_scaled(add_scaled(origin, p.x, axis_u), p.y, axis_v), real(0.5) * p.z, normal);
    contacts[count++] = {pos, flip ? -normal : normal, vec3(0, 0, 0), p.z};
  }
  return count;
}

/// The contact midway between the two edges that support the boxes along `normal`. Boxes that
/// are apart can support along parts of the edges' lines beyond their ends: the position keeps to the edges.
inline ContactPoint box_edge_contact(const Geom& box1, const Geom& box2, const BoxAxis& edges, Vec3 normal) {
  const Vec3 along1 = box1.axis(edges.feature1), along2 = box2.axis(edges.feature2);
  const Vec3 local1 = box_corner(box1.size, transposed_times(box1.axes, normal));
  const Vec3 local2 = box_corner(box2.size, transposed_times(box2.axes, -normal));
  const Vec3 middle1 = box1.pos + box1.axes * with(local1, edges.feature1, 0);
  const Vec3 middle2 = box2.pos + box2.axes * with(local2, edges.feature2, 0);
  const real half1 = box1.size[edges.feature1], half2 = box2.size[edges.feature2];
  const Vec3 across = cross(along1, along2), between = middle2 - middle1;
  real t1 = clamp(dot(cross(between, along2), across) / dot(across, across), -half1, half1);
  const real wanted2 = dot(along2, add_scaled(-between, t1, along1)), t2 = clamp(wanted2, -half2, half2);
  if (t2 != wanted2) t1 = clamp(dot(along1, add_scaled(between, t2, along2)), -half1, half1);
  const Vec3 point1 = add_scaled(middle1, t1, along1), point2 = add_scaled(middle2, t2, along2);
  return {(point1 + point2) * real(0.5), normal, vec3(0, 0, 0), edges.separation};
}

inline int box_box(const Geom& box1, const Geom& box2, real margin, ContactPoint* contacts) {
  const BoxPair pair = {box1.size, box2.size, transposed_times(box1.axes, box2.pos - box1.pos),
                        transposed(box1.axes) * box2.axes};
  const BoxAxis face = best_box_face(pair);
  if (!(face.separation <= margin)) return 0;
  const BoxAxis edges = best_box_edges(pair);
  if (edges.separation > margin) return 0;
  const bool alike = absolute(dot(edges.normal, face.normal)) > real(0.99) &&
                     edges.separation <= fused(real(0.05), absolute(face.separation), face.separation);
  const real handicap = fused(edge_handicap, absolute(edges.separation),
                              edge_handicap_of_size * length(box1.size + box2.size));
  if (!(edges.separation > face.separation + handicap) || alike) {
    const bool flip = face.feature1 < 0;
    const Vec3 normal = box1.axes * (flip ? -face.normal : face.normal);
    const int axis = flip ? face.feature2 : face.feature1;
    return box_face_contacts(flip ? box2 : box1, flip ? box1 : box2, axis, normal, flip, margin, contacts);
  }
  contacts[0] = box_edge_contact(box1, box2, edges, box1.axes * edges.normal);
  return 1;
}
