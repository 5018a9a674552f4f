// Spatial vectors: motions, forces and rigid-body inertias, angular part first, about the tree's centre of mass.
//
// Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2. The dot product pairs a motion with a force only: power.
#pragma once
#include "math/vector.h"

struct alignas(8) SpatialMotion {
  Vec3 angular, linear;
};
struct alignas(8) SpatialForce {
  Vec3 torque, force;
};

INLINE SpatialMotion operator+(SpatialMotion a, SpatialMotion b) { return {a.angular + b.angular, a.linear + b.linear}; }
INLINE SpatialMotion operator*(SpatialMotion a, real s) { return {a.angular * s, a.linear * s}; }
INLINE SpatialMotion add_scaled(SpatialMotion a, real s, SpatialMotion b) {
  return {add_scaled(a.angular, s, b.angular), add_scaled(a.linear, s, b.linear)};
}
INLINE SpatialForce operator+(SpatialForce a, SpatialForce b) { return {a.torque + b.torque, a.force + b.force}; }
INLINE SpatialForce operator-(SpatialForce a, SpatialForce b) { return {a.torque - b.torque, a.force - b.force}; }
INLINE real dot(SpatialMotion m, SpatialForce f) {
  return fused(m.angular.x, f.torque.x, fused(m.angular.y, f.torque.y, fused(m.angular.z, f.torque.z, dot(m.linear, f.force))));
}
/// The change of motion b as its frame moves with a:  a x b.
INLINE SpatialMotion cross(SpatialMotion a, SpatialMotion b) {
  return {cross(a.angular, b.angular), cross(a.angular, b.linear) + cross(a.linear, b.angular)};
}
/// The change of force f as its frame moves with a:  a x* f.
INLINE SpatialForce cross(SpatialMotion a, SpatialForce f) {
  return {cross(a.angular, f.torque) + cross(a.linear, f.force), cross(a.angular, f.force)};
}

/// A rigid body's inertia about the frame's origin: rotational part (xx yy zz xy xz yz), mass times offset of the centre of
/// mass, mass. MuJoCo's cinert has the same ten numbers in the same order.
struct alignas(8) SpatialInertia {
  real xx, yy, zz, xy, xz, yz;
  Vec3 offset;  // mass times the centre of mass
  real mass;
};
INLINE SpatialInertia operator+(const SpatialInertia& a, const SpatialInertia& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz, a.offset + b.offset, a.mass + b.mass};
}
INLINE SpatialForce operator*(const SpatialInertia& i, SpatialMotion v) {
  const Vec3 w = v.angular;
  const Vec3 turned = {fused(i.xx, w.x, fused(i.xy, w.y, i.xz * w.z)), fused(i.xy, w.x, fused(i.yy, w.y, i.yz * w.z)),
                       fused(i.xz, w.x, fused(i.yz, w.y, i.zz * w.z))};
  return {turned + cross(i.offset, v.linear), v.linear * i.mass - cross(i.offset, w)};
}
