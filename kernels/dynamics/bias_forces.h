// Coriolis, centrifugal and gravity forces by the recursive Newton-Euler algorithm with no joint accelerations.
//
// Featherstone, Rigid Body Dynamics Algorithms (2008), table 5.1; gravity enters as an acceleration of the world.
// MuJoCo: mj_rne.
#pragma once
#include "kinematics/chains.h"
#include "platform/team.h"
#include "view/options.h"

/// What gravity adds to the world's acceleration, so that bodies at rest need forces.
INLINE SpatialMotion world_acceleration(const Model& model) {
  const Vec3 gravity = model.opt_disableflags & disable_gravity ? Vec3{} : model.opt_gravity();
  return {{0, 0, 0}, -gravity};
}

/// Fills body_acceleration: the world's, plus what the moving axes add along the chain.
template <class Team> INLINE void body_accelerations(Team team, const Model& model, Env& env) {
  if constexpr (walks_chains<Team>()) {
#if PHALANX_SPECIALISED
    team.each(model.nbody, [&](int body) {
      SpatialMotion acceleration = world_acceleration(model);
      const int last = model.body_lastdof(body);
      const auto add = [&](int dof) { acceleration = add_scaled(acceleration, env.v(dof), env.cdof_dot(dof)); };
      if (last >= 0) {
        walk_down(last, add);
        add(last);
      }
      env.body_acceleration(body) = acceleration;
    });
#endif
  } else {
    team.each(1, [&](int) { env.body_acceleration(0) = world_acceleration(model); });
    NO_UNROLL for (int level = 1; level < model.level_count; ++level) {
      const int start = model.level_adr(level);
      team.each(model.level_adr(level + 1) - start, [&](int k) {
        const int body = model.level_body(start + k);
        SpatialMotion acceleration = env.body_acceleration(model.body_parentid(body));
        const int first = model.body_dofadr(body), end = first + model.body_dofnum(body);
        NO_UNROLL for (int dof = first; dof < end; ++dof) acceleration = add_scaled(acceleration, env.v(dof), env.cdof_dot(dof));
        env.body_acceleration(body) = acceleration;
      });
    }
  }
}

template <class Team> INLINE void bias_forces(Team team, const Model& model, Env& env) {
  // Outwards: accelerations, and the force that each body needs.
  body_accelerations(team, model, env);
  team.each(model.nbody, [&](int body) {
    if (body == 0) return;
    const SpatialInertia inertia = env.cinert(body);
    const SpatialMotion velocity = env.body_velocity(body);
    env.body_force(body) = inertia * env.body_acceleration(body) + cross(velocity, inertia * velocity);
  });
  // Inwards: each body carries what its children need.
  NO_UNROLL for (int level = model.level_count - 2; level > 0; --level) {
    const int start = model.level_adr(level);
    team.each(model.level_adr(level + 1) - start, [&](int k) {
      const int body = model.level_body(start + k);
      SpatialForce force = env.body_force(body);
      const int first = model.body_childadr(body), end = first + model.body_childnum(body);
      NO_UNROLL for (int c = first; c < end; ++c) force = force + env.body_force(model.child_body(c));
      env.body_force(body) = force;
    });
  }
  team.each(model.nv, [&](int dof) { env.force_bias(dof) = dot(env.cdof(dof), env.body_force(model.dof_bodyid(dof))); });
}
