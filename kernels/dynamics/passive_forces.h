// Springs, dampers, gravity compensation and the medium. MuJoCo: mj_passive.
//
// A model that disables both springs and dampers has no passive forces at all, as in MuJoCo.
#pragma once
#include "dynamics/body_wrenches.h"
#include "dynamics/fluid_damping.h"
#include "view/options.h"

/// The spring of a joint, on each of its dofs.
INLINE void joint_spring(const Model& model, Env& env, int joint) {
  const int type = model.jnt_type(joint);
  int dof = model.jnt_dofadr(joint), adr = model.jnt_qposadr(joint);
  const bool off = model.opt_disableflags & disable_spring;
  const real stiffness = off ? real(0) : model.jnt_stiffness(joint);
  const int straight = joint_straight(type);
  for (int k = 0; k < straight; ++k, ++dof, ++adr) env.force_passive(dof) = -stiffness * (env.q(adr) - model.qpos_spring(adr));
  if (!has_turning_joint(model) || !joint_turns(type)) return;
  Vec3 turn = {0, 0, 0};
  if (stiffness != 0) {
    const Quat now = normalized(Quat{env.q(adr), env.q(adr + 1), env.q(adr + 2), env.q(adr + 3)});
    const Quat rest = {model.qpos_spring(adr), model.qpos_spring(adr + 1), model.qpos_spring(adr + 2), model.qpos_spring(adr + 3)};
    turn = orientation_difference(now, rest);
  }
  for (int k = 0; k < 3; ++k) env.force_passive(dof + k) = -stiffness * turn[k];
}

template <class Team> INLINE void passive_forces(Team team, const Model& model, Env& env) {
  if (model.actuator_gravcomp) team.each(model.nv, [&](int dof) { env.force_gravcomp(dof) = 0; });
  team.each(model.njnt, [&](int joint) { joint_spring(model, env, joint); });
  if (!(model.opt_disableflags & disable_damper)) {
    team.each(model.nv, [&](int dof) { env.force_passive(dof) = fused(-model.dof_damping(dof), env.v(dof), env.force_passive(dof)); });
  }
  // What acts on bodies: most models have none of it, and then the stage ends here.
  constexpr int springs_and_dampers = disable_spring | disable_damper;
  const bool off = (model.opt_disableflags & springs_and_dampers) == springs_and_dampers;
  const real density = off ? real(0) : model.opt_density(), viscosity = off ? real(0) : model.opt_viscosity();
  const bool medium = density > 0 || viscosity > 0;
  bool compensated = false;
  NO_UNROLL for (int body = 1 + team.lane; body < model.nbody; body += Team::lanes) compensated |= model.body_gravcomp(body) != 0;
  if (team.any_in_warp(medium)) {
    team.each(model.nbody, [&](int body) {
      env.body_wrench(body) = medium ? fluid_wrench(model, env, body, density, viscosity) : SpatialForce{};
    });
    team.each_if(medium, model.nv, [&](int dof) { env.force_passive(dof) = env.force_passive(dof) + gather_wrenches(model, env, dof); });
  }
  if (model.fluid_entries > 0) fluid_damping(team, model, env, medium);
  const bool lifted = team.any(compensated) && !off && !(model.opt_disableflags & disable_gravity);
  if (team.any_in_warp(lifted)) {
    team.each(model.nbody, [&](int body) {
      const Vec3 lift = model.opt_gravity() * (-model.body_mass(body) * model.body_gravcomp(body));
      env.body_wrench(body) = body == 0 ? SpatialForce{} : wrench_at_inertial(model, env, body, lift, {0, 0, 0});
    });
    team.each_if(lifted, model.nv, [&](int dof) {
      const real force = gather_wrenches(model, env, dof);
      if (model.actuator_gravcomp && model.jnt_actgravcomp(model.dof_jntid(dof))) env.force_gravcomp(dof) = force;
      else env.force_passive(dof) = env.force_passive(dof) + force;
    });
  }
}
