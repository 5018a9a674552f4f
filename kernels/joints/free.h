// The free joint: a position and an orientation in the world; velocities are linear in the world, angular in the body.
#pragma once
#include "joints/ball.h"

struct Free {
  static constexpr int type = 0, nq = 7, nv = 6, straight = 3;

  /// The joint's orientation.
  template <class Q, class Q0> static INLINE Quat turn(Vec3, Q q, Q0) { return normalized(Quat{q(3), q(4), q(5), q(6)}); }
  /// Puts the frame where the joint's position says.
  template <class Q, class Q0> static INLINE void move(JointFrame& frame, Vec3, Vec3, Vec3, Quat turn, Q q, Q0) {
    frame.pos = {q(0), q(1), q(2)};
    frame.quat = turn;
  }
  /// The motion of dof k about the tree's centre of mass: the world's axes, then the body's.
  static INLINE SpatialMotion motion(int k, Vec3 axis, const Mat3& body, Vec3 offset) {
    if (k >= 3) return Ball::motion(k - 3, axis, body, offset);
    return {{0, 0, 0}, {real(k == 0), real(k == 1), real(k == 2)}};
  }
  /// Moves position and orientation by velocity v for dt.
  template <class Q, class V> static INLINE void advance(Q q, V v, real dt) {
    for (int k = 0; k < 3; ++k) q(k) = fused(dt, v(k), q(k));
    Ball::advance([&](int i) -> real& { return q(3 + i); }, [&](int i) { return v(3 + i); }, dt);
  }
};
