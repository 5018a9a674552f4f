// Body velocities and the rates of the motion axes, about each tree's centre of mass. MuJoCo: mj_comVel.
#pragma once
#include "joints/joint_table.h"
#include "platform/team.h"

/// The body's velocity: its parent's, plus its dofs' in turn; an axis moves with all motion before it.
INLINE SpatialMotion body_velocity(const Model& model, Env& env, int body) {
  SpatialMotion velocity = env.body_velocity(model.body_parentid(body));
  int dof = model.body_dofadr(body);
  const int end = dof + model.body_dofnum(body);
  NO_UNROLL while (dof < end) {
    // The three translations of a free joint do not turn; three rotations of a ball turn together.
    const int joint = model.dof_jntid(dof), type = model.jnt_type(joint);
    const bool straight = dof - model.jnt_dofadr(joint) < joint_straight(type), turns = joint_turns(type);
    const bool translation = straight && turns;
    const int together = turns ? 3 : 1;
    const SpatialMotion before = velocity;
    for (int k = 0; k < together; ++k, ++dof) {
      const SpatialMotion axis = env.cdof(dof);
      env.cdof_dot(dof) = translation ? SpatialMotion{} : cross(before, axis);
      velocity = add_scaled(velocity, env.v(dof), axis);
    }
  }
  return velocity;
}

template <class Team> INLINE void velocities(Team team, const Model& model, Env& env) {
  team.each(1, [&](int) { env.body_velocity(0) = SpatialMotion{}; });
  NO_UNROLL for (int level = 1; level < model.level_count; ++level) {
    const int start = model.level_adr(level);
    team.each(model.level_adr(level + 1) - start, [&](int k) {
      const int body = model.level_body(start + k);
      env.body_velocity(body) = body_velocity(model, env, body);
    });
  }
}
