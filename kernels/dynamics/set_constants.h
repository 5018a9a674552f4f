// What is derived from masses, inertias, lengths and armatures: subtree masses, inverse weights, the mean inertia.
//
// An environment whose model fields were edited gets them anew, at qpos0, as MuJoCo's mj_setConst does. Constraint impedances are
// scaled by these numbers. Written as one system for each dof and six for each body: editing is rare, stepping is not.
#pragma once
#include "dynamics/mass_matrix.h"
#include "dynamics/tree_factor.h"
#include "kinematics/center_of_mass.h"
#include "kinematics/forward_kinematics.h"

/// MuJoCo's body_simple for bodies whose joints are slides only: their weight is their mass.
constexpr int simple_sliders = 2;

/// The derived fields of this environment, to write.
struct DerivedFields {
  const Arguments* arguments;
  int64_t env;
  INLINE real& subtreemass(int i) const {
    return ((real*)arguments->body_subtreemass + env * arguments->body_subtreemass_stride)[CHECKED(body_subtreemass, env, i)];
  }
  INLINE real& dof_invweight0(int i) const {
    return ((real*)arguments->dof_invweight0 + env * arguments->dof_invweight0_stride)[CHECKED(dof_invweight0, env, i)];
  }
  INLINE Vec2& body_invweight0(int i) const {
    return ((Vec2*)(arguments->body_invweight0 + env * arguments->body_invweight0_stride))[CHECKED(body_invweight0, env, i)];
  }
  INLINE real& meaninertia() const { return *((real*)arguments->stat_meaninertia + env * arguments->stat_meaninertia_stride); }
};

/// x' M^-1 x for the vector x in acc_smooth, which is overwritten; force_bias keeps a copy.
template <class Team> INLINE real inverse_weight(Team team, const Model& model, Env& env) {
  team.each(model.nv, [&](int i) { env.force_bias(i) = env.acc_smooth(i); });
  solve_tree(team, model, [&](int e) -> real& { return env.L(e); }, [&](int i) -> real& { return env.acc_smooth(i); });
  return team.sum(model.nv, [&](int i) { return env.force_bias(i) * env.acc_smooth(i); });
}

template <class Team> INLINE void dof_inverse_weights(Team team, const Model& model, Env& env, DerivedFields out) {
  NO_UNROLL for (int dof = 0; dof < model.nv; ++dof) {
    team.each(model.nv, [&](int i) { env.acc_smooth(i) = i == dof ? real(1) : real(0); });
    const real weight = inverse_weight(team, model, env);
    const int body = model.dof_bodyid(dof);
    const bool sliders = model.body_simple(body) == simple_sliders;
    if (env.alive && team.lane == 0) out.dof_invweight0(dof) = sliders ? 1 / model.body_mass(body) : weight;
  }
  team.sync();
  // A ball, and each half of a free joint, turns and moves alike in its three directions.
  team.each(env.alive ? model.njnt : 0, [&](int joint) {
    const int dof = model.jnt_dofadr(joint), count = joint_nv(model.jnt_type(joint));
    NO_UNROLL for (int first = dof; count >= 3 && first < dof + count; first += 3) {
      const real mean = (out.dof_invweight0(first) + out.dof_invweight0(first + 1) + out.dof_invweight0(first + 2)) / 3;
      for (int k = 0; k < 3; ++k) out.dof_invweight0(first + k) = mean;
    }
  });
}

template <class Team> INLINE void body_inverse_weights(Team team, const Model& model, Env& env, DerivedFields out) {
  NO_UNROLL for (int body = 0; body < model.nbody; ++body) {
    const int last = model.body_lastdof(body);
    const Vec3 arm = inertial_position(model, env, body) - env.tree_com(model.body_rootid(body));
    real weight[2] = {0, 0};
    NO_UNROLL for (int axis = 0; last >= 0 && axis < 6; ++axis) {
      team.each(model.nv, [&](int i) { env.acc_smooth(i) = 0; });
      team.each(1, [&](int) {
        NO_UNROLL for (int dof = last; dof >= 0; dof = model.dof_parentid(dof)) {
          const SpatialMotion motion = env.cdof(dof);
          const Vec3 velocity = axis < 3 ? motion.linear + cross(motion.angular, arm) : motion.angular;
          env.acc_smooth(dof) = velocity[axis % 3];
        }
      });
      weight[axis / 3] += inverse_weight(team, model, env) / 3;
    }
    const bool sliders = last >= 0 && model.body_simple(body) == simple_sliders;
    if (env.alive && team.lane == 0) {
      out.body_invweight0(body) = sliders ? Vec2{1 / model.body_mass(body), 0} : Vec2{weight[0], weight[1]};
    }
  }
  team.sync();
}

/// Recomputes the derived fields of one environment.
template <class Team> INLINE void set_constants(Team team, const Model& model, Env& env) {
  const DerivedFields out = {env.arguments, env.index};
  team.each(env.alive ? model.nbody : 0, [&](int body) {
    real mass = 0;
    NO_UNROLL for (int b = model.body_subtree_end(body) - 1; b >= body; --b) mass += model.body_mass(b);
    out.subtreemass(body) = mass;
  });
  team.each(model.nq, [&](int i) { env.q(i) = model.qpos0(i); });
  forward_kinematics(team, model, env);
  center_of_mass(team, model, env);
  mass_matrix(team, model, env);
  team.each(model.nM, [&](int entry) { env.L(entry) = env.M(entry); });
  factor_tree(team, model, [&](int entry) -> real& { return env.L(entry); });
  const real trace = team.sum(model.nv, [&](int i) { return env.M(model.dof_Madr(i)); });
  if (env.alive && team.lane == 0) out.meaninertia() = model.nv > 0 ? trace / model.nv : real(1);
  team.sync();
  dof_inverse_weights(team, model, env, out);
  body_inverse_weights(team, model, env, out);
}
