// A free body that carries no joints, with the derivative of its gyroscopic forces: six equations of its own.
//
// C = dc/dv has, for the rotations' columns, m R ((w.r) 1 + w r' - 2 r w') over [w]x I - [I w]x, with w the angular velocity and
// I the inertia about the body's origin in its own axes, and r the centre of mass there.
// MuJoCo documentation, computation, "Gyroscopic derivatives for free bodies".
#pragma once
#include "joints/joint_table.h"

/// Solves the n x n system in place by elimination with partial pivoting; bounded, NaN in NaN out.
template <int n> INLINE void solve_general(real (&a)[n][n], real (&x)[n]) {
  NO_UNROLL for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (absolute(a[i][k]) > absolute(a[pivot][k])) pivot = i;
    }
    for (int j = 0; j < n; ++j) {
      const real swapped = a[k][j];
      a[k][j] = a[pivot][j];
      a[pivot][j] = swapped;
    }
    const real swapped = x[k];
    x[k] = x[pivot];
    x[pivot] = swapped;
    for (int i = k + 1; i < n; ++i) {
      const real l = a[i][k] / a[k][k];
      for (int j = k; j < n; ++j) a[i][j] = fused(-l, a[k][j], a[i][j]);
      x[i] = fused(-l, x[k], x[i]);
    }
  }
  NO_UNROLL for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) x[k] = fused(-a[k][j], x[j], x[k]);
    x[k] = x[k] / a[k][k];
  }
}

/// Replaces the body's six entries of step_acc; `damping(i, j)` is minus D.
template <class Damping> INLINE void resolve_free_body(const Model& model, Env& env, int body, Damping damping) {
  const int dof = model.body_dofadr(body), adr = model.jnt_qposadr(model.dof_jntid(dof));
  const real h = model.opt_timestep();
  real a[6][6], x[6];
  const auto mass = [&](int i, int j) { return env.M(model.dof_Madr(dof + i) + i - j); };  // j <= i
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) a[i][j] = a[j][i] = fused(h, damping(dof + i, dof + j), mass(i, j));
    x[i] = env.force_smooth(dof + i) + env.force_constraint(dof + i);
  }
  const Mat3 axes = matrix(normalized(Quat{env.q(adr + 3), env.q(adr + 4), env.q(adr + 5), env.q(adr + 6)}));
  const Vec3 w = {env.v(dof + 3), env.v(dof + 4), env.v(dof + 5)};
  // M couples rotation i with translation by m R (e_i x r): that gives m r, in the body's axes.
  const Vec3 about_x = transposed_times(axes, vec3(mass(3, 0), mass(3, 1), mass(3, 2)));
  const Vec3 about_y = transposed_times(axes, vec3(mass(4, 0), mass(4, 1), mass(4, 2)));
  const Vec3 mr = {-about_y.z, about_x.z, -about_x.y};
  const auto inertia = [&](int i, int j) {
    return (i >= j ? mass(3 + i, 3 + j) : mass(3 + j, 3 + i)) - (i == j ? model.dof_armature(dof + 3 + i) : real(0));
  };
  Vec3 momentum = {0, 0, 0};
  for (int j = 0; j < 3; ++j) momentum = add_scaled(momentum, w[j], vec3(inertia(0, j), inertia(1, j), inertia(2, j)));
  for (int j = 0; j < 3; ++j) {
    const Vec3 unit = {real(j == 0), real(j == 1), real(j == 2)};
    const Vec3 top = axes * add_scaled(add_scaled(unit * dot(w, mr), mr[j], w), -2 * w[j], mr);
    const Vec3 column = vec3(inertia(0, j), inertia(1, j), inertia(2, j));
    const Vec3 bottom = cross(w, column) - cross(momentum, unit);
    for (int i = 0; i < 3; ++i) {
      a[i][3 + j] = fused(h, top[i], a[i][3 + j]);
      a[3 + i][3 + j] = fused(h, bottom[i], a[3 + i][3 + j]);
    }
  }
  solve_general(a, x);
  for (int i = 0; i < 6; ++i) env.step_acc(dof + i) = x[i];
}
