// The joint types, one line each, and what they all have in common.
//
// A joint's first dofs are `straight`, a number each in qpos and qvel; if there are more, they turn an orientation in space.
#pragma once
#include "generated/view.h"
#include "joints/ball.h"
#include "joints/free.h"
#include "joints/hinge.h"
#include "joints/slide.h"

/// Whether the model has joints of that type: false prunes code of a specialised kernel.
INLINE bool has_joint(const Model& model, int type) { return model.joint_types >> type & 1; }

/// Whether the model has joints that turn in space.
INLINE bool has_turning_joint(const Model& model) { return has_joint(model, Ball::type) || has_joint(model, Free::type); }

/// Calls f with the joint type of that number.
template <class F> INLINE void with_joint(const Model& model, int type, F f) {
  if (has_joint(model, Hinge::type) && type == Hinge::type) return f(Hinge{});
  if (has_joint(model, Slide::type) && type == Slide::type) return f(Slide{});
  if (has_joint(model, Ball::type) && type == Ball::type) return f(Ball{});
  if (has_joint(model, Free::type) && type == Free::type) return f(Free{});
}

/// Dofs of a joint of that type.
INLINE int joint_nv(int type) { return type == Free::type ? Free::nv : (type == Ball::type ? Ball::nv : Hinge::nv); }

/// Those of them that come before an orientation.
INLINE int joint_straight(int type) { return type == Free::type ? Free::straight : (type == Ball::type ? Ball::straight : Hinge::straight); }

/// Whether it ends in an orientation: its last three dofs.
INLINE bool joint_turns(int type) { return type == Free::type || type == Ball::type; }

/// How the joint's position turns its body, in the body's own axes.
INLINE Quat joint_turn(const Model& model, const Env& env, int joint) {
  const int adr = model.jnt_qposadr(joint);
  Quat turn = {1, 0, 0, 0};
  with_joint(model, model.jnt_type(joint), [&](auto type) {
    turn = type.turn(model.jnt_axis(joint), [&](int i) { return env.q(adr + i); }, [&](int i) { return model.qpos0(adr + i); });
  });
  return turn;
}

/// The body's pose from its parent's and its joints' positions; notes the joints' anchors and axes.
INLINE JointFrame body_frame(const Model& model, Env& env, int body) {
  const int mocap = model.body_mocapid(body);
  if (model.nmocap > 0 && mocap >= 0) {
    return {env.mocap_pos(mocap), normalized(env.mocap_quat(mocap))};
  }
  const int parent = model.body_parentid(body);
  const Quat above = env.body_orientation(parent);
  JointFrame frame = {env.body_position(parent) + rotate(above, model.body_pos(body)), above * model.body_quat(body)};
  const int first = model.body_jntadr(body), end = first + model.body_jntnum(body);
  NO_UNROLL for (int j = first; j < end; ++j) {
    const Vec3 local = model.jnt_pos(j), axis = model.jnt_axis(j);
    Vec3 anchor = frame.pos + rotate(frame.quat, local);
    env.joint_axis(j) = rotate(frame.quat, axis);
    const int adr = model.jnt_qposadr(j);
    const int type = model.jnt_type(j);
    with_joint(model, type, [&](auto joint) {
      joint.move(frame, anchor, local, axis, env.joint_turn(j), [&](int i) { return env.q(adr + i); }, [&](int i) { return model.qpos0(adr + i); });
    });
    if (type == Free::type) anchor = frame.pos;
    env.joint_anchor(j) = anchor;
  }
  return frame;
}
