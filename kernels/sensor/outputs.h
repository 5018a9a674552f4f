// What the user asked to see: derived fields, written where their pointers are not null. What comes next in the step may take the
// place of what was read here, so each of these ends with a sync.
#pragma once
#include "collision/broadphase/find_pairs.h"
#include "dynamics/tree_factor.h"
#include "kinematics/center_of_mass.h"

/// Stores an element of an output.
template <class Value> INLINE void store(Value& output, const Value& value) {
  real* place = (real*)&output;
  const real* numbers = (const real*)&value;
  NO_UNROLL for (unsigned k = 0; k < sizeof(Value) / sizeof(real); ++k) place[k] = numbers[k];
}

/// The centre of mass of a body and all below it, added up by one lane in the order of the bodies.
INLINE Vec3 plain_subtree_com(const Model& model, const Env& env, int body) {
  const real mass = model.body_subtreemass(body);
  if (mass < smallest_length) return inertial_position(model, env, body);
  Vec3 moment = {0, 0, 0};
  NO_UNROLL for (int b = body; b < model.body_subtree_end(body); ++b) {
    moment = add_scaled(moment, model.body_mass(b), inertial_position(model, env, b));
  }
  return {moment.x / mass, moment.y / mass, moment.z / mass};
}

template <class Team> INLINE void position_outputs(Team team, const Model& model, const Env& env) {
  const Arguments& out = *env.arguments;
  team.each_if(env.alive, model.nbody, [&](int b) {
    if (out.xpos) store(env.xpos(b), env.body_position(b));
    if (out.xquat) store(env.xquat(b), env.body_orientation(b));
    if (out.xipos) store(env.xipos(b), inertial_position(model, env, b));
    if (out.subtree_com) store(env.subtree_com(b), plain_subtree_com(model, env, b));
  });
  team.each_if(env.alive, model.ngeom, [&](int g) {
    const int body = model.geom_bodyid(g);
    const Quat above = env.body_orientation(body);
    if (out.geom_xpos) store(env.geom_xpos(g), env.body_position(body) + rotate(above, model.geom_pos(g)));
    if (out.geom_xmat) store(env.geom_xmat(g), matrix(normalized(above * model.geom_quat(g))));
  });
  team.each_if(env.alive, model.nsite, [&](int s) {
    const int body = model.site_bodyid(s);
    const Quat above = env.body_orientation(body);
    if (out.site_xpos) store(env.site_xpos(s), env.body_position(body) + rotate(above, model.site_pos(s)));
    if (out.site_xmat) store(env.site_xmat(s), matrix(normalized(above * model.site_quat(s))));
  });
}

template <class Team> INLINE void velocity_outputs(Team team, const Model& model, const Env& env) {
  team.each_if(env.alive && env.arguments->cvel, model.nbody, [&](int b) { store(env.cvel(b), env.body_velocity(b)); });
}

/// The acceleration without constraints, M a = tau - c, which the step itself has no use for.
template <class Team> INLINE void smooth_acceleration_output(Team team, const Model& model, Env& env) {
  if (!env.arguments->qacc_smooth) return;
  const auto factor = [&](int entry) -> real& { return env.L(entry); };
  team.each(model.nM, [&](int entry) { env.L(entry) = env.M(entry); });
  factor_tree(team, model, factor);
  team.each(model.nv, [&](int i) { env.acc_smooth(i) = env.force_smooth(i); });
  solve_tree(team, model, factor, [&](int i) -> real& { return env.acc_smooth(i); });
  team.each(env.alive ? model.nv : 0, [&](int i) { env.qacc_smooth(i) = env.acc_smooth(i); });
}

template <class Team> INLINE void force_outputs(Team team, const Model& model, Env& env) {
  smooth_acceleration_output(team, model, env);
  const Arguments& out = *env.arguments;
  team.each_if(env.alive, model.nv, [&](int i) {
    if (out.qfrc_passive) env.qfrc_passive(i) = env.force_passive(i);
    if (out.qfrc_actuator) env.qfrc_actuator(i) = env.force_actuator(i);
    if (out.qfrc_bias) env.qfrc_bias(i) = env.force_bias(i);
  });
  team.each_if(env.alive, model.nu, [&](int u) {
    if (out.actuator_force) env.actuator_force(u) = env.actuation_force(u);
  });
}

template <class Team> INLINE void acceleration_outputs(Team team, const Model& model, const Env& env) {
  const Arguments& out = *env.arguments;
  team.each_if(env.alive && env.fits, model.nv, [&](int i) {
    if (out.qacc) env.qacc(i) = env.acc(i);
    if (out.qfrc_constraint) env.qfrc_constraint(i) = env.force_constraint(i);
  });
}
