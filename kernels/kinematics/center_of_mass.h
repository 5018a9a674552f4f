// Inertias and motion axes about each tree's centre of mass.
//
// All spatial vectors of a tree share one frame: the world's axes at the tree's centre of mass, which keeps the numbers
// small far from the origin. MuJoCo: mj_comPos.
#pragma once
#include "joints/joint_table.h"

/// The body's centre of mass in the world.
INLINE Vec3 inertial_position(const Model& model, const Env& env, int body) {
  return env.body_position(body) + rotate(env.body_orientation(body), model.body_ipos(body));
}

/// The inertia of a body with principal moments `moments` along the columns of `axes`, mass `mass`, about a point from which
/// `offset` leads to its centre of mass.
INLINE SpatialInertia inertia_about(Vec3 moments, const Mat3& axes, real mass, Vec3 offset) {
  const Vec3 a = {axes.x.x * moments.x, axes.x.y * moments.y, axes.x.z * moments.z};
  const Vec3 b = {axes.y.x * moments.x, axes.y.y * moments.y, axes.y.z * moments.z};
  const Vec3 c = {axes.z.x * moments.x, axes.z.y * moments.y, axes.z.z * moments.z};
  const Vec3 d = offset, md = offset * mass;
  return {fused(md.y, d.y, fused(md.z, d.z, dot(a, axes.x))), fused(md.x, d.x, fused(md.z, d.z, dot(b, axes.y))),
          fused(md.x, d.x, fused(md.y, d.y, dot(c, axes.z))), fused(-md.x, d.y, dot(a, axes.y)),
          fused(-md.x, d.z, dot(a, axes.z)),                  fused(-md.y, d.z, dot(b, axes.z)),
          md,                                                 mass};
}

/// The centre of mass of `body` and all bodies below it; each body's mass times position waits in its cinert.
template <class Team> INLINE Vec3 subtree_com(Team team, const Model& model, const Env& env, int body) {
  const Sums<3> moment = team.template sums<3>(model.body_subtree_end(body) - body, [&](int k) {
    const Vec3 m = env.cinert(body + k).offset;
    return Sums<3>{{m.x, m.y, m.z}};
  });
  const real mass = model.body_subtreemass(body);
  if (mass < smallest_length) return inertial_position(model, env, body);
  return {moment[0] / mass, moment[1] / mass, moment[2] / mass};
}

template <class Team> INLINE void center_of_mass(Team team, const Model& model, Env& env) {
  team.each(model.nbody, [&](int body) { env.cinert(body).offset = inertial_position(model, env, body) * model.body_mass(body); });
  const int roots = model.level_adr(1);
  NO_UNROLL for (int k = roots; k < model.level_adr(2); ++k) {
    const int root = model.level_body(k);
    const Vec3 com = subtree_com(team, model, env, root);
    team.each(1, [&](int) { env.tree_com(root) = com; });
  }
  team.each(model.nbody, [&](int body) {
    if (body == 0) return;
    const Vec3 offset = inertial_position(model, env, body) - env.tree_com(model.body_rootid(body));
    const Mat3 axes = matrix(env.body_orientation(body) * model.body_iquat(body));
    env.cinert(body) = inertia_about(model.body_inertia(body), axes, model.body_mass(body), offset);
  });
  team.each(model.nv, [&](int dof) {
    const int joint = model.dof_jntid(dof), body = model.dof_bodyid(dof);
    const Vec3 offset = env.tree_com(model.body_rootid(body)) - env.joint_anchor(joint);
    const Mat3 axes = matrix(env.body_orientation(body));
    with_joint(model, model.jnt_type(joint), [&](auto type) {
      env.cdof(dof) = type.motion(dof - model.jnt_dofadr(joint), env.joint_axis(joint), axes, offset);
    });
  });
}
