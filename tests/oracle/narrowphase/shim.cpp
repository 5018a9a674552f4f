// The narrow phase behind a C interface, for compare.py. Numbers cross as double, whatever `real` is.
//
// A geom is 15 numbers (position, matrix by rows, size); a contact is 19 (dist, position, normal, tangent, frame by
// rows).
#include "collision/narrowphase/box_box.h"
#include "collision/narrowphase/capsule_box.h"
#include "collision/narrowphase/capsule_capsule.h"
#include "collision/narrowphase/sphere_ellipsoid.h"
#include "collision/narrowphase/capsule_ellipsoid.h"
#include "collision/narrowphase/capsule_cylinder.h"
#include "collision/narrowphase/ellipsoid_ellipsoid.h"
#include "collision/narrowphase/ellipsoid_cylinder.h"
#include "collision/narrowphase/ellipsoid_box.h"
#include "collision/narrowphase/cylinder_cylinder.h"
#include "collision/narrowphase/cylinder_box.h"
#include "collision/narrowphase/plane_box.h"
#include "collision/narrowphase/plane_capsule.h"
#include "collision/narrowphase/plane_cylinder.h"
#include "collision/narrowphase/plane_ellipsoid.h"
#include "collision/narrowphase/plane_sphere.h"
#include "collision/narrowphase/sphere_box.h"
#include "collision/narrowphase/sphere_capsule.h"
#include "collision/narrowphase/sphere_cylinder.h"
#include "collision/narrowphase/sphere_sphere.h"

namespace {
Vec3 vector(const double* v) { return {real(v[0]), real(v[1]), real(v[2])}; }
Geom geom(const double* g) { return {vector(g), {vector(g + 3), vector(g + 6), vector(g + 9)}, vector(g + 12)}; }
void put(Vec3 v, double* out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }
}  // namespace

extern "C" int collide(const char* pair, const double* g1, const double* g2, double margin_, double* out) {
  const Geom a = geom(g1), b = geom(g2);
  const real margin = real(margin_);
  ContactPoint contacts[8];
  int count = -1;
#define PAIR(name) \
  if (!strcmp(pair, #name)) count = name(a, b, margin, contacts)
  PAIR(plane_sphere);
  PAIR(plane_capsule);
  PAIR(plane_ellipsoid);
  PAIR(plane_cylinder);
  PAIR(plane_box);
  PAIR(sphere_sphere);
  PAIR(sphere_capsule);
  PAIR(sphere_cylinder);
  PAIR(sphere_box);
  PAIR(capsule_capsule);
  PAIR(capsule_box);
  PAIR(box_box);
  PAIR(cylinder_box);
  PAIR(cylinder_cylinder);
  PAIR(ellipsoid_box);
  PAIR(ellipsoid_cylinder);
  PAIR(ellipsoid_ellipsoid);
  PAIR(capsule_cylinder);
  PAIR(capsule_ellipsoid);
  PAIR(sphere_ellipsoid);
  for (int i = 0; i < count; ++i) {
    double* o = out + 19 * i;
    o[0] = contacts[i].dist;
    put(contacts[i].pos, o + 1);
    put(contacts[i].normal, o + 4);
    put(contacts[i].tangent, o + 7);
    const Mat3 f = contact_frame(contacts[i].normal, contacts[i].tangent);
    put(f.x, o + 10), put(f.y, o + 13), put(f.z, o + 16);
  }
  return count;
}
