// From forces on bodies to forces on dofs.
#pragma once
#include "kinematics/center_of_mass.h"

/// A force and a torque at the body's centre of mass, as a spatial force about the tree's centre of mass.
INLINE SpatialForce wrench_at_inertial(const Model& model, const Env& env, int body, Vec3 force, Vec3 torque) {
  const Vec3 arm = inertial_position(model, env, body) - env.tree_com(model.body_rootid(body));
  return {torque + cross(arm, force), force};
}

/// The force on a dof of the wrenches on the bodies that it moves, in the order of the bodies.
INLINE real gather_wrenches(const Model& model, const Env& env, int dof) {
  const int first = model.dof_bodyid(dof), end = model.body_subtree_end(first);
  SpatialForce total = env.body_wrench(first);
  NO_UNROLL for (int body = first + 1; body < end; ++body) total = total + env.body_wrench(body);
  return dot(env.cdof(dof), total);
}
