// The acceleration of an integrator that is implicit in the velocity:  (M - h D) a = M qacc.
//
// Euler takes joint damping into D; implicitfast takes the actuators' derivatives too, and for free bodies that carry nothing
// the gyroscopic forces. MuJoCo documentation, computation, "Integrators" and "Gyroscopic derivatives for free bodies".
#pragma once
#include "dynamics/actuation.h"
#include "dynamics/tree_factor.h"
#include "integrate/free_body.h"

/// Minus D(i, j) for dof i and a dof j above it on the same joint: damping and actuators.
INLINE real velocity_damping(const Model& model, const Env& env, int i, int j, bool actuators) {
  real damping = 0;
  if (i == j && !(model.opt_disableflags & disable_damper)) damping = model.dof_damping(i);
  if (!actuators) return damping;
  const int first = model.dof_actuatoradr(i), end = first + model.dof_actuatornum(i);
  NO_UNROLL for (int k = first; k < end; ++k) {
    const int actuator = model.actuator_list(k);
    const real moment = actuator_moment(model, env, actuator, i) * actuator_moment(model, env, actuator, j);
    damping = fused(-env.actuation_slope(actuator), moment, damping);
  }
  return damping;
}

/// Fills step_acc with the implicit acceleration.
template <class Team> INLINE void implicit_acceleration(Team team, const Model& model, Env& env, bool actuators) {
  const real h = model.opt_timestep();
  team.each(model.nv, [&](int i) {
    int entry = model.dof_Madr(i);
    const int joint = model.dof_jntid(i);
    NO_UNROLL for (int j = i; j >= 0; j = model.dof_parentid(j), ++entry) {
      real value = env.M(entry);
      if (model.dof_jntid(j) == joint) value = fused(h, velocity_damping(model, env, i, j, actuators), value);
      env.implicit_L(entry) = value;
    }
    env.step_acc(i) = env.force_smooth(i) + env.force_constraint(i);
  });
  const auto factor = [&](int entry) -> real& { return env.implicit_L(entry); };
  factor_tree(team, model, factor);
  solve_tree(team, model, factor, [&](int dof) -> real& { return env.step_acc(dof); });
  if (actuators) {
    team.each(model.nbody, [&](int body) {
      if (body > 0 && model.body_freeblock(body)) {
        resolve_free_body(model, env, body, [&](int i, int j) { return velocity_damping(model, env, i, j, true); });
      }
    });
  }
}
