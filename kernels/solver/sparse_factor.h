// The factor H = L' L of a large matrix, by the entries that can be nonzero: a set of bodies for each body.
//
// The rows of a body's dofs have the same columns beyond the body: those of the bodies that carry it, and what contacts couple.
// Bodies are eliminated in an order that keeps fill low: where contacts couple branches, next is always the body with the fewest
// neighbours left (minimum degree: George and Liu, The evolution of the minimum degree ordering algorithm (1989)), else from the
// last to the first. The matrix is laid out in that order, so that elimination goes from the last row to the first.
//
// The rows of a body, six at most, are eliminated together: their own small triangle in the registers of every lane, then the
// columns beyond, then what they subtract from the rows of other bodies. An element meets its terms in the order of
// elimination, whatever is taken together.
#pragma once
#include "dynamics/tree_factor.h"

/// The most dofs of a body: MuJoCo allows six.
#if PHALANX_SPECIALISED
template <int count> constexpr int largest_of(const int (&numbers)[count]) {
  int largest = 1;
  for (int number : numbers) largest = number > largest ? number : largest;
  return largest;
}
constexpr int most_pivots = largest_of(table::body_dofnum);
#define UNROLL_PIVOTS UNROLL
#else
constexpr int most_pivots = 6;
#define UNROLL_PIVOTS NO_UNROLL  // a sixth of the code, in a kernel that stands in
#endif

/// Entry (i, j), j <= i, of a lower triangle stored by rows.
INLINE constexpr int lower_index(int i, int j) { return i * (i + 1) / 2 + j; }

/// Whether the matrix is too large to be dense: then each tree is a block of its own, and where trees touch, or are too large or
/// too small for that, the pattern rules.
INLINE bool is_large(const Model& model) { return model.pattern_dofs > 0; }

/// Whether the environment's matrix goes by the pattern: it is large, and its trees are not blocks of their own.
INLINE bool goes_by_pattern(const Model& model, const Env& env) { return is_large(model) && (model.tree_lower == 0 || env.coupled); }

/// Where entry (i, j) of dofs i and j is in a lower triangle that is laid out in order of elimination.
INLINE int place_of(const Env& env, int i, int j) {
  const int a = env.factor_place(i), b = env.factor_place(j);
  return a > b ? lower_index(a, b) : lower_index(b, a);
}

INLINE int mask_words(const Model& model) { return (model.nbody + 31) / 32; }

/// Whether the rows of body `row` have entries in the columns of body `column`, which is eliminated later.
INLINE bool in_row(const Model& model, const Env& env, int row, int column) {
  return (uint32_t)env.factor_mask(row * mask_words(model) + column / 32) >> (column % 32) & 1u;
}
INLINE void add_to_row(const Model& model, const Env& env, int row, int column) {
  atomic_or(&env.factor_mask(row * mask_words(model) + column / 32), (int)(1u << (column % 32)));
}

/// The body with the next dof towards the root, or -1.
INLINE int body_above(const Model& model, int body) {
  const int dof = model.body_dofnum(body) > 0 ? model.dof_parentid(model.body_dofadr(body)) : -1;
  return dof < 0 ? -1 : model.dof_bodyid(dof);
}

/// The pattern of a matrix with the trees' own sparsity, every body's ancestors, eliminated from the last body to the first.
template <class Team> INLINE void tree_pattern(Team team, const Model& model, Env& env) {
  const int words = mask_words(model);
  team.each(model.nbody, [&](int body) {
    env.factor_body(body) = body;
    for (int w = 0; w < words; ++w) env.factor_mask(body * words + w) = 0;
    // A lane's own rows: no other lane adds to them.
    NO_UNROLL for (int above = body_above(model, body); above >= 0; above = body_above(model, above)) {
      env.factor_mask(body * words + above / 32) |= (int)(1u << (above % 32));
    }
  });
  team.each(model.nv, [&](int i) { env.factor_place(i) = env.factor_dof(i) = i; });
}

/// Makes the bodies of these Jacobian entries, one contact's, neighbours of each other.
INLINE void couple_bodies(const Model& model, const Env& env, int first, int count) {
  const int words = mask_words(model);
  NO_UNROLL for (int w = 0; w < words; ++w) {
    uint32_t bodies = 0;
    NO_UNROLL for (int e = first; e < first + count; ++e) {
      const int body = model.dof_bodyid(env.con_J(e).dof);
      if (body / 32 == w) bodies |= 1u << (body % 32);
    }
    NO_UNROLL for (int e = first, last = -1; e < first + count; ++e) {
      const int body = model.dof_bodyid(env.con_J(e).dof);
      const uint32_t others = body / 32 == w ? bodies & ~(1u << (body % 32)) : bodies;
      if (body != last && others) atomic_or(&env.factor_mask(body * words + w), (int)others);
      last = body;
    }
  }
}

/// Orders the bodies by least degree and finds the fill; what a set has left when its body is eliminated are that row's columns.
template <class Team> INLINE void order_by_degree(Team team, const Model& model, Env& env, bool wanted) {
  constexpr int none = 0x7fffffff, highest_body = 0xffff;
  const int words = mask_words(model);
  const auto neighbours_left = [&](int body) {
    int degree = 0;
    NO_UNROLL for (int w = 0; w < words; ++w) degree += count_ones((uint32_t)env.factor_mask(body * words + w));
    return degree;
  };
  team.each_if(wanted, model.nbody, [&](int body) {  // neighbours know each other
    NO_UNROLL for (int above = body_above(model, body); above >= 0; above = body_above(model, above)) add_to_row(model, env, above, body);
  });
  team.each_if(wanted, model.nbody, [&](int body) { env.factor_degree(body) = model.body_dofnum(body) > 0 ? neighbours_left(body) : -1; });
  int end = model.nv;
  NO_UNROLL for (int slot = model.nbody - 1; slot > 0; --slot) {
    int best = none;
    NO_UNROLL for (int body = team.lane; wanted && body < model.nbody; body += Team::lanes) {
      const int degree = env.factor_degree(body);
      if (degree >= 0) best = min(best, degree << 16 | (highest_body - body));  // of equals the last
    }
    best = team.least(best);
    const int chosen = best == none ? 0 : highest_body - (best & highest_body), dofs = best == none ? 0 : model.body_dofnum(chosen);
    const int first_dof = dofs > 0 ? model.body_dofadr(chosen) : 0;
    end -= dofs;
    team.each_if(wanted, model.nbody, [&](int body) {
      if (body == chosen) {
        env.factor_body(slot) = body;
        env.factor_degree(body) = -1;
      } else if (in_row(model, env, chosen, body)) {
        NO_UNROLL for (int w = 0; w < words; ++w) {
          uint32_t bits = (uint32_t)env.factor_mask(body * words + w) | (uint32_t)env.factor_mask(chosen * words + w);
          if (body / 32 == w) bits &= ~(1u << (body % 32));
          if (chosen / 32 == w) bits &= ~(1u << (chosen % 32));
          env.factor_mask(body * words + w) = (int)bits;
        }
        env.factor_degree(body) = neighbours_left(body);
      }
    });
    team.each_if(wanted, dofs, [&](int k) {
      env.factor_place(first_dof + k) = end + k;
      env.factor_dof(end + k) = first_dof + k;
    });
  }
}

/// A body in the order of elimination: its first row and how many it has.
struct Rows {
  int body, begin, count;
};
INLINE Rows rows_of_slot(const Model& model, const Env& env, int slot) {
  const int body = env.factor_body(slot), count = model.body_dofnum(body);
  return {body, count > 0 ? env.factor_place(model.body_dofadr(body)) : 0, count};
}

/// Lists for every body the columns of its rows, descending.
template <class Team> INLINE void list_columns(Team team, const Model& model, Env& env, bool wanted) {
  const auto each_column = [&](int slot, auto f) {
    const int body = env.factor_body(slot);
    if (model.body_dofnum(body) == 0) return;
    NO_UNROLL for (int t = slot - 1; t > 0; --t) {
      const Rows other = rows_of_slot(model, env, t);
      if (!in_row(model, env, body, other.body)) continue;
      NO_UNROLL for (int k = other.count - 1; k >= 0; --k) f(other.begin + k);
    }
  };
  int end = 0;
  team.rounds(wanted ? model.nbody : 0, [&](int slot, bool valid) {
    int count = 0, total;
    if (valid) each_column(slot, [&](int) { ++count; });
    const int begin = end + team.scan(count, total);
    if (valid) env.factor_adr(slot) = begin;
    end += total;
  });
  team.each_if(wanted, model.nbody, [&](int slot) {
    int next = env.factor_adr(slot);
    each_column(slot, [&](int column) { env.factor_list(next++) = column; });
    env.factor_end(slot) = next;
  });
}

/// The rows of one body: their triangle of the factor, the diagonal inverted.
struct Pivots {
  int first, count;
  real factor[most_pivots * (most_pivots + 1) / 2];

  INLINE Pivots(Rows rows, bool active) : first(rows.begin), count(active ? rows.count : 0) {}
  INLINE bool has(int k) const { return k < count; }
  INLINE real l(int i, int j) const { return factor[lower_index(i, j)]; }
  INLINE real& l(int i, int j) { return factor[lower_index(i, j)]; }

  template <class At> INLINE void load(At at) {
    UNROLL_PIVOTS for (int i = 0; i < most_pivots; ++i) {
      UNROLL_PIVOTS for (int j = 0; j <= i; ++j) l(i, j) = has(i) ? at(first + i, first + j) : real(0);
    }
  }
  template <class At> INLINE void store(At at) const {
    UNROLL_PIVOTS for (int i = 0; i < most_pivots; ++i) {
      UNROLL_PIVOTS for (int j = 0; j <= i; ++j) {
        if (has(i)) at(first + i, first + j) = l(i, j);
      }
    }
  }
  INLINE void eliminate(real least) {
    UNROLL_PIVOTS for (int k = most_pivots - 1; k >= 0; --k) {
      if (!has(k)) continue;
      const real inverse = inverse_square_root(max(l(k, k), least));
      l(k, k) = inverse;
      UNROLL_PIVOTS for (int j = 0; j < k; ++j) l(k, j) = l(k, j) * inverse;
      UNROLL_PIVOTS for (int i = 0; i < k; ++i) {
        UNROLL_PIVOTS for (int j = 0; j <= i; ++j) l(i, j) = fused(-l(k, i), l(k, j), l(i, j));
      }
    }
  }
  /// Replaces x by the solution of L' y = x for these rows.
  INLINE void solve_transposed(real (&x)[most_pivots]) const {
    UNROLL_PIVOTS for (int k = most_pivots - 1; k >= 0; --k) {
      x[k] = x[k] * l(k, k);
      UNROLL_PIVOTS for (int i = 0; i < k; ++i) x[i] = has(k) ? fused(-l(k, i), x[k], x[i]) : x[i];
    }
  }
  /// Replaces x by the solution of L y = x for these rows.
  INLINE void solve(real (&x)[most_pivots]) const {
    UNROLL_PIVOTS for (int k = 0; k < most_pivots; ++k) {
      x[k] = x[k] * l(k, k);
      UNROLL_PIVOTS for (int i = k + 1; i < most_pivots; ++i) x[i] = fused(-l(i, k), x[k], x[i]);
    }
  }
};

template <class Vector> INLINE void load_pivots(const Pivots& p, const Env& env, Vector x, real (&values)[most_pivots]) {
  UNROLL_PIVOTS for (int k = 0; k < most_pivots; ++k) values[k] = p.has(k) ? x(env.factor_dof(p.first + k)) : real(0);
}
template <class Vector> INLINE void store_pivots(const Pivots& p, const Env& env, const real (&values)[most_pivots], Vector x) {
  UNROLL_PIVOTS for (int k = 0; k < most_pivots; ++k) {
    if (p.has(k)) x(env.factor_dof(p.first + k)) = values[k];
  }
}

/// Subtracts from the rows of `count` listed columns what the pivots leave there. A lane takes three rows by three columns at a
/// time.
template <class Team, class At> INLINE void subtract_products(Team team, const Env& env, const Pivots& p, int list, int count, At at) {
  if constexpr (Team::lanes > 1) {
    constexpr int side = 3;
    team.triangle((count + side - 1) / side, [&](int s, int t) {
      int row[side], column[side];
      UNROLL for (int k = 0; k < side; ++k) {
        row[k] = env.factor_list(list + min(side * s + k, count - 1));
        column[k] = env.factor_list(list + min(side * t + k, count - 1));
      }
      const auto wanted = [&](int i, int j) { return side * t + j < count && (s < t || i <= j); };
      real h[side][side];
      UNROLL for (int i = 0; i < side; ++i) {
        UNROLL for (int j = 0; j < side; ++j) h[i][j] = wanted(i, j) ? at(row[i], column[j]) : real(0);
      }
      UNROLL_PIVOTS for (int k = most_pivots - 1; k >= 0; --k) {
        if (!p.has(k)) continue;
        real a[side], b[side];
        UNROLL for (int i = 0; i < side; ++i) a[i] = at(p.first + k, row[i]);
        UNROLL for (int j = 0; j < side; ++j) b[j] = at(p.first + k, column[j]);
        UNROLL for (int i = 0; i < side; ++i) {
          UNROLL for (int j = 0; j < side; ++j) h[i][j] = fused(-a[i], b[j], h[i][j]);
        }
      }
      UNROLL for (int i = 0; i < side; ++i) {
        UNROLL for (int j = 0; j < side; ++j) {
          if (wanted(i, j)) at(row[i], column[j]) = h[i][j];
        }
      }
    });
  } else {  // row by row, over columns that are neighbours
    for (int s = 0; s < count; ++s) {
      const int i = env.factor_list(list + s);
      for (int t = s, next; t < count; t = next) {
        const int high = env.factor_list(list + t);
        for (next = t + 1; next < count && env.factor_list(list + next) == high - (next - t);) ++next;
        const int low = high - (next - t) + 1;
        (void)at(i, high);  // a checked build looks at both ends
        real* RESTRICT target = &at(i, low);
        for (int k = p.count - 1; k >= 0; --k) {
          const real l = at(p.first + k, i);
          const real* RESTRICT pivot = &at(p.first + k, low);
          for (int j = 0; j <= high - low; ++j) target[j] = fused(-l, pivot[j], target[j]);
        }
      }
    }
  }
}

/// Replaces x by the solution of L x = b, given b in x.
template <class Team, class At, class Vector>
INLINE void solve_forward(Team team, const Model& model, Env& env, bool active, At at, Vector x) {
  NO_UNROLL for (int slot = 1; slot < model.nbody; ++slot) {
    const Rows rows = rows_of_slot(model, env, slot);
    const int end = rows.begin + rows.count;
    if constexpr (Team::lanes > 1) {
      Pivots p(rows, active);
      real y[most_pivots];
      p.load(at);
      load_pivots(p, env, x, y);
      p.solve(y);
      team.sync();
      team.each(p.count > 0 ? model.nv - p.first : 0, [&](int t) {
        const int i = p.first + t, dof = env.factor_dof(i);
        if (t == 0) store_pivots(p, env, y, x);
        if (i < end || !in_row(model, env, model.dof_bodyid(dof), rows.body)) return;
        real sum = x(dof);
        UNROLL_PIVOTS for (int k = 0; k < most_pivots; ++k) {
          if (p.has(k)) sum = fused(-at(i, p.first + k), y[k], sum);
        }
        x(dof) = sum;
      });
    } else {  // the same sums, row by row
      for (int i = rows.begin; active && i < end; ++i) {
        real sum = x(env.factor_dof(i));
        const auto subtract = [&](int j) { sum = fused(-at(i, j), x(env.factor_dof(j)), sum); };
        for (int t = env.factor_end(slot) - 1; t >= env.factor_adr(slot); --t) subtract(env.factor_list(t));
        for (int j = rows.begin; j < i; ++j) subtract(j);
        x(env.factor_dof(i)) = sum * at(i, i);
      }
    }
  }
}

/// Replaces the matrix by its factor and x by the solution of L' L x = b, given b in x; at(i, j) refers to the entry in row i and
/// column j <= i of the order of elimination.
template <class Team, class At, class Vector>
INLINE void solve_by_pattern(Team team, const Model& model, Env& env, real least, bool active, At at, Vector x) {
  NO_UNROLL for (int slot = model.nbody - 1; slot > 0; --slot) {
    Pivots p(rows_of_slot(model, env, slot), active);
    const int list = env.factor_adr(slot), columns = p.count > 0 ? env.factor_end(slot) - list : 0;
    real y[most_pivots];
    p.load(at);
    load_pivots(p, env, x, y);
    p.eliminate(least);
    p.solve_transposed(y);
    team.sync();
    team.each_if(p.count > 0, 1, [&](int) {
      p.store(at);
      store_pivots(p, env, y, x);
    });
    team.each(columns, [&](int t) {
      const int j = env.factor_list(list + t), dof = env.factor_dof(j);
      real column[most_pivots], sum = x(dof);
      UNROLL_PIVOTS for (int k = 0; k < most_pivots; ++k) column[k] = p.has(k) ? at(p.first + k, j) : real(0);
      UNROLL_PIVOTS for (int k = most_pivots - 1; k >= 0; --k) {
        if (!p.has(k)) continue;
        column[k] = column[k] * p.l(k, k);
        UNROLL_PIVOTS for (int i = 0; i < k; ++i) column[i] = fused(-p.l(k, i), column[k], column[i]);
        sum = fused(-column[k], y[k], sum);
        at(p.first + k, j) = column[k];
      }
      x(dof) = sum;
    });
    subtract_products(team, env, p, list, columns, at);
  }
  solve_forward(team, model, env, active, at, x);
}
