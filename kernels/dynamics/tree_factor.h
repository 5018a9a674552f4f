// The factor of a matrix with the tree's sparsity:  A = L' L, from the last dof to the first, without fill.
//
// Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5, as a Cholesky factor: row k of L holds dof k and its
// ancestors, as M does. The diagonal is stored as its inverse, since it is only ever divided by.
#pragma once
#include "generated/view.h"
#include "platform/team.h"

/// Calls f(t, i) for the t-th dof i above k, t from 1 to `count`. A lane climbs to its own; one lane alone climbs once.
template <class Team, class F> INLINE void each_above(Team team, const Model& model, int k, int count, F f) {
  if constexpr (Team::lanes > 1) {
    team.each(count, [&](int above) {
      int i = model.dof_parentid(k);
      for (int up = 0; up < above; ++up) i = model.dof_parentid(i);
      f(above + 1, i);
    });
  } else {
    for (int t = 1, i = model.dof_parentid(k); t <= count; ++t, i = model.dof_parentid(i)) f(t, i);
  }
}

/// Replaces A by L; `at(entry)` refers to the entries in M's order.
template <class Team, class Entries> INLINE void factor_tree(Team team, const Model& model, Entries at) {
  NO_UNROLL for (int k = model.nv - 1; k >= 0; --k) {
    const int row = model.dof_Madr(k), above = model.dof_depth(k);
    const real inverse = inverse_square_root(at(row));
    team.sync();
    team.each(above + 1, [&](int t) { at(row + t) = t == 0 ? inverse : at(row + t) * inverse; });
    each_above(team, model, k, above, [&](int t, int i) {  // the t-th dof above k loses the product with every dof above it
      const int target = model.dof_Madr(i);
      const real l = at(row + t);
      for (int u = t; u <= above; ++u) at(target + u - t) = fused(-l, at(row + u), at(target + u - t));
    });
  }
}

/// Replaces x by the solution of L' L x = b, given b in x.
template <class Team, class Entries, class Vector> INLINE void solve_tree(Team team, const Model& model, Entries at, Vector x) {
  NO_UNROLL for (int k = model.nv - 1; k >= 0; --k) {
    const int row = model.dof_Madr(k);
    const real value = x(k) * at(row);
    team.sync();
    team.each(1, [&](int) { x(k) = value; });
    each_above(team, model, k, model.dof_depth(k), [&](int t, int i) { x(i) = fused(-at(row + t), value, x(i)); });
  }
  NO_UNROLL for (int k = 0; k < model.nv; ++k) {
    const real value = x(k) * at(model.dof_Madr(k));
    team.sync();
    team.each(model.dof_subtree_end(k) - k, [&](int t) {
      const int i = k + t;
      if (t == 0) {
        x(k) = value;
        return;
      }
      x(i) = fused(-at(model.dof_Madr(i) + model.dof_depth(i) - model.dof_depth(k)), value, x(i));
    });
  }
}

/// y(i) = (M x)(i)
template <class Vector> INLINE real multiply_tree(const Model& model, const Env& env, Vector x, int i) {
  int entry = model.dof_Madr(i);
  real sum = env.M(entry) * x(i);
  NO_UNROLL for (int j = model.dof_parentid(i); j >= 0; j = model.dof_parentid(j)) sum = fused(env.M(++entry), x(j), sum);
  const int depth = model.dof_depth(i), end = model.dof_subtree_end(i);
  NO_UNROLL for (int k = i + 1; k < end; ++k) sum = fused(env.M(model.dof_Madr(k) + model.dof_depth(k) - depth), x(k), sum);
  return sum;
}
