// Several contacts where flat parts of two convex shapes lie on each other: faces, or an edge on a face.
//
// MuJoCo's "single-shot" multiple contacts, for capsules, cylinders and boxes. Its choices: the cap of a cylinder is a
// polygon with 16 corners; faces within 5.1 degrees (cosine 0.996) and edges within sine 0.0888 of a face count as flat;
// distances are measured across the face (the second one, of two); of more than four corners, four are kept that span a
// large area. The edge of a capsule or of a cylinder's side is the line nearest to the other shape; an edge of the second
// shape must hold the nearest points.
//
// We leave MuJoCo where it lays contacts on a face far off the contact's normal, next to an edge of a box or a rim: they
// are then much deeper, or less deep, than the shapes overlap. We want the face to look along the normal.
#pragma once
#include "collision/narrowphase/clip_polygon.h"
#include "collision/narrowphase/convex_shape.h"

constexpr int cap_corners = 16, flat_corner_limit = 2 * cap_corners;
/// A cap within 45 degrees of the contact's normal faces the other shape, the face of a box within 14. (MuJoCo's limits are
/// wider.)
constexpr real cap_facing_cosine = real(0.7), box_facing_cosine = real(0.97);
constexpr real flat_face_cosine = real(0.996), flat_edge_sine = real(0.0888);
/// The contact's normal is this square to an edge that holds the nearest points.
constexpr real held_edge_sine = sizeof(real) == 8 ? real(1e-6) : real(1e-4);

/// A face, or what is left of it: its outward normal, and its corners clockwise as seen from outside.
struct FlatFace {
  Vec3 normal;
  int count;
  Vec3 corner[flat_corner_limit];
};
struct FlatEdge {
  Vec3 from, to;
  real inflation;  // by which the edge is nearer than its shape
};

constexpr real cosines_of_16[5] = {real(1), real(0.92387953251128673848), real(0.70710678118654757), real(0.38268343236508978),
                                   real(0)};
/// Where MuJoCo's list of a box face's corners begins: bit i is set where axis i is positive. Faces: +x -x +y -y +z -z.
constexpr int first_box_corner[6] = {7, 2, 2, 4, 6, 3};

/// Corner k of the cap of a cylinder with unit radius, counterclockwise about its axis.
INLINE Vec3 cap_corner(int k) {
  const int quarter = k >> 2, step = k & 3;
  const real a = cosines_of_16[step], b = cosines_of_16[4 - step];
  const real x = quarter & 1 ? -b : a, y = quarter & 1 ? a : b;
  return quarter & 2 ? vec3(-x, -y, 0) : vec3(x, y, 0);
}

/// The face of a cylinder or a box that looks along `direction`; false if the shape has none.
NOINLINE bool face_towards(const ConvexShape& shape, Vec3 direction, FlatFace& face) {
  const Vec3 d = transposed_times(shape.geom.axes, direction), s = shape.geom.size;
  const bool box = shape.type == shape_box;
  if (shape.type < shape_cylinder) return false;
  const int axis = box ? largest_axis(absolute(d)) : 2, first = axis == 0 ? 2 : 0, second = axis == 1 ? 2 : 1;
  if (absolute(d[axis]) < (box ? box_facing_cosine : cap_facing_cosine)) return false;
  const bool positive = d[axis] > 0;
  face.normal = shape.geom.axis(axis) * (positive ? real(1) : real(-1));
  face.count = box ? 4 : cap_corners;
  NO_UNROLL for (int i = 0; i < face.count; ++i) {
    Vec3 local;
    if (box) {
      const int flipped = (i == 1 || i == 2 ? 1 << first : 0) | (i >= 2 ? 1 << second : 0);
      const int corner = first_box_corner[2 * axis + (positive ? 0 : 1)] ^ flipped;
      local = {corner & 1 ? s.x : -s.x, corner & 2 ? s.y : -s.y, corner & 4 ? s.z : -s.z};
    } else {
      local = cap_corner(positive ? (cap_corners - i) % cap_corners : i) * s.x;
      local.z = positive ? s.y : -s.y;
    }
    face.corner[i] = shape.geom.pos + shape.geom.axes * local;
  }
  return true;
}

/// The edge that looks along `direction`; false if the shape has none there. MuJoCo inflates a capsule, and only that, by
/// half the margin; on a tilted capsule it shows.
inline bool edge_towards(const ConvexShape& shape, Vec3 direction, real inflation, FlatEdge& edge) {
  const Vec3 s = shape.geom.size;
  Vec3 middle, half;
  if (shape.type == shape_box) {
    const Vec3 d = transposed_times(shape.geom.axes, direction);
    const Vec3 m = absolute(d);
    const int axis = largest_axis(-m);
    const real second_smallest = max(min(m.x, m.y), min(max(m.x, m.y), m.z));
    if (!(m[axis] < held_edge_sine) || second_smallest < held_edge_sine) return false;  // a face, not an edge, looks there
    middle = shape.geom.axes * with(vec3(s.x * sign(d.x), s.y * sign(d.y), s.z * sign(d.z)), axis, 0);
    half = shape.geom.axis(axis) * s[axis];
  } else {
    const Vec3 axis = shape.geom.axis(2);
    const Vec3 across = add_scaled(direction, -dot(direction, axis), axis);
    middle = shape.type == shape_capsule ? across * (s.x + inflation) : normalized(across) * s.x;
    half = axis * s.y;
  }
  edge = {shape.geom.pos + middle - half, shape.geom.pos + middle + half, shape.type == shape_capsule ? inflation : real(0)};
  return true;
}

/// Moves four corners that span a large area to the front. Every corner in turn is the first of them; the fourth advances
/// while that makes the area grow, after each such step the third, and after each of its steps the second.
inline void keep_four(Vec3* corner, int count, Vec3 normal) {
  int best[4] = {0, 1, 2, 3}, trial[4] = {0, 1, 2, 3};
  real largest = -1;
  NO_UNROLL for (int first = 0; first < count; ++first) {
    trial[0] = first;
    int moving = 4;  // 4: nobody; the first trial of all is measured as it stands
    NO_UNROLL for (int step = 0; step < 4 * flat_corner_limit; ++step) {
      int q[4] = {trial[0], trial[1], trial[2], trial[3]};
      if (moving < 4) q[moving] = q[moving] + 1 == count ? 0 : q[moving] + 1;
      const Vec3 diagonals = cross(corner[q[2]] - corner[q[0]], corner[q[3]] - corner[q[1]]);
      const real area = absolute(dot(diagonals, normal));
      const bool grows = area > largest && (moving < 4 || first == 0);
      if (grows) {
        largest = area;
        NO_UNROLL for (int i = 0; i < 4; ++i) best[i] = trial[i] = q[i];
      }
      if (moving == 4) {
        moving = 3;
      } else if (grows) {
        moving = max(moving - 1, 1);
      } else if (++moving == 4) {
        break;
      }
    }
    NO_UNROLL for (int i = 1; i < 4 && trial[i] == trial[i - 1]; ++i) trial[i] = trial[i] + 1 == count ? 0 : trial[i] + 1;
  }
  const Vec3 kept[4] = {corner[best[0]], corner[best[1]], corner[best[2]], corner[best[3]]};
  NO_UNROLL for (int i = 0; i < 4; ++i) corner[i] = kept[i];
}

/// The contact of a point that lies `dist` over a face.
INLINE ContactPoint contact_over_face(Vec3 point, const FlatFace& face, Vec3 contact_normal, real dist) {
  return {add_scaled(point, real(-0.5) * dist, face.normal), contact_normal, vec3(0, 0, 0), dist};
}

/// The stretch of an edge that is over a face; a contact at each of its ends that is within the margin.
inline int edge_on_face(const FlatEdge& edge, const FlatFace& face, Vec3 contact_normal, real margin, ContactPoint* contacts) {
  const Vec3 along = edge.to - edge.from;
  real reach[2] = {0, 1};
  NO_UNROLL for (int i = 0; i < face.count; ++i) {
    const Vec3 corner = face.corner[i], next = face.corner[i + 1 == face.count ? 0 : i + 1];
    const Vec3 outward = cross(corner - next, face.normal);
    const real outside = dot(outward, edge.from - corner), speed = dot(outward, along);
    if (speed > 0) {
      reach[1] = min(reach[1], -outside / speed);
    } else if (speed < 0) {
      reach[0] = max(reach[0], -outside / speed);
    } else if (outside > 0) {
      return 0;
    }
  }
  if (!(reach[0] <= reach[1])) return 0;
  int count = 0;
  NO_UNROLL for (int end = 0; end < 2; ++end) {
    const Vec3 point = add_scaled(add_scaled(edge.from, reach[end], along), edge.inflation, face.normal);
    const real dist = dot(face.normal, point - face.corner[0]);
    if (!(dist <= margin)) continue;
    contacts[count++] = contact_over_face(point, face, contact_normal, dist);
    // MuJoCo cuts an edge as a polygon of two sides: a new end comes up twice, and shows where the other end is too high.
    if (reach[end] != end) contacts[count] = contacts[count - 1], ++count;
  }
  if (count > 2) contacts[1] = contacts[count - 1];
  return min(count, 2);
}

/// The second face, seen along the first one's normal, cut to the first; contacts at the corners of what is left, moved
/// onto the first, where they are within the margin of it. At most four.
inline int face_on_face(const FlatFace& first, FlatFace& second, real margin, ContactPoint* contacts) {
  const Vec3 on_second = second.corner[0];
  NO_UNROLL for (int i = 0; i < first.count; ++i) {
    const Vec3 corner = first.corner[i], next = first.corner[i + 1 == first.count ? 0 : i + 1];
    const Vec3 outward = cross(corner - next, first.normal);
    second.count = clip_polygon(second.corner, second.count, flat_corner_limit, outward, dot(outward, corner));
  }
  int count = 0;
  NO_UNROLL for (int i = 0; i < second.count; ++i) {
    const Vec3 corner = second.corner[i];
    const real height = dot(first.normal, corner - first.corner[0]);
    if (height <= margin) second.corner[count++] = add_scaled(corner, -height, first.normal);
  }
  if (count > 4) {
    keep_four(second.corner, count, first.normal);
    count = 4;
  }
  NO_UNROLL for (int i = 0; i < count; ++i) {
    const real dist = dot(second.normal, second.corner[i] - on_second);
    contacts[i] = contact_over_face(second.corner[i], second, -second.normal, dist);
  }
  return count;
}

/// Up to four contacts, or none where the shapes do not lie flat on each other. `normal` points from the first to the second.
NOINLINE int flat_contacts(const ConvexShape& first, const ConvexShape& second, Vec3 normal, real margin,
                              ContactPoint* contacts) {
  FlatFace face1, face2;
  const bool has_face1 = face_towards(first, normal, face1), has_face2 = face_towards(second, -normal, face2);
  if (has_face1 && has_face2 && dot(face1.normal, face2.normal) <= -flat_face_cosine) {
    return face_on_face(face1, face2, margin, contacts);
  }
  NO_UNROLL for (int swap = 0; swap < 2; ++swap) {
    if (!(swap ? has_face1 : has_face2)) continue;
    const FlatFace& face = swap ? face1 : face2;
    FlatEdge edge;
    if (!edge_towards(swap ? second : first, swap ? -normal : normal, real(0.5) * margin, edge)) continue;
    const Vec3 along = normalized(edge.to - edge.from);
    if (absolute(dot(along, face.normal)) > flat_edge_sine) continue;
    if (swap && !(absolute(dot(along, normal)) < held_edge_sine)) continue;
    return edge_on_face(edge, face, swap ? face.normal : -face.normal, margin, contacts);
  }
  return 0;
}
