// The slide: one distance along an axis.
#pragma once
#include "joints/joint_frame.h"
#include "view/elements.h"

struct Slide {
  static constexpr int type = 2, nq = 1, nv = 1, straight = 1;

  /// No turn.
  template <class Q, class Q0> static INLINE Quat turn(Vec3, Q, Q0) { return {1, 0, 0, 0}; }
  /// Moves the frame by the joint's position; `q0` is the reference.
  template <class Q, class Q0> static INLINE void move(JointFrame& frame, Vec3, Vec3, Vec3 axis, Quat, Q q, Q0 q0) {
    frame.pos = add_scaled(frame.pos, q(0) - q0(0), rotate(frame.quat, axis));
  }
  /// The motion of dof k about the tree's centre of mass.
  static INLINE SpatialMotion motion(int, Vec3 axis, const Mat3&, Vec3) { return {{0, 0, 0}, axis}; }
  /// Moves the position by velocity v for dt.
  template <class Q, class V> static INLINE void advance(Q q, V v, real dt) { q(0) = fused(dt, v(0), q(0)); }
};
