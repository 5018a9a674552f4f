// A capsule and a box: one or two balls of the capsule against the box.
//
// The first ball sits where the capsule's segment comes nearest to the box. The second reproduces MuJoCo's choice, which
// keeps a capsule that lies along a face or an edge from rocking: from the first ball the segment is followed to where it
// leaves the box, in a direction that depends on the nearest feature of the box:
//   face   (an end of the segment is above it)  towards the other end
//   edge   towards the inside, if one of the two coordinates across the edge goes inwards and the other outwards
//   corner if the segment runs along an edge, along that edge; if along a face, over that face
// All of it happens in the box's frame, where a coordinate goes inwards when it moves against the sign of the feature.
#pragma once
#include "collision/narrowphase/sphere_box.h"

/// The capsule's segment in the box's frame: centre + along * axis, |along| <= half.
struct BoxedSegment {
  Vec3 centre, axis;
  real half;
  INLINE Vec3 at(real along) const { return add_scaled(centre, along, axis); }
};

/// The nearest feature of the box. `side` is -1, 0 or 1 in each coordinate: all zero inside, one set for a face, two for an
/// edge, three for a corner.
struct NearestFeature {
  real squared_distance, along;
  Vec3 point, side;
};

/// Ends of the segment that are inside the box or above a face.
inline void nearest_by_end(const BoxedSegment& segment, Vec3 size, NearestFeature& nearest) {
  NO_UNROLL for (int end = -1; end <= 1; end += 2) {
    const Vec3 p = segment.at(end * segment.half);
    Vec3 point = p, side = {0, 0, 0};
    int outside = 0;
    NO_UNROLL for (int i = 0; i < 3; ++i) {
      if (absolute(p[i]) <= size[i]) continue;
      ++outside;
      side = with(side, i, sign(p[i]));
      point = with(point, i, size[i] * sign(p[i]));
    }
    const Vec3 gap = point - p;
    const real squared_distance = dot(gap, gap);
    if (outside > 1 || !(squared_distance < nearest.squared_distance)) continue;
    nearest = {squared_distance, end * segment.half, point, side};
  }
}

/// The segment against the twelve edges. As in MuJoCo, an edge whose line comes nearest beyond one of its corners counts as
/// that corner, even if the end of the segment moves the nearest point back between the corners.
inline void nearest_by_edge(const BoxedSegment& segment, Vec3 size, NearestFeature& nearest) {
  NO_UNROLL for (int edge = 0; edge < 12; ++edge) {
    const int j = edge >> 2, k = j == 0 ? 1 : 0, l = j == 2 ? 1 : 2;
    Vec3 side = {0, 0, 0};
    side = with(side, k, edge & 1 ? real(1) : real(-1));
    side = with(side, l, edge & 2 ? real(1) : real(-1));
    const Vec3 corner = {side.x * size.x, side.y * size.y, side.z * size.z};  // the middle of the edge
    const Vec3 to_edge = corner - segment.centre;
    const real ak = segment.axis[k], al = segment.axis[l], aj = segment.axis[j];
    const real sine_squared = fused(ak, ak, al * al);
    if (sine_squared * square(size[j] * segment.half) < smallest_length) continue;
    const real free_along = fused(to_edge[k], ak, to_edge[l] * al) / sine_squared;
    const real free_on_edge = fused(free_along, aj, segment.centre[j]);
    real on_edge = clamp(free_on_edge, -size[j], size[j]), along = free_along;
    if (on_edge != free_on_edge) side = with(side, j, sign(free_on_edge));
    if (on_edge != free_on_edge) along = fused(on_edge, aj, dot(to_edge, segment.axis));
    if (absolute(along) > segment.half) {
      along = segment.half * sign(along);
      on_edge = clamp(fused(along, aj, segment.centre[j]), -size[j], size[j]);
    }
    const Vec3 point = with(corner, j, on_edge), gap = point - segment.at(along);
    const real squared_distance = dot(gap, gap);
    if (!(squared_distance < nearest.squared_distance - smallest_length)) continue;
    if (absolute(on_edge) >= size[j]) side = with(side, j, sign(on_edge));
    nearest = {squared_distance, along, point, side};
  }
}

/// Whether there is a second ball, and where on the segment. It can coincide with the first.
inline bool second_ball(const BoxedSegment& segment, Vec3 size, const NearestFeature& nearest, real& along) {
  const Vec3 axis = segment.axis, side = nearest.side;
  int set = 0, inwards = 0, outwards = 0, first_inwards = 0, first_outwards = 0;
  NO_UNROLL for (int i = 2; i >= 0; --i) {
    if (side[i] == 0) continue;
    ++set;
    if ((axis[i] > 0) != (side[i] > 0)) {
      ++inwards;
      first_inwards = i;
    } else {
      ++outwards;
      first_outwards = i;
    }
  }
  if (set == 0) return false;
  real direction;  // 1 or -1 along the axis
  if (set == 1) {
    direction = nearest.along > 0 ? real(-1) : real(1);
  } else {
    if (inwards == 0 || outwards == 0) return false;
    if (set == 2) {
      direction = absolute(axis[first_inwards]) > absolute(axis[first_outwards]) ? real(1) : real(-1);
    } else {
      const int lone = inwards == 1 ? first_inwards : first_outwards;
      const bool along_edge = square(axis[lone]) > real(0.5);
      direction = ((inwards == 1) == along_edge) ? real(1) : real(-1);
    }
  }
  real travel = fused(-direction, nearest.along, segment.half);  // to the segment's end
  if (set == 1) travel = 2 * segment.half;
  NO_UNROLL for (int i = 0; i < 3; ++i) {
    const real speed = direction * axis[i];
    // A coordinate that leaves the feature outwards does not bound the travel: the ball is outside there already.
    if (side[i] != 0 && (set == 1 || (speed > 0) == (side[i] > 0))) continue;
    const real from = set == 1 ? fused(nearest.along, axis[i], segment.centre[i])
                      : side[i] != 0 ? side[i] * size[i] : nearest.point[i];
    const real room = fused(-from, sign(speed), size[i]);
    const real limit = room / absolute(speed);
    if (limit > 0 || set != 1) travel = min(limit, travel);
  }
  along = fused(direction, travel, nearest.along);
  return true;
}

inline int capsule_box(const Geom& capsule, const Geom& box, real margin, ContactPoint* contacts) {
  const BoxedSegment segment = {transposed_times(box.axes, capsule.pos - box.pos),
                                transposed_times(box.axes, capsule.axis(2)), capsule.size.y};
  NearestFeature nearest = {largest_real, 0, {0, 0, 0}, {0, 0, 0}};
  nearest_by_end(segment, box.size, nearest);
  nearest_by_edge(segment, box.size, nearest);
  real along[2] = {nearest.along, 0};
  const int ball_count = second_ball(segment, box.size, nearest, along[1]) ? 2 : 1;
  int count = 0;
  NO_UNROLL for (int i = 0; i < ball_count; ++i) {
    const Vec3 centre = add_scaled(capsule.pos, along[i], capsule.axis(2));
    count += ball_box(centre, capsule.size.x, box, margin, &contacts[count]);
  }
  return count;
}
