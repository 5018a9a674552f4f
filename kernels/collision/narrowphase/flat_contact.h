// Several contacts where flat parts of two convex shapes lie on each other: faces, or an edge on a face.
//
// MuJoCo's "single-shot" multiple contacts, for capsules, cylinders and boxes. Its choices: the cap of a cylinder is a
// polygon with 16 corners; faces within 5.1 degrees (cosine 0.996) and edges within sine 0.0888 of a face count as flat;
// distances are measured across the face (the second one, of two); of more than four corners, four are kept that span a
// large area. The edge of a capsule or of a cylinder's side is the line nearest to the other shape, an edge of a box must
// hold the nearest points.
#pragma once
#include "collision/narrowphase/clip_polygon.h"
#include "collision/narrowphase/convex_shape.h"

constexpr int cap_corners = 16, flat_corner_limit = 2 * cap_corners;
constexpr real flat_face_cosine = real(0.996), flat_edge_sine = real(0.0888);

/// The flat part of a shape that looks along a direction: a face (three corners or more), an edge (two), or nothing.
struct FlatPart {
  Vec3 normal;  // of a face, outward
  int count;
  Vec3 corner[flat_corner_limit];
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

/// The face of a cylinder or a box that looks along `direction`; count 0 if the shape has none. Corners run clockwise, seen
/// from outside.
inline void face_towards(const ConvexShape& shape, Vec3 direction, FlatPart& part) {
  const Vec3 d = transposed_times(shape.geom.axes, direction), s = shape.geom.size;
  const Vec3 steepness = {absolute(d.x), absolute(d.y), absolute(d.z)};
  const bool box = shape.type == shape_box;
  part.count = 0;
  if (shape.type < shape_cylinder || (!box && steepness.z < real(0.7))) return;
  const int largest = steepness.x >= steepness.y ? (steepness.x >= steepness.z ? 0 : 2) : (steepness.y >= steepness.z ? 1 : 2);
  const int axis = box ? largest : 2, first = axis == 0 ? 2 : 0, second = axis == 1 ? 2 : 1;
  const bool positive = d[axis] > 0;
  part.normal = shape.geom.axis(axis) * (positive ? real(1) : real(-1));
  part.count = box ? 4 : cap_corners;
  NO_UNROLL for (int i = 0; i < part.count; ++i) {
    Vec3 local;
    if (box) {
      const int flipped = (i == 1 || i == 2 ? 1 << first : 0) | (i >= 2 ? 1 << second : 0);
      const int corner = first_box_corner[2 * axis + (positive ? 0 : 1)] ^ flipped;
      local = {corner & 1 ? s.x : -s.x, corner & 2 ? s.y : -s.y, corner & 4 ? s.z : -s.z};
    } else {
      local = cap_corner(positive ? (cap_corners - i) % cap_corners : i) * s.x;
      local.z = positive ? s.y : -s.y;
    }
    part.corner[i] = shape.geom.pos + shape.geom.axes * local;
  }
}

/// The edge that looks along `direction`; count 0 if the shape has none there.
inline void edge_towards(const ConvexShape& shape, Vec3 direction, FlatPart& part) {
  part.count = 0;
  Vec3 along = shape.geom.axis(2) * shape.geom.size.y, middle = shape.geom.pos;
  if (shape.type == shape_capsule) {
    middle = add_scaled(middle, shape.geom.size.x, direction);
  } else if (shape.type == shape_cylinder) {
    const Vec3 axis = shape.geom.axis(2);
    middle = add_scaled(middle, shape.geom.size.x, normalized(add_scaled(direction, -dot(direction, axis), axis)));
  } else {
    const Vec3 d = transposed_times(shape.geom.axes, direction), s = shape.geom.size;
    const Vec3 m = {absolute(d.x), absolute(d.y), absolute(d.z)};
    const int axis = m.x <= m.y && m.x <= m.z ? 0 : (m.y <= m.z ? 1 : 2);
    if (!(m[axis] < real(1e-6))) return;
    const Vec3 local = with(vec3(s.x * sign(d.x), s.y * sign(d.y), s.z * sign(d.z)), axis, 0);
    middle = middle + shape.geom.axes * local;
    along = shape.geom.axis(axis) * s[axis];
  }
  part.count = 2;
  part.corner[0] = middle - along;
  part.corner[1] = middle + along;
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

/// Cuts a flat part to the outline of a face, extended along `along` (the normal of one of the two).
inline void cut_to_outline(FlatPart& part, const FlatPart& face, Vec3 along) {
  const Vec3 start = part.corner[0], edge = part.corner[1] - part.corner[0];
  real entry = 0, exit = 1;
  NO_UNROLL for (int i = 0; i < face.count && part.count > 0; ++i) {
    const Vec3 from = face.corner[i], to = face.corner[i + 1 == face.count ? 0 : i + 1];
    const Vec3 across = cross(from - to, along), outward = dot(along, face.normal) < 0 ? -across : across;
    if (part.count > 2) {
      part.count = clip_polygon(part.corner, part.count, flat_corner_limit, outward, dot(outward, from));
      continue;
    }
    const real outside = dot(outward, start - from), speed = dot(outward, edge);
    if (speed > 0) {
      exit = min(exit, -outside / speed);
    } else if (speed < 0) {
      entry = max(entry, -outside / speed);
    } else if (outside > 0) {
      part.count = 0;
    }
    if (!(entry <= exit)) part.count = 0;
  }
  if (part.count == 2) {
    part.corner[0] = add_scaled(start, entry, edge);
    part.corner[1] = add_scaled(start, exit, edge);
  }
}

/// Contacts at the corners of a flat part that are within the margin of a face; four corners at most.
inline int flat_on_face(FlatPart& part, const FlatPart& face, Vec3 contact_normal, real margin, ContactPoint* contacts) {
  int count = 0;
  NO_UNROLL for (int i = 0; i < part.count; ++i) {
    if (dot(face.normal, part.corner[i] - face.corner[0]) <= margin) part.corner[count++] = part.corner[i];
  }
  if (count > 4) {
    keep_four(part.corner, count, face.normal);
    count = 4;
  }
  NO_UNROLL for (int i = 0; i < count; ++i) {
    const real dist = dot(face.normal, part.corner[i] - face.corner[0]);
    contacts[i] = {add_scaled(part.corner[i], real(-0.5) * dist, face.normal), contact_normal, vec3(0, 0, 0), dist};
  }
  return count;
}

/// Up to four contacts, or none where the shapes do not lie flat on each other. `normal` points from the first to the second.
inline int flat_contacts(const ConvexShape& first, const ConvexShape& second, Vec3 normal, real margin, ContactPoint* contacts) {
  FlatPart part, face;
  face_towards(second, -normal, face);
  face_towards(first, normal, part);
  if (face.count && part.count && dot(face.normal, part.normal) <= -flat_face_cosine) {
    // The second face, seen along the first one's normal, is cut to the first; what is left moves onto the first.
    const FlatPart base = {face.normal, 1, {face.corner[0]}};
    cut_to_outline(face, part, part.normal);
    NO_UNROLL for (int i = 0; i < face.count; ++i) {
      face.corner[i] = add_scaled(face.corner[i], dot(part.normal, part.corner[0] - face.corner[i]), part.normal);
    }
    return flat_on_face(face, base, -base.normal, margin, contacts);
  }
  NO_UNROLL for (int swap = 0; swap < 2; ++swap) {
    const ConvexShape& flat = swap ? first : second;
    const Vec3 outward = swap ? normal : -normal;
    face_towards(flat, outward, face);
    if (face.count == 0) continue;
    edge_towards(swap ? second : first, -outward, part);
    if (part.count == 0) continue;
    const Vec3 along = normalized(part.corner[1] - part.corner[0]);
    if (absolute(dot(along, face.normal)) > flat_edge_sine) continue;
    cut_to_outline(part, face, face.normal);
    return flat_on_face(part, face, swap ? face.normal : -face.normal, margin, contacts);
  }
  return 0;
}
