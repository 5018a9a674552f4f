// Coriolis, centrifugal and gravity forces by the recursive Newton-Euler algorithm with no joint accelerations.
//
// Featherstone, Rigid Body Dynamics Algorithms (2008), table 5.1; gravity enters as an acceleration of the world.
// MuJoCo: mj_rne.
#pragma once
#include "joints/joint_table.h"
#include "platform/team.h"
#include "view/options.h"

template <class Team> INLINE void bias_forces(Team team, const Model& model, Env& env) {
  team.each(1, [&](int) {
    const Vec3 gravity = model.opt_disableflags & disable_gravity ? Vec3{} : model.opt_gravity();
    env.body_acceleration(0) = {{0, 0, 0}, -gravity};
  });
  // Outwards: accelerations, and the force that each body needs.
  NO_UNROLL for (int level = 1; level < model.level_count; ++level) {
    const int start = model.level_adr(level);
    team.each(model.level_adr(level + 1) - start, [&](int k) {
      const int body = model.level_body(start + k);
      SpatialMotion acceleration = env.body_acceleration(model.body_parentid(body));
      const int first = model.body_dofadr(body), end = first + model.body_dofnum(body);
      NO_UNROLL for (int dof = first; dof < end; ++dof) acceleration = add_scaled(acceleration, env.v(dof), env.cdof_dot(dof));
      env.body_acceleration(body) = acceleration;
      const SpatialInertia inertia = env.cinert(body);
      const SpatialMotion velocity = env.body_velocity(body);
      env.body_force(body) = inertia * acceleration + cross(velocity, inertia * velocity);
    });
  }
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
