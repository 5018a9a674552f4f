// The hinge: one angle about an axis.
#pragma once
#include "joints/joint_frame.h"
#include "view/elements.h"

struct Hinge {
  static constexpr int type = 3, nq = 1, nv = 1, straight = 1;

  /// The turn by the joint's angle from the reference `q0`.
  template <class Q, class Q0> static INLINE Quat turn(Vec3 axis, Q q, Q0 q0) { return axis_angle(axis, q(0) - q0(0)); }
  /// Turns the frame about the anchor.
  template <class Q, class Q0> static INLINE void move(JointFrame& frame, Vec3 anchor, Vec3 local, Vec3, Quat turn, Q, Q0) {
    turn_about(frame, anchor, local, turn);
  }
  /// The motion of the dof about the tree's centre of mass; `offset` leads there from the anchor.
  static INLINE SpatialMotion motion(int, Vec3 axis, const Mat3&, Vec3 offset) { return {axis, cross(axis, offset)}; }
  /// Moves the position by velocity v for dt.
  template <class Q, class V> static INLINE void advance(Q q, V v, real dt) { q(0) = fused(dt, v(0), q(0)); }
};
