// Runge-Kutta of fourth order, with Munthe-Kaas' correction for orientations.
//
// A stage lies an increment u from the start, in the tangent space there; the rate of u is dexp^-1(u) w, in the body's axes.
// MuJoCo documentation, computation, "4th-order Runge-Kutta"; Munthe-Kaas, High order Runge-Kutta methods on manifolds (1999).
#pragma once
#include "integrate/positions.h"

/// The rate of the rotation vector u whose body turns with angular velocity w (in the body's axes).
INLINE Vec3 inverse_exponential_rate(Vec3 u, Vec3 w) {
  real n = length(u);
  if (n > pi) {  // the same orientation, the short way
    const real shorter = n - 2 * pi * round_to_even(n / (2 * pi));
    u = u * (shorter / n);
    n = absolute(shorter);
  }
  real c = real(1.0 / 12);
  if (n > real(0.05)) {
    real s, cosine;
    sin_cos(real(0.5) * n, s, cosine);
    c = (1 - real(0.5) * n * cosine / s) / (n * n);
  } else {
    c = fused(n * n, real(1.0 / 720), c);
  }
  const Vec3 turn = cross(u, w);
  return add_scaled(add_scaled(w, real(0.5), turn), c, cross(u, turn));
}

/// Keeps the state at the start of the step.
template <class Team> INLINE void begin_runge_kutta(Team team, const Model& model, Env& env) {
  team.each(model.nq, [&](int i) { env.rk_q(i) = env.q(i); });
  team.each(model.nv, [&](int i) {
    env.rk_v(i) = env.v(i);
    env.rk_warmstart(i) = env.warmstart(i);
    env.rk_increment(i) = 0;
    env.rk_velocity_sum(i) = 0;
    env.rk_acc_sum(i) = 0;
  });
}

/// Takes stage 0 to 3 into the sums and moves to the next stage, or after the last to the end of the step.
template <class Team> INLINE void runge_kutta_stage(Team team, const Model& model, Env& env, int stage) {
  const real h = model.opt_timestep();
  const real weight = stage == 0 || stage == 3 ? real(1.0 / 6) : real(1.0 / 3), ahead = h * (stage == 2 ? real(1) : real(0.5));
  team.each(model.njnt, [&](int joint) {
    const int type = model.jnt_type(joint), dof = model.jnt_dofadr(joint), straight = joint_straight(type);
    for (int k = 0; k < straight; ++k) env.rk_increment(dof + k) = env.v(dof + k);
    if (joint_turns(type)) {
      const int r = dof + straight;
      const Vec3 u = {env.rk_increment(r), env.rk_increment(r + 1), env.rk_increment(r + 2)};
      const Vec3 rate = inverse_exponential_rate(u, {env.v(r), env.v(r + 1), env.v(r + 2)});
      for (int k = 0; k < 3; ++k) env.rk_increment(r + k) = rate[k];
    }
  });
  // rk_increment now holds this stage's rate.
  team.each(model.nq, [&](int i) { env.q(i) = env.rk_q(i); });
  team.each(model.nv, [&](int i) {
    const real rate = env.rk_increment(i), acc = env.acc(i);
    env.rk_velocity_sum(i) = fused(weight, rate, env.rk_velocity_sum(i));
    env.rk_acc_sum(i) = fused(weight, acc, env.rk_acc_sum(i));
    env.rk_increment(i) = stage == 3 ? h * env.rk_velocity_sum(i) : ahead * rate;
    env.v(i) = stage == 3 ? fused(h, env.rk_acc_sum(i), env.rk_v(i)) : fused(ahead, acc, env.rk_v(i));
    if (stage < 3) env.warmstart(i) = env.rk_warmstart(i);
  });
  advance_positions(team, model, env, [&](int dof) { return env.rk_increment(dof); }, 1);
}
