// Body velocities and the rates of the motion axes, about each tree's centre of mass. MuJoCo: mj_comVel.
//
// A body moves as its parent does, plus its dofs' motions in turn; an axis moves with all motion before it. The three
// translations of a free joint do not turn; three rotations of a ball turn together.
#pragma once
#include "joints/joint_table.h"
#include "kinematics/chains.h"

/// The dofs that move as one with `dof`: the first of them, how many, and whether they are a free joint's translations.
struct DofGroup {
  int first, count;
  bool translation;
};
INLINE DofGroup dof_group(const Model& model, int dof) {
  const int joint = model.dof_jntid(dof), type = model.jnt_type(joint), first = model.jnt_dofadr(joint), straight = joint_straight(type);
  if (!joint_turns(type)) return {dof, 1, false};
  const bool translation = dof < first + straight;
  return {translation ? first : first + straight, 3, translation};
}

/// The rate of a dof's axis, which moves with what is before its group.
INLINE SpatialMotion axis_rate(const DofGroup& group, SpatialMotion before, SpatialMotion axis) {
  return group.translation ? SpatialMotion{} : cross(before, axis);
}

/// The body's velocity from its parent's.
INLINE SpatialMotion body_velocity(const Model& model, Env& env, int body) {
  SpatialMotion velocity = env.body_velocity(model.body_parentid(body));
  int dof = model.body_dofadr(body);
  const int end = dof + model.body_dofnum(body);
  NO_UNROLL while (dof < end) {
    const DofGroup group = dof_group(model, dof);
    const SpatialMotion before = velocity;
    for (int k = 0; k < group.count; ++k, ++dof) {
      const SpatialMotion axis = env.cdof(dof);
      env.cdof_dot(dof) = axis_rate(group, before, axis);
      velocity = add_scaled(velocity, env.v(dof), axis);
    }
  }
  return velocity;
}

#if PHALANX_SPECIALISED
/// The same from the whole chain, for every dof: the rate of its axis, and from a body's last dof the body's velocity.
template <class Team> INLINE void chain_velocities(Team team, const Model& model, Env& env) {
  team.each(model.nv, [&](int dof) {
    const DofGroup group = dof_group(model, dof);
    SpatialMotion velocity = {};
    walk_down(group.first, [&](int j) { velocity = add_scaled(velocity, env.v(j), env.cdof(j)); });
    env.cdof_dot(dof) = axis_rate(group, velocity, env.cdof(dof));
    const int body = model.dof_bodyid(dof);
    if (dof != model.body_lastdof(body)) return;
    for (int j = group.first; j <= dof; ++j) velocity = add_scaled(velocity, env.v(j), env.cdof(j));
    env.body_velocity(body) = velocity;
  });
  team.each(model.nbody, [&](int body) {  // a body without dofs moves with the next one above that has some
    if (model.body_dofnum(body) > 0) return;
    const int last = model.body_lastdof(body);
    env.body_velocity(body) = last < 0 ? SpatialMotion{} : env.body_velocity(model.dof_bodyid(last));
  });
}
#endif

template <class Team> INLINE void velocities(Team team, const Model& model, Env& env) {
  if constexpr (walks_chains<Team>()) {
#if PHALANX_SPECIALISED
    chain_velocities(team, model, env);
#endif
  } else {
    team.each(1, [&](int) { env.body_velocity(0) = SpatialMotion{}; });
    NO_UNROLL for (int level = 1; level < model.level_count; ++level) {
      const int start = model.level_adr(level);
      team.each(model.level_adr(level + 1) - start, [&](int k) {
        const int body = model.level_body(start + k);
        env.body_velocity(body) = body_velocity(model, env, body);
      });
    }
  }
}
