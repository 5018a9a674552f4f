// The pair functions of the narrow phase, in the order of the collision table.
// Generated from the pair table by `cargo xtask generate`; do not edit.
#pragma once
#include "collision/narrowphase/plane_sphere.h"
#include "collision/narrowphase/plane_capsule.h"
#include "collision/narrowphase/plane_ellipsoid.h"
#include "collision/narrowphase/plane_cylinder.h"
#include "collision/narrowphase/plane_box.h"
#include "collision/narrowphase/sphere_sphere.h"
#include "collision/narrowphase/sphere_capsule.h"
#include "collision/narrowphase/sphere_ellipsoid.h"
#include "collision/narrowphase/sphere_cylinder.h"
#include "collision/narrowphase/sphere_box.h"
#include "collision/narrowphase/capsule_capsule.h"
#include "collision/narrowphase/capsule_ellipsoid.h"
#include "collision/narrowphase/capsule_cylinder.h"
#include "collision/narrowphase/capsule_box.h"
#include "collision/narrowphase/ellipsoid_ellipsoid.h"
#include "collision/narrowphase/ellipsoid_cylinder.h"
#include "collision/narrowphase/ellipsoid_box.h"
#include "collision/narrowphase/cylinder_cylinder.h"
#include "collision/narrowphase/cylinder_box.h"
#include "collision/narrowphase/box_box.h"

#define PHALANX_PAIRS(PAIR) \
  PAIR(0, plane_sphere, 1) \
  PAIR(1, plane_capsule, 2) \
  PAIR(2, plane_ellipsoid, 1) \
  PAIR(3, plane_cylinder, 4) \
  PAIR(4, plane_box, 4) \
  PAIR(5, sphere_sphere, 1) \
  PAIR(6, sphere_capsule, 1) \
  PAIR(7, sphere_ellipsoid, 1) \
  PAIR(8, sphere_cylinder, 1) \
  PAIR(9, sphere_box, 1) \
  PAIR(10, capsule_capsule, 2) \
  PAIR(11, capsule_ellipsoid, 1) \
  PAIR(12, capsule_cylinder, 2) \
  PAIR(13, capsule_box, 2) \
  PAIR(14, ellipsoid_ellipsoid, 1) \
  PAIR(15, ellipsoid_cylinder, 1) \
  PAIR(16, ellipsoid_box, 1) \
  PAIR(17, cylinder_cylinder, 4) \
  PAIR(18, cylinder_box, 4) \
  PAIR(19, box_box, 8)

constexpr int most_contacts_of_a_pair = 8;
