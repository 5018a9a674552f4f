// The forces that act whether or not anything touches:  tau - c. MuJoCo: mj_fwdAcceleration.
#pragma once
#include "dynamics/body_wrenches.h"

template <class Team> INLINE void smooth_forces(Team team, const Model& model, Env& env) {
  const real* applied = env.arguments->qfrc_applied;
  team.each(model.nv, [&](int dof) {
    real force = env.force_passive(dof) - env.force_bias(dof) + env.force_actuator(dof);
    if (applied) force += applied[env.index * model.nv + dof];
    env.force_smooth(dof) = force;
  });
  const real* pushes = env.arguments->xfrc_applied;
  if (pushes) {
    team.each(model.nbody, [&](int body) {
      const real* push = pushes + 6 * (env.index * model.nbody + body);
      env.body_wrench(body) = body == 0 ? SpatialForce{} : wrench_at_inertial(model, env, body, {push[0], push[1], push[2]}, {push[3], push[4], push[5]});
    });
    team.each(model.nv, [&](int dof) { env.force_smooth(dof) = env.force_smooth(dof) + gather_wrenches(model, env, dof); });
  }
}
