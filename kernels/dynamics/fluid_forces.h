// Drag and viscous resistance of the medium on a body, by its inertia box.
//
// The box has the body's mass and principal inertias. MuJoCo documentation, computation/fluid.rst, "Inertia model".
#pragma once
#include "kinematics/center_of_mass.h"

/// Force and torque of the medium in the axes of the inertia box.
struct FluidForce {
  Vec3 force, torque;
};

/// Full edge lengths of the box with these principal moments and this mass.
INLINE Vec3 inertia_box(Vec3 moments, real mass) {
  const real scale = 6 / max(mass, smallest_length);
  return {square_root(max(smallest_length, moments.y + moments.z - moments.x) * scale),
          square_root(max(smallest_length, moments.x + moments.z - moments.y) * scale),
          square_root(max(smallest_length, moments.x + moments.y - moments.z) * scale)};
}

/// The medium's force on a box that moves with `angular` and `linear` (in its own axes, relative to the medium).
INLINE FluidForce fluid_force(Vec3 box, Vec3 angular, Vec3 linear, real density, real viscosity) {
  FluidForce result = {{0, 0, 0}, {0, 0, 0}};
  if (viscosity > 0) {
    const real diameter = (box.x + box.y + box.z) / 3;
    result.torque = angular * (-pi * diameter * diameter * diameter * viscosity);
    result.force = linear * (-3 * pi * diameter * viscosity);
  }
  if (density > 0) {
    const Vec3 area = {box.y * box.z, box.x * box.z, box.x * box.y};
    const real x4 = square(square(box.x)), y4 = square(square(box.y)), z4 = square(square(box.z));
    const real half = real(0.5) * density, part = density / 64;
    result.force -= {half * area.x * absolute(linear.x) * linear.x, half * area.y * absolute(linear.y) * linear.y,
                     half * area.z * absolute(linear.z) * linear.z};
    result.torque -= {part * box.x * (y4 + z4) * absolute(angular.x) * angular.x,
                      part * box.y * (x4 + z4) * absolute(angular.y) * angular.y,
                      part * box.z * (x4 + y4) * absolute(angular.z) * angular.z};
  }
  return result;
}

/// The wrench of the medium on a body about the tree's centre of mass.
INLINE SpatialForce fluid_wrench(const Model& model, const Env& env, int body, real density, real viscosity) {
  if (model.body_mass(body) < smallest_length) return {};
  const Mat3 axes = matrix(env.body_orientation(body) * model.body_iquat(body));
  const Vec3 arm = inertial_position(model, env, body) - env.tree_com(model.body_rootid(body));
  const SpatialMotion velocity = env.body_velocity(body);
  const Vec3 at_center = velocity.linear - cross(arm, velocity.angular) - model.opt_wind();
  const Vec3 box = inertia_box(model.body_inertia(body), model.body_mass(body));
  const FluidForce local =
      fluid_force(box, transposed_times(axes, velocity.angular), transposed_times(axes, at_center), density, viscosity);
  const Vec3 force = axes * local.force;
  return {axes * local.torque + cross(arm, force), force};
}
