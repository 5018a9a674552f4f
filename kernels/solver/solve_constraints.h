// Which forces keep the constraints:  min over a of  1/2 (a - a_smooth)' M (a - a_smooth) + s(J a - aref).
//
// Newton's method on a convex, piecewise quadratic cost, with an exact line search. A full step that stays within the
// pieces that it was computed from ends at the minimum, so no further Hessian is needed to know it.
#pragma once
#include "dynamics/tree_factor.h"
#include "solver/newton_step.h"

/// Below this scaled gradient a float has nothing left to gain.
constexpr real attainable_tolerance = sizeof(real) == 4 ? real(1e-6) : real(0);

/// Slope and curvature of the cost along the search direction, from the rows, at `step`.
template <class Team> INLINE Sums<2> rows_along(Team team, const Env& env, int rows, int contacts, real step) {
  return team.template sums<2>(rows + contacts, [&](int i) {
    if (i < rows) {
      const real jv = env.row_jv(i);
      const RowForce f = row_force(env, i, fused(step, jv, env.row_jar(i)));
      return Sums<2>{{-f.force * jv, f.curvature * jv * jv}};
    }
    const int c = i - rows;
    if (env.con_num(c) == 0) return Sums<2>{{0, 0}};
    const Vec3 jv = env.con_jv(c);
    const ContactForce f = contact_force(env.con_dim(c), env.con_mu(c), env.con_D(c), add_scaled(env.con_jar(c), step, jv));
    const real normal = fused(f.nn, jv.x, 2 * fused(f.n1, jv.y, f.n2 * jv.z)) * jv.x;
    return Sums<2>{{-dot(f.force, jv), normal + fused(f.t1 * jv.y, jv.y, f.t2 * jv.z * jv.z)}};
  });
}

/// Starts at zero, where jar is -aref as it was built, with the warm start as the first direction, to be taken whole. The minimum
/// is the same from anywhere, and one Newton step from the warm start costs no more than the unconstrained acceleration would, so
/// that one is not computed.
template <class Team> INLINE void start_solver(Team team, const Model& model, Env& env) {
  const bool cold = model.opt_disableflags & disable_warmstart;
  team.each(model.nv, [&](int i) {
    env.search(i) = cold ? real(0) : env.warmstart(i);
    env.acc(i) = 0;
    env.Ma(i) = 0;
  });
}

/// Fills Mv, row_jv and con_jv: M and J times the search direction.
template <class Team> INLINE void direction_products(Team team, const Model& model, Env& env, int rows, int contacts, bool active) {
  const auto direction = [&](int i) -> real& { return env.search(i); };
  if constexpr (factors_in_registers<Team>()) {
#if PHALANX_SPECIALISED
    NO_UNROLL for (int index = 0; index < block_count; ++index) {
      const Block block = block_at(index);
      NO_UNROLL for (int j = team.lane; j < block_dofs; j += Team::lanes) {
        if (active && j < block.size()) env.Mv(block.first + j) = multiply_mass(env, block, direction, j);
      }
    }
    team.sync();
#endif
  } else {
    team.each_if(active, model.nv, [&](int i) { env.Mv(i) = multiply_tree(model, env, direction, i); });
  }
  team.each(rows, [&](int row) { env.row_jv(row) = row_times(model, env, row, direction); });
  team.each(contacts, [&](int k) {
    if (env.con_num(k) > 0) env.con_jv(k) = contact_times(env, k, direction);
  });
}

/// The step along the search direction at which the cost is least: the root of its increasing slope.
template <class Team>
INLINE real line_search(Team team, const Model& model, const Env& env, int rows, int contacts, real slope, real gauss_slope,
                        real gauss_curvature, bool active) {
  real step = 1, low = 0, high = largest_real;
  bool searching = active;
  const real enough = model.opt_ls_tolerance() * absolute(slope);
  const int most = (int)env.arguments->opt_ls_iterations;
  NO_UNROLL for (int i = 0; i < most && team.any_in_warp(searching); ++i) {
    const Sums<2> along = rows_along(team, env, searching ? rows : 0, searching ? contacts : 0, step);
    const real at = fused(step, gauss_curvature, gauss_slope) + along[0], curvature = gauss_curvature + along[1];
    searching = searching && absolute(at) > enough;
    if (searching) {
      if (at < 0) low = step;
      else high = step;
      const real next = step - at / max(curvature, smallest_length);
      if (next > low && next < high) step = next;
      else step = high < largest_real ? real(0.5) * (low + high) : 2 * step;
    }
  }
  return step;
}

/// Moves acc, Ma and jar by `step` and tells whether any row changed its piece of the cost.
template <class Team> INLINE bool advance_solver(Team team, const Model& model, Env& env, int rows, int contacts, real step, bool active) {
  bool changed = false;
  NO_UNROLL for (int r = team.lane; r < rows; r += Team::lanes) {
    const real before = env.row_jar(r), after = fused(step, env.row_jv(r), before);
    changed |= row_force(env, r, before).state != row_force(env, r, after).state;
    env.row_jar(r) = after;
  }
  NO_UNROLL for (int c = team.lane; c < contacts; c += Team::lanes) {
    if (env.con_num(c) == 0) continue;
    const Vec3 before = env.con_jar(c), after = add_scaled(before, step, env.con_jv(c));
    const Vec2 mu = env.con_mu(c);
    const int dim = env.con_dim(c);
    changed |= contact_state(dim, mu, before) != contact_state(dim, mu, after);
    env.con_jar(c) = after;
  }
  team.each_if(active, model.nv, [&](int i) {
    env.acc(i) = fused(step, env.search(i), env.acc(i));
    env.Ma(i) = fused(step, env.Mv(i), env.Ma(i));
  });
  return team.any(changed);
}

/// Newton's iterations. With `forces` the last of them ends with J' f, for who wants to see it.
template <class Team> INLINE void newton(Team team, const Model& model, Env& env, int rows, int contacts, bool forces) {
  const real tolerance = max(model.opt_tolerance(), attainable_tolerance);
  const real scale = 1 / (max(model.stat_meaninertia(), smallest_length) * real(model.nv > 0 ? model.nv : 1));
  const int most = (int)env.arguments->opt_iterations;
  bool active = true;
  env.converged = false;
  env.solved = rows + contacts > 0;
  NO_UNROLL for (int iteration = 0;; ++iteration) {
    int r = active ? rows : 0, c = active ? contacts : 0;
    direction_products(team, model, env, r, c, active);
    real step = 1;
    bool little = false;
    if (iteration > 0) {
      const Sums<3> gauss = team.template sums<3>(model.nv, [&](int i) {
        const real s = env.search(i);
        return Sums<3>{{s * env.grad(i), s * (env.Ma(i) - env.force_smooth(i)), s * env.Mv(i)}};
      });
      step = line_search(team, model, env, r, c, gauss[0], gauss[1], gauss[2], active);
      little = scale * real(-0.5) * gauss[0] < tolerance;
    }
    const bool changed = advance_solver(team, model, env, r, c, step, active);
    if (iteration > 0 && active) {
      env.iteration_count += 1;
      env.converged = little || (!changed && step == 1);
      if (env.converged && !forces) active = false;
    }
    if (!team.any_in_warp(active)) break;

    r = active ? rows : 0, c = active ? contacts : 0;
    contact_forces(team, env, c);
    NewtonStep<Team, factors_in_registers<Team>()> newton_step;
    newton_step.gradient(team, model, env, r, c, active);
    const real size = scale * square_root(team.sum(model.nv, [&](int i) { return env.grad(i) * env.grad(i); }));
    if (active && (env.converged || !(size >= tolerance) || iteration >= most)) {
      env.converged = env.converged || size < tolerance;
      active = false;
    }
    if (!team.any_in_warp(active)) break;
    newton_step.direction(team, model, env, active ? rows : 0, active ? contacts : 0, active);
  }
}

template <class Team> INLINE void solve_constraints(Team team, const Model& model, Env& env, bool forces) {
  const int rows = env.row_count, contacts = env.contact_count;
  env.iteration_count = 0;
  start_solver(team, model, env);
  prepare_factor(team, model, env, contacts);
  newton(team, model, env, rows, contacts, forces);
  team.each(model.nv, [&](int i) {
    if (!forces) env.force_constraint(i) = env.Ma(i) - env.force_smooth(i);  // at the minimum, J' f = M a - tau
    env.warmstart(i) = env.acc(i);
  });
}
