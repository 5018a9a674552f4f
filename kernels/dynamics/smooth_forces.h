// The forces that act whether or not anything touches:  tau - c. MuJoCo: mj_fwdAcceleration.
#pragma once
#include "dynamics/body_wrenches.h"

template <class Team> INLINE void smooth_forces(Team team, const Model& model, Env& env) {
  const bool applied = env.arguments->qfrc_applied;
  team.each(model.nv, [&](int dof) {
    real force = env.force_passive(dof) - env.force_bias(dof) + env.force_actuator(dof);
    if (applied) force += env.qfrc_applied(dof);
    env.force_smooth(dof) = force;
  });
  if (env.arguments->xfrc_applied) {
    team.each(model.nbody, [&](int body) {
      const auto push = [&](int k) { return env.xfrc_applied(6 * body + k); };
      env.body_wrench(body) = body == 0 ? SpatialForce{} : wrench_at_inertial(model, env, body, {push(0), push(1), push(2)}, {push(3), push(4), push(5)});
    });
    team.each(model.nv, [&](int dof) { env.force_smooth(dof) = env.force_smooth(dof) + gather_wrenches(model, env, dof); });
  }
}
