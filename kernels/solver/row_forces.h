// The cost of a constraint row as a function of jar = J a - aref, with its force and its active set.
//
// MuJoCo documentation, computation, "Reduced primal problem". A force is minus the derivative of the cost; `state` names
// the piece of the piecewise quadratic cost.
#pragma once
#include "view/elements.h"

/// One scalar row.
struct RowForce {
  real force, curvature;
  int state;
};

/// A row that only pushes: active while jar is negative.
INLINE RowForce push_row(real d, real jar) {
  const bool active = jar < 0;
  return {active ? -d * jar : real(0), active ? d : real(0), active ? 1 : 0};
}

/// Dry friction of at most `loss`: quadratic near rest, linear beyond.
INLINE RowForce friction_row(real d, real loss, real jar) {
  const real force = -d * jar;
  if (force >= loss) return {loss, 0, 2};
  if (force <= -loss) return {-loss, 0, 3};
  return {force, d, 1};
}

/// jar of the four edges n + mu1 t1, n - mu1 t1, n + mu2 t2, n - mu2 t2; a frictionless contact has the normal alone.
struct Edges {
  real a, b, e, f;
};
INLINE Edges contact_edges(Vec2 mu, Vec3 jar) {
  return {fused(mu.x, jar.y, jar.x), fused(-mu.x, jar.y, jar.x), fused(mu.y, jar.z, jar.x), fused(-mu.y, jar.z, jar.x)};
}

/// Which of the edges push at jar, as bits.
INLINE int contact_state(int dim, Vec2 mu, Vec3 jar) {
  const Edges x = contact_edges(mu, jar);
  if (dim == 1) return jar.x < 0 ? 1 : 0;
  return (x.a < 0 ? 1 : 0) | (x.b < 0 ? 2 : 0) | (x.e < 0 ? 4 : 0) | (x.f < 0 ? 8 : 0);
}

INLINE ContactForce contact_force(int dim, Vec2 mu, real d, Vec3 jar) {
  const Edges x = contact_edges(mu, jar);
  const bool cone = dim > 1;
  const bool a = cone ? x.a < 0 : jar.x < 0, b = cone && x.b < 0, e = cone && x.e < 0, f = cone && x.f < 0;
  const real da = a ? d : real(0), db = b ? d : real(0), de = e ? d : real(0), df = f ? d : real(0);
  // A choice, not a product with zero: an edge that does not push has no force however far it is.
  const real fa = a ? -d * (cone ? x.a : jar.x) : real(0), fb = b ? -d * x.b : real(0);
  const real fe = e ? -d * x.e : real(0), ff = f ? -d * x.f : real(0);
  ContactForce result;
  result.force = {(fa + fb) + (fe + ff), cone ? mu.x * (fa - fb) : real(0), cone ? mu.y * (fe - ff) : real(0)};
  result.nn = (da + db) + (de + df);
  result.n1 = cone ? mu.x * (da - db) : real(0);
  result.n2 = cone ? mu.y * (de - df) : real(0);
  result.t1 = cone ? mu.x * mu.x * (da + db) : real(0);
  result.t2 = cone ? mu.y * mu.y * (de + df) : real(0);
  return result;
}
