// The factor of a symmetric matrix in memory:  H = L' L, from the last dof to the first, in place.
//
// The order is the tree's: while contacts do not couple branches, no entry of L is filled that M does not have, and a zero
// multiplier is skipped. The diagonal is stored as its inverse.
#pragma once
#include "solver/constraint_products.h"
#include "solver/sparse_factor.h"

/// Where `count` neighbours of H begin, for a loop that walks them by itself; a checked build looks at both ends.
INLINE real* neighbours(const Env& env, int begin, int count) {
  (void)env.H(begin + count - 1);
  return &env.H(begin);
}

/// Replaces the block of H over the dofs from `first` to `end` by its factor.
template <class Team> INLINE void factor_block(Team team, Env& env, int first, int end, bool active) {
  NO_UNROLL for (int k = end - 1; k >= first; --k) {
    const int row = lower_index(k, first), before = k - first;
    const real inverse = active ? inverse_square_root(max(env.H(row + before), smallest_length)) : real(0);
    team.sync();
    team.each_if(active, before + 1, [&](int j) { env.H(row + j) = j == before ? inverse : env.H(row + j) * inverse; });
    team.each_if(active, before, [&](int i) {
      const real l = env.H(row + i);
      if (l == 0) return;
      real* RESTRICT target = neighbours(env, lower_index(first + i, first), i + 1);
      const real* RESTRICT pivot = neighbours(env, row, i + 1);
      NO_UNROLL for (int j = 0; j <= i; ++j) target[j] = fused(-l, pivot[j], target[j]);
    });
  }
}

/// Replaces the block of x by the solution of L' L x = b, given b in x.
template <class Team, class Vector> INLINE void solve_block(Team team, Env& env, int first, int end, bool active, Vector x) {
  NO_UNROLL for (int k = end - 1; k >= first; --k) {
    const int row = lower_index(k, first), before = k - first;
    const real value = active ? x(k) * env.H(row + before) : real(0);
    team.sync();
    team.each_if(active, before + 1, [&](int j) { x(first + j) = j == before ? value : fused(-env.H(row + j), value, x(first + j)); });
  }
  NO_UNROLL for (int k = first; k < end; ++k) {
    if constexpr (Team::lanes > 1) {
      const real value = active ? x(k) * env.H(lower_index(k, k)) : real(0);
      team.sync();
      team.each_if(active, end - k, [&](int t) {
        const int i = k + t;
        x(i) = t == 0 ? value : fused(-env.H(lower_index(i, k)), value, x(i));
      });
    } else {  // the same sums, row by row
      const real* row = neighbours(env, lower_index(k, first), k - first + 1);
      real sum = x(k);
      for (int j = first; j < k; ++j) sum = fused(-row[j - first], x(j), sum);
      if (active) x(k) = sum * row[k - first];
    }
  }
}

/// Whether a contact couples two kinematic trees.
template <class Team> INLINE bool couples_trees(Team team, const Model& model, const Env& env, int contacts) {
  bool coupled = false;
  NO_UNROLL for (int c = team.lane; c < contacts; c += Team::lanes) {
    const int count = env.con_num(c), first = count > 0 ? env.con_adr(c) : 0;
    coupled |= count > 0 && model.dof_treeid(env.con_J(first).dof) != model.dof_treeid(env.con_J(first + count - 1).dof);
  }
  return team.any(coupled);
}

/// The pattern of H: the trees', and what contacts between two branches add.
template <class Team> INLINE void hessian_pattern(Team team, const Model& model, Env& env, int contacts) {
  tree_pattern(team, model, env);
  bool coupled = false;
  NO_UNROLL for (int c = team.lane; c < contacts; c += Team::lanes) {
    const int count = env.con_num(c), first = count > 0 ? env.con_adr(c) : 0;
    if (count == 0) continue;
    // Dofs of one chain are ancestors of each other already; more dofs than steps up the tree mean a second chain.
    const int climbed = model.dof_depth(env.con_J(first).dof) - model.dof_depth(env.con_J(first + count - 1).dof);
    if (climbed == count - 1) continue;
    couple_bodies(model, env, first, count);
    coupled = true;
  }
  team.sync();
  coupled = team.any(coupled);
  if (team.any_in_warp(coupled)) order_by_degree(team, model, env, coupled);
  list_columns(team, model, env, true);
}

/// Finds out how the Hessian of these contacts is to be factored: see solve_in_memory.
template <class Team> INLINE void prepare_factor(Team team, const Model& model, Env& env, int contacts) {
  if (!is_large(model)) return;
  const bool by_tree = model.tree_lower > 0;
  env.coupled = by_tree && couples_trees(team, model, env, contacts);
  if (team.any_in_warp(!by_tree || env.coupled)) hessian_pattern(team, model, env, contacts);
}

/// Replaces x by the solution of H x = b, given b in x and H in memory, where its factor stays. A small matrix is dense. Of a
/// large one each tree has a block of its own, unless contacts couple trees, or trees are too large or too small: then the
/// pattern rules.
template <class Team, class Vector>
INLINE void solve_in_memory(Team team, const Model& model, Env& env, bool active, Vector x) {
  const bool dense = !is_large(model);
  const bool by_pattern = active && goes_by_pattern(model, env), by_blocks = active && !by_pattern;
  if (team.any_in_warp(by_pattern)) {
    const auto entry = [&](int i, int j) -> real& { return env.H(lower_index(i, j)); };
    solve_by_pattern(team, model, env, smallest_length, by_pattern, entry, x);
  }
  if (team.any_in_warp(by_blocks)) {
    const int count = dense ? 1 : model.ntree;
    NO_UNROLL for (int block = 0; block < count; ++block) {
      const int first = dense ? 0 : model.tree_dofadr(block), end = dense ? model.nv : first + model.tree_dofnum(block);
      factor_block(team, env, first, end, by_blocks);
      solve_block(team, env, first, end, by_blocks, x);
    }
  }
}

/// Fills `search` with minus the solution of H x = grad, H being assembled in memory; leaves its factor there.
template <class Team> INLINE void newton_direction(Team team, const Model& model, Env& env, bool active) {
  team.each_if(active, model.nv, [&](int i) { env.search(i) = -env.grad(i); });
  solve_in_memory(team, model, env, active, [&](int i) -> real& { return env.search(i); });
}
