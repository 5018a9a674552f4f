// The ball joint: an orientation; its velocity is angular, in the body's axes.
#pragma once
#include "joints/joint_frame.h"
#include "view/elements.h"

struct Ball {
  static constexpr int type = 1, nq = 4, nv = 3, straight = 0;

  /// The joint's orientation.
  template <class Q, class Q0> static INLINE Quat turn(Vec3, Q q, Q0) { return normalized(Quat{q(0), q(1), q(2), q(3)}); }
  /// Turns the frame about the anchor.
  template <class Q, class Q0> static INLINE void move(JointFrame& frame, Vec3 anchor, Vec3 local, Vec3, Quat turn, Q, Q0) {
    turn_about(frame, anchor, local, turn);
  }
  /// The motion of dof k about the tree's centre of mass: the body's axes.
  static INLINE SpatialMotion motion(int k, Vec3, const Mat3& body, Vec3 offset) {
    const Vec3 axis = body.column(k);
    return {axis, cross(axis, offset)};
  }
  /// Turns the orientation by angular velocity v for dt.
  template <class Q, class V> static INLINE void advance(Q q, V v, real dt) {
    const Quat turned = integrate(normalized(Quat{q(0), q(1), q(2), q(3)}), vec3(v(0), v(1), v(2)), dt);
    q(0) = turned.w;
    q(1) = turned.x;
    q(2) = turned.y;
    q(3) = turned.z;
  }
};

/// The rotation vector that turns `rest` into `q`, in the body's axes (MuJoCo's mju_subQuat).
INLINE Vec3 orientation_difference(Quat q, Quat rest) { return rotation_vector(conjugate(rest) * q); }
