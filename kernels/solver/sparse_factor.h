// The factor H = L' L of a large matrix, by the entries that can be nonzero: a set of columns for each row.
//
// A row starts with the dof's ancestors; a contact between two branches adds the other branch's dofs, and elimination hands
// what is left of a row to the highest dof in it (the elimination tree; Davis, Direct Methods for Sparse Linear Systems (2006),
// section 4.1). The arithmetic is that of dense_factor.h, which skips the same zeros.
#pragma once
#include "dynamics/tree_factor.h"

/// Above this many dofs a matrix is no longer dense: each tree is a block of its own, or where that cannot be the pattern rules.
constexpr int most_dense_dofs = 48;

INLINE int mask_words(const Model& model) { return (model.nv + 31) / 32; }

/// Whether row k has an entry in column j.
INLINE bool in_row(const Model& model, const Env& env, int k, int j) {
  return (uint32_t)env.factor_mask(k * mask_words(model) + j / 32) >> (j % 32) & 1u;
}
INLINE void add_to_row(const Model& model, const Env& env, int k, int j) {
  int& word = env.factor_mask(k * mask_words(model) + j / 32);
  word = (int)((uint32_t)word | 1u << (j % 32));
}

/// Calls f for every column of row k: a lane a column, or one lane from set bit to set bit, ascending.
template <class Team, class F> INLINE void each_in_row(Team team, const Model& model, const Env& env, int k, bool active, F f) {
  if constexpr (Team::lanes > 1) {
    team.each(active ? k : 0, [&](int j) {
      if (in_row(model, env, k, j)) f(j);
    });
  } else {
    const int words = mask_words(model);
    for (int w = 0; active && w < words; ++w) {
      for (uint32_t word = (uint32_t)env.factor_mask(k * words + w); word; word &= word - 1) f(32 * w + trailing_zeros(word));
    }
  }
}

/// The rows of a matrix with the tree's own pattern: every dof's ancestors.
template <class Team> INLINE void tree_pattern(Team team, const Model& model, Env& env) {
  const int words = mask_words(model);
  team.each(model.nv, [&](int k) {
    for (int w = 0; w < words; ++w) env.factor_mask(k * words + w) = 0;
    NO_UNROLL for (int j = model.dof_parentid(k); j >= 0; j = model.dof_parentid(j)) add_to_row(model, env, k, j);
  });
}

/// Hands each row on to the highest dof in it: the fill of the elimination.
template <class Team> INLINE void fill_pattern(Team team, const Model& model, Env& env) {
  const int words = mask_words(model);
  team.each(1, [&](int) {
    NO_UNROLL for (int k = model.nv - 1; k > 0; --k) {
      int highest = -1;
      NO_UNROLL for (int w = words - 1; w >= 0 && highest < 0; --w) {
        const uint32_t word = (uint32_t)env.factor_mask(k * words + w);
        if (word) highest = 32 * w + 31 - leading_zeros(word);
      }
      NO_UNROLL for (int w = 0; highest > 0 && w <= highest / 32; ++w) {
        uint32_t word = (uint32_t)env.factor_mask(k * words + w);
        if (w == highest / 32) word &= (1u << (highest % 32)) - 1u;
        int& target = env.factor_mask(highest * words + w);
        target = (int)((uint32_t)target | word);
      }
    }
  });
}

/// Replaces the matrix by its factor; at(i, j) refers to entry (i, j), j <= i.
template <class Team, class At> INLINE void factor_pattern(Team team, const Model& model, Env& env, real least, bool active, At at) {
  const int words = mask_words(model);
  NO_UNROLL for (int k = model.nv - 1; k >= 0; --k) {
    const real inverse = active ? inverse_square_root(max(at(k, k), least)) : real(0);
    team.sync();
    int count = 0;
    NO_UNROLL for (int w = 0; w < words; ++w) count += count_ones((uint32_t)env.factor_mask(k * words + w));
    each_in_row(team, model, env, k, active, [&](int j) {
      int place = count_ones((uint32_t)env.factor_mask(k * words + j / 32) & ((1u << (j % 32)) - 1u));
      NO_UNROLL for (int w = 0; w < j / 32; ++w) place += count_ones((uint32_t)env.factor_mask(k * words + w));
      env.factor_list(count - 1 - place) = j;  // descending
      at(k, j) = at(k, j) * inverse;
    });
    team.each(active ? 1 : 0, [&](int) { at(k, k) = inverse; });
    team.triangle(active ? count : 0, [&](int s, int t) {
      const int i = env.factor_list(s), j = env.factor_list(t);
      at(i, j) = fused(-at(k, i), at(k, j), at(i, j));
    });
  }
}

/// Replaces x by the solution of L' L x = b, given b in x.
template <class Team, class At, class Vector> INLINE void solve_pattern(Team team, const Model& model, Env& env, bool active, At at, Vector x) {
  NO_UNROLL for (int k = model.nv - 1; k >= 0; --k) {
    const real value = active ? x(k) * at(k, k) : real(0);
    team.sync();
    each_in_row(team, model, env, k, active, [&](int j) { x(j) = fused(-at(k, j), value, x(j)); });
    team.each(active ? 1 : 0, [&](int) { x(k) = value; });
  }
  NO_UNROLL for (int k = 0; k < model.nv; ++k) {
    if constexpr (Team::lanes > 1) {
      const real value = active ? x(k) * at(k, k) : real(0);
      team.sync();
      team.each(active ? model.nv - k : 0, [&](int t) {
        const int i = k + t;
        if (t == 0) x(k) = value;
        else if (in_row(model, env, i, k)) x(i) = fused(-at(i, k), value, x(i));
      });
    } else {  // the same sums, row by row
      real sum = x(k);
      each_in_row(team, model, env, k, active, [&](int j) { sum = fused(-at(k, j), x(j), sum); });
      if (active) x(k) = sum * at(k, k);
    }
  }
}
