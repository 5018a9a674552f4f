// The factor of a dense symmetric matrix:  H = L' L, from the last dof to the first, in place.
//
// The order is the tree's: while contacts do not couple branches, no entry of L is filled that M does not have, and a zero
// multiplier is skipped. The diagonal is stored as its inverse.
#pragma once
#include "solver/constraint_products.h"

template <class Team> INLINE void factor_hessian(Team team, const Model& model, Env& env, bool active) {
  NO_UNROLL for (int k = model.nv - 1; k >= 0; --k) {
    const int row = lower_index(k, 0);
    const real inverse = active ? 1 / square_root(max(env.H(row + k), smallest_length)) : real(0);
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
