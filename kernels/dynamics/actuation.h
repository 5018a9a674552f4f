// Forces of the actuators: gain times control plus bias, through the gear onto the joint. MuJoCo: mj_fwdActuation.
#pragma once
#include "joints/joint_table.h"
#include "platform/team.h"
#include "view/options.h"

/// How one unit of an actuator's force acts on dof k of its joint.
INLINE real actuator_moment(const Model& model, const Env& env, int actuator, int dof) {
  const int joint = model.actuator_trnid(actuator), type = model.jnt_type(joint);
  const SpatialMotion gear = model.actuator_gear(actuator);
  if (!model.turning_actuators || !joint_turns(type)) return gear.angular.x;
  const int k = dof - model.jnt_dofadr(joint), straight = joint_straight(type);
  // A free joint's gear is translation, then rotation; a ball joint's is rotation. In the parent's frame it turns along.
  const Vec3 turning = straight > 0 ? gear.linear : gear.angular;
  if (k < straight) return gear.angular[k];
  const int axis = k - straight;
  if (model.actuator_trntype(actuator) == 0) return turning[axis];
  const int adr = model.jnt_qposadr(joint) + straight;
  const Quat q = normalized(Quat{env.q(adr), env.q(adr + 1), env.q(adr + 2), env.q(adr + 3)});
  return rotate(conjugate(q), turning)[axis];
}

/// The actuator's length: the joint's position along the gear; a free joint has none.
INLINE real actuator_length(const Model& model, const Env& env, int actuator) {
  const int joint = model.actuator_trnid(actuator), type = model.jnt_type(joint);
  const int adr = model.jnt_qposadr(joint), dof = model.jnt_dofadr(joint);
  if (!model.turning_actuators || !joint_turns(type)) return env.q(adr) * model.actuator_gear(actuator).angular.x;
  if (joint_straight(type) > 0) return 0;
  const Vec3 turn = rotation_vector(normalized(Quat{env.q(adr), env.q(adr + 1), env.q(adr + 2), env.q(adr + 3)}));
  real length = 0;
  for (int k = 0; k < 3; ++k) length = fused(actuator_moment(model, env, actuator, dof + k), turn[k], length);
  return length;
}

/// Whether an option takes the actuator's force away.
INLINE bool is_disabled(const Model& model, int actuator) {
  return (model.opt_disableflags & disable_actuation) || (model.disabled_actuators > 0 && model.actuator_disabled(actuator));
}

/// Computes an actuator's force and its derivative by the actuator's velocity (none when the force is at its limit).
INLINE void actuate(const Model& model, Env& env, int actuator) {
  if (is_disabled(model, actuator)) {
    env.actuation_force(actuator) = 0;
    if (model.opt_integrator == integrator_implicitfast) env.actuation_slope(actuator) = 0;
    return;
  }
  const int joint = model.actuator_trnid(actuator), dof = model.jnt_dofadr(joint);
  real velocity = 0;
  const int count = model.turning_actuators ? joint_nv(model.jnt_type(joint)) : 1;
  for (int k = 0; k < count; ++k) velocity = fused(actuator_moment(model, env, actuator, dof + k), env.v(dof + k), velocity);
  real control = env.ctrl(actuator);
  if (model.actuator_ctrllimited(actuator) && !(model.opt_disableflags & disable_clampctrl)) {
    const Vec2 range = model.actuator_ctrlrange(actuator);
    control = clamp(control, range.x, range.y);
  }
  const Vec3 gain = model.actuator_gainprm(actuator), bias = model.actuator_biasprm(actuator);
  const bool affine_gain = model.actuator_gaintype(actuator) == 1, affine_bias = model.actuator_biastype(actuator) == 1;
  const real length = affine_gain || affine_bias ? actuator_length(model, env, actuator) : real(0);
  real amplification = gain.x, slope = 0, force = 0;
  if (affine_gain) {
    amplification = gain.x + fused(gain.y, length, gain.z * velocity);
    slope = gain.z * control;
  }
  if (affine_bias) {
    force = bias.x + fused(bias.y, length, bias.z * velocity);
    slope += bias.z;
  }
  force = fused(amplification, control, force);
  if (model.actuator_forcelimited(actuator)) {
    const Vec2 range = model.actuator_forcerange(actuator);
    if (force <= range.x || force >= range.y) slope = 0;
    force = clamp(force, range.x, range.y);
  }
  env.actuation_force(actuator) = force;
  if (model.opt_integrator == integrator_implicitfast) env.actuation_slope(actuator) = slope;
}

template <class Team> INLINE void actuation(Team team, const Model& model, Env& env) {
  team.each(model.nu, [&](int actuator) { actuate(model, env, actuator); });
  team.each(model.nv, [&](int dof) {
    real force = 0;
    const int first = model.dof_actuatoradr(dof), end = first + model.dof_actuatornum(dof);
    NO_UNROLL for (int k = first; k < end; ++k) {
      const int actuator = model.actuator_list(k);
      force = fused(actuator_moment(model, env, actuator, dof), env.actuation_force(actuator), force);
    }
    const int joint = model.dof_jntid(dof);
    if (model.actuator_gravcomp && !(model.opt_disableflags & disable_actuation)) force += env.force_gravcomp(dof);
    if (model.jnt_actfrclimited(joint)) {
      const Vec2 range = model.jnt_actfrcrange(joint);
      if (force <= range.x || force >= range.y) {  // a saturated joint's actuators do not damp it
        const bool wanted = model.opt_integrator == integrator_implicitfast;
        for (int k = first; wanted && k < end; ++k) env.actuation_slope(model.actuator_list(k)) = 0;
      }
      force = clamp(force, range.x, range.y);
    }
    env.force_actuator(dof) = force;
  });
}
