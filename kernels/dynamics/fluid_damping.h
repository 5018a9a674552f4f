// How the medium damps motion: minus the derivative of its forces by the velocity, with M's sparsity.
//
// A body's box is damped along its own axes only, so the derivative is diagonal there; a pair of dofs is damped by every body
// that both move. MuJoCo documentation, computation, "Integrators"; computation/fluid.rst, "Inertia model".
#pragma once
#include "dynamics/fluid_forces.h"
#include "platform/team.h"

/// How the medium resists a motion of the body, about the tree's centre of mass.
INLINE SpatialForce fluid_resistance(const Model& model, const Env& env, int body, SpatialMotion motion) {
  const BoxFrame frame = box_frame(model, env, body);
  const SpatialMotion local = in_box(frame, motion, {0, 0, 0});
  const SpatialForce slope = env.fluid_slope(body);
  return from_box(frame, {{slope.force.x * local.linear.x, slope.force.y * local.linear.y, slope.force.z * local.linear.z},
                          {slope.torque.x * local.angular.x, slope.torque.y * local.angular.y, slope.torque.z * local.angular.z}});
}

/// fluid_damping(i,j) = S(j)' sum over the bodies b that i moves of B(b) S(i)    for j = i and every ancestor dof j of i.
template <class Team> INLINE void fluid_damping(Team team, const Model& model, Env& env, bool medium) {
  team.each(model.nv, [&](int i) {
    const int first = model.dof_bodyid(i), end = medium ? model.body_subtree_end(first) : first;
    const SpatialMotion motion = env.cdof(i);
    SpatialForce resistance = {{0, 0, 0}, {0, 0, 0}};
    NO_UNROLL for (int body = first; body < end; ++body) resistance = resistance + fluid_resistance(model, env, body, motion);
    int entry = model.dof_Madr(i);
    NO_UNROLL for (int j = i; j >= 0; j = model.dof_parentid(j)) env.fluid_damping(entry++) = dot(env.cdof(j), resistance);
  });
}
