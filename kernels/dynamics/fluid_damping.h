// How the medium damps motion: minus the derivative of its forces by the velocity, with M's sparsity.
//
// A body's box is damped along its own axes only, so the derivative is diagonal there; a pair of dofs is damped by every body
// that both move. MuJoCo documentation, computation, "Integrators"; computation/fluid.rst, "Inertia model".
#pragma once
#include "dynamics/fluid_forces.h"
#include "platform/team.h"

/// Minus the derivative of fluid_force, along the box's axes: force by linear, torque by angular velocity.
INLINE SpatialForce fluid_slope(Vec3 box, Vec3 angular, Vec3 linear, real density, real viscosity) {
  SpatialForce slope = {{0, 0, 0}, {0, 0, 0}};
  if (viscosity > 0) {
    const real diameter = (box.x + box.y + box.z) / 3;
    const real turning = pi * diameter * diameter * diameter * viscosity, moving = 3 * pi * diameter * viscosity;
    slope = {{turning, turning, turning}, {moving, moving, moving}};
  }
  if (density > 0) {
    const real x4 = square(square(box.x)), y4 = square(square(box.y)), z4 = square(square(box.z));
    const real part = density / 32;
    slope.force += {density * box.y * box.z * absolute(linear.x), density * box.x * box.z * absolute(linear.y),
                    density * box.x * box.y * absolute(linear.z)};
    slope.torque += {part * box.x * (y4 + z4) * absolute(angular.x), part * box.y * (x4 + z4) * absolute(angular.y),
                     part * box.z * (x4 + y4) * absolute(angular.z)};
  }
  return slope;
}

/// How the medium resists a motion of the body, about the tree's centre of mass.
INLINE SpatialForce fluid_resistance(const Model& model, const Env& env, int body, SpatialMotion motion) {
  const BoxFrame frame = box_frame(model, env, body);
  const SpatialMotion local = in_box(frame, motion, {0, 0, 0});
  const SpatialForce slope = env.fluid_slope(body);
  return from_box(frame, {{slope.force.x * local.linear.x, slope.force.y * local.linear.y, slope.force.z * local.linear.z},
                          {slope.torque.x * local.angular.x, slope.torque.y * local.angular.y, slope.torque.z * local.angular.z}});
}

/// fluid_damping(i,j) = S(j)' sum over the bodies b that i moves of B(b) S(i)    for j = i and every ancestor dof j of i.
template <class Team> INLINE void fluid_damping(Team team, const Model& model, Env& env, real density, real viscosity) {
  team.each(model.nbody, [&](int body) {
    SpatialForce slope = {{0, 0, 0}, {0, 0, 0}};
    if (body > 0 && model.body_mass(body) >= smallest_length) {
      const SpatialMotion velocity = in_box(box_frame(model, env, body), env.body_velocity(body), model.opt_wind());
      const Vec3 box = inertia_box(model.body_inertia(body), model.body_mass(body));
      slope = fluid_slope(box, velocity.angular, velocity.linear, density, viscosity);
    }
    env.fluid_slope(body) = slope;
  });
  team.each(model.nv, [&](int i) {
    const int first = model.dof_bodyid(i), end = model.body_subtree_end(first);
    const SpatialMotion motion = env.cdof(i);
    SpatialForce resistance = fluid_resistance(model, env, first, motion);
    NO_UNROLL for (int body = first + 1; body < end; ++body) resistance = resistance + fluid_resistance(model, env, body, motion);
    int entry = model.dof_Madr(i);
    NO_UNROLL for (int j = i; j >= 0; j = model.dof_parentid(j)) env.fluid_damping(entry++) = dot(env.cdof(j), resistance);
  });
}
