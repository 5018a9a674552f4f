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

/// Where a body's inertia box is: its axes, and the way to its centre from the tree's centre of mass.
struct BoxFrame {
  Mat3 axes;
  Vec3 arm;
};
INLINE BoxFrame box_frame(const Model& model, const Env& env, int body) {
  return {matrix(env.body_orientation(body) * model.body_iquat(body)),
          inertial_position(model, env, body) - env.tree_com(model.body_rootid(body))};
}

/// A motion about the tree's centre of mass as the box sees it: at its centre, in its axes; `wind` is what moves past it.
INLINE SpatialMotion in_box(const BoxFrame& frame, SpatialMotion motion, Vec3 wind) {
  const Vec3 at_center = motion.linear - cross(frame.arm, motion.angular) - wind;
  return {transposed_times(frame.axes, motion.angular), transposed_times(frame.axes, at_center)};
}

/// A force and torque on the box, in its axes, as a wrench about the tree's centre of mass.
INLINE SpatialForce from_box(const BoxFrame& frame, FluidForce local) {
  const Vec3 force = frame.axes * local.force;
  return {frame.axes * local.torque + cross(frame.arm, force), force};
}

/// The wrench of the medium on a body about the tree's centre of mass; notes its slope where that is asked for.
INLINE SpatialForce fluid_wrench(const Model& model, Env& env, int body, real density, real viscosity) {
  const bool has_box = body > 0 && model.body_mass(body) >= smallest_length;
  const BoxFrame frame = box_frame(model, env, body);
  const SpatialMotion velocity = in_box(frame, env.body_velocity(body), model.opt_wind());
  const Vec3 box = inertia_box(model.body_inertia(body), model.body_mass(body));
  if (model.fluid_entries > 0) {
    env.fluid_slope(body) = has_box ? fluid_slope(box, velocity.angular, velocity.linear, density, viscosity) : SpatialForce{};
  }
  return has_box ? from_box(frame, fluid_force(box, velocity.angular, velocity.linear, density, viscosity)) : SpatialForce{};
}
