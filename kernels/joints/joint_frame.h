// The pose that a body's joints move, one after the other.
#pragma once
#include "math/quaternion.h"

struct JointFrame {
  Vec3 pos;
  Quat quat;
};

/// Turns the frame by `turn` (in its own axes) about the anchor fixed in it at `local`, which is now at `anchor`.
INLINE void turn_about(JointFrame& frame, Vec3 anchor, Vec3 local, Quat turn) {
  frame.quat = frame.quat * turn;
  frame.pos = anchor - rotate(frame.quat, local);
}
