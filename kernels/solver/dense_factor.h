// The factor of a dense symmetric matrix:  H = L' L, from the last dof to the first, in place.
//
// The order is the tree's: while contacts do not couple branches, no entry of L is filled that M does not have, and a zero
// multiplier is skipped. The diagonal is stored as its inverse.
#pragma once
#include "solver/constraint_products.h"
#include "solver/register_columns.h"

/// Replaces H by L.
template <class Team> INLINE void factor_hessian(Team team, const Model& model, Env& env, bool active) {
  NO_UNROLL for (int k = model.nv - 1; k >= 0; --k) {
    const int row = lower_index(k, 0);
    const real inverse = active ? inverse_square_root(max(env.H(row + k), smallest_length)) : real(0);
    team.sync();
    team.each(active ? k + 1 : 0, [&](int j) { env.H(row + j) = j == k ? inverse : env.H(row + j) * inverse; });
    team.each(active ? k : 0, [&](int i) {
      const real l = env.H(row + i);
      if (l == 0) return;
      const int target = lower_index(i, 0);
      NO_UNROLL for (int j = 0; j <= i; ++j) env.H(target + j) = fused(-l, env.H(row + j), env.H(target + j));
    });
  }
}

/// Replaces `search` by the solution of L' L x = search.
template <class Team> INLINE void solve_hessian(Team team, const Model& model, Env& env, bool active) {
  NO_UNROLL for (int k = model.nv - 1; k >= 0; --k) {
    const int row = lower_index(k, 0);
    const real value = active ? env.search(k) * env.H(row + k) : real(0);
    team.sync();
    team.each(active ? k + 1 : 0, [&](int j) { env.search(j) = j == k ? value : fused(-env.H(row + j), value, env.search(j)); });
  }
  NO_UNROLL for (int k = 0; k < model.nv; ++k) {
    const real value = active ? env.search(k) * env.H(lower_index(k, k)) : real(0);
    team.sync();
    team.each(active ? model.nv - k : 0, [&](int t) {
      const int i = k + t;
      env.search(i) = t == 0 ? value : fused(-env.H(lower_index(i, k)), value, env.search(i));
    });
  }
}

/// Fills `search` with minus the solution of H x = grad, H being assembled in memory; leaves its factor there.
template <class Team> INLINE void newton_direction(Team team, const Model& model, Env& env, bool active) {
  if constexpr (factors_in_registers<Team>()) {
#if PHALANX_SPECIALISED
    using Columns = RegisterColumns<Team, false>;
    Columns columns;
    columns.load(team, [&](int i, int j) { return env.H(lower_index(i, j)); });
    columns.factor(team, smallest_length);
    team.sync();
    columns.save(team, [&](int i, int j, real value) { env.H(lower_index(i, j)) = value; });
    real x[Columns::slots];
    UNROLL for (int c = 0; c < Columns::slots; ++c) {
      const int j = team.lane + c * Team::lanes;
      x[c] = j < model.nv ? -env.grad(j) : real(0);
    }
    columns.solve(team, x, [&](int i, int k) { return env.H(lower_index(i, k)); });
    UNROLL for (int c = 0; c < Columns::slots; ++c) {
      const int j = team.lane + c * Team::lanes;
      if (active && j < model.nv) env.search(j) = x[c];
    }
    team.sync();
#endif
  } else {
    factor_hessian(team, model, env, active);
    team.each(active ? model.nv : 0, [&](int i) { env.search(i) = -env.grad(i); });
    solve_hessian(team, model, env, active);
  }
}
