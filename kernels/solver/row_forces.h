// The cost of a constraint row as a function of jar = J a - aref, with its force and its active set.
//
// MuJoCo documentation, computation, "Reduced primal problem". A force is minus the derivative of the cost; `state` names
// the piece of the piecewise quadratic cost.
#pragma once
#include "view/elements.h"

/// One scalar row.
struct RowForce {
  real cost, force, curvature;
  int state;
};

/// A row that only pushes: active while jar is negative.
INLINE RowForce push_row(real d, real jar) {
  if (jar < 0) return {real(0.5) * d * jar * jar, -d * jar, d, 1};
  return {0, 0, 0, 0};
}

/// Dry friction of at most `loss`: quadratic near rest, linear beyond.
INLINE RowForce friction_row(real d, real loss, real jar) {
  const real edge = loss / d;
  if (jar <= -edge) return {-loss * fused(real(0.5), edge, jar), loss, 0, 2};
  if (jar >= edge) return {loss * fused(real(-0.5), edge, jar), -loss, 0, 3};
  return {real(0.5) * d * jar * jar, -d * jar, d, 1};
}

/// A contact: the force along the normal and the tangents, and the curvature of the cost in the same axes.
struct ContactForce {
  real cost;
  Vec3 force;
  real nn, n1, n2, t1, t2;  // curvature; the two tangents do not mix
  int state;
};

/// The rows of a contact: the normal alone, or the four edges n + mu1 t1, n - mu1 t1, n + mu2 t2, n - mu2 t2.
INLINE ContactForce contact_force(int dim, Vec2 mu, real d, Vec3 jar) {
  ContactForce result = {0, {0, 0, 0}, 0, 0, 0, 0, 0, 0};
  if (dim == 1) {
    const RowForce row = push_row(d, jar.x);
    result.cost = row.cost;
    result.force.x = row.force;
    result.nn = row.curvature;
    result.state = row.state;
    return result;
  }
  if (dim == 0) return result;
  const RowForce a = push_row(d, fused(mu.x, jar.y, jar.x)), b = push_row(d, fused(-mu.x, jar.y, jar.x));
  const RowForce e = push_row(d, fused(mu.y, jar.z, jar.x)), f = push_row(d, fused(-mu.y, jar.z, jar.x));
  result.cost = (a.cost + b.cost) + (e.cost + f.cost);
  result.force = {(a.force + b.force) + (e.force + f.force), mu.x * (a.force - b.force), mu.y * (e.force - f.force)};
  result.nn = (a.curvature + b.curvature) + (e.curvature + f.curvature);
  result.n1 = mu.x * (a.curvature - b.curvature);
  result.n2 = mu.y * (e.curvature - f.curvature);
  result.t1 = mu.x * mu.x * (a.curvature + b.curvature);
  result.t2 = mu.y * mu.y * (e.curvature + f.curvature);
  result.state = a.state | b.state << 1 | e.state << 2 | f.state << 3;
  return result;
}
