// One step of Euler or implicitfast:  v += a h,  then  q (+)= v h. MuJoCo: mj_Euler, mj_implicit.
#pragma once
#include "integrate/implicit_velocity.h"
#include "integrate/positions.h"

template <class Team> INLINE void integrate_single_step(Team team, const Model& model, Env& env) {
  const real h = model.opt_timestep();
  constexpr int undamped = disable_eulerdamp | disable_damper;
  const bool fast = model.opt_integrator == integrator_implicitfast;
  bool implicit = fast;
  if (fast || !(model.opt_disableflags & undamped)) {  // a constant of a specialised kernel: false leaves the code out
    NO_UNROLL for (int dof = team.lane; !fast && dof < model.nv; dof += Team::lanes) implicit |= model.dof_damping(dof) > 0;
    implicit = team.any(implicit);
    if (team.any_in_warp(implicit)) implicit_acceleration(team, model, env, fast);
  }
  team.each(model.nv, [&](int dof) { env.v(dof) = fused(h, implicit ? env.step_acc(dof) : env.acc(dof), env.v(dof)); });
  advance_positions(team, model, env, [&](int dof) { return env.v(dof); }, h);
}
