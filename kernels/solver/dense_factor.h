// The factor of a dense symmetric matrix:  H = L' L, from the last dof to the first, in place.
//
// The order is the tree's: while contacts do not couple branches, no entry of L is filled that M does not have, and a zero
// multiplier is skipped. The diagonal is stored as its inverse.
#pragma once
#include "solver/constraint_products.h"
#include "solver/sparse_factor.h"

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
      real* RESTRICT target = &env.H(lower_index(i, 0));
      const real* RESTRICT pivot = &env.H(row);
      NO_UNROLL for (int j = 0; j <= i; ++j) target[j] = fused(-l, pivot[j], target[j]);
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
    if constexpr (Team::lanes > 1) {
      const real value = active ? env.search(k) * env.H(lower_index(k, k)) : real(0);
      team.sync();
      team.each(active ? model.nv - k : 0, [&](int t) {
        const int i = k + t;
        env.search(i) = t == 0 ? value : fused(-env.H(lower_index(i, k)), value, env.search(i));
      });
    } else {  // the same sums, row by row
      const real* row = &env.H(lower_index(k, 0));
      real sum = env.search(k);
      for (int j = 0; j < k; ++j) sum = fused(-row[j], env.search(j), sum);
      if (active) env.search(k) = sum * row[k];
    }
  }
}

/// The pattern of H: the tree's, and what contacts between two branches add.
template <class Team> INLINE void hessian_pattern(Team team, const Model& model, Env& env, int contacts) {
  tree_pattern(team, model, env);
  bool coupled = false;
  NO_UNROLL for (int c = 0; team.any_in_warp(c < contacts); ++c) {
    const int count = c < contacts ? env.con_num(c) : 0, first = count > 0 ? env.con_adr(c) : 0;
    // Dofs of one chain are ancestors of each other already; more dofs than steps up the tree mean a second chain.
    const int climbed = count > 0 ? model.dof_depth(env.con_J(first).dof) - model.dof_depth(env.con_J(first + count - 1).dof) : 0;
    const bool two_chains = climbed != count - 1;
    coupled |= count > 0 && two_chains;
    team.each(count > 0 && two_chains ? count : 0, [&](int row) {
      NO_UNROLL for (int t = row + 1; t < count; ++t) add_to_row(model, env, env.con_J(first + row).dof, env.con_J(first + t).dof);
    });
  }
  if (team.any_in_warp(coupled)) fill_pattern(team, model, env);
}

/// Fills `search` with minus the solution of H x = grad, H being assembled in memory; leaves its factor there.
template <class Team> INLINE void newton_direction(Team team, const Model& model, Env& env, bool active) {
  if (model.nv > most_dense_dofs) {
    const auto entry = [&](int i, int j) -> real& { return env.H(lower_index(i, j)); };
    factor_pattern(team, model, env, smallest_length, active, entry);
    team.each(active ? model.nv : 0, [&](int i) { env.search(i) = -env.grad(i); });
    solve_pattern(team, model, env, active, entry, [&](int i) -> real& { return env.search(i); });
  } else {
    factor_hessian(team, model, env, active);
    team.each(active ? model.nv : 0, [&](int i) { env.search(i) = -env.grad(i); });
    solve_hessian(team, model, env, active);
  }
}
