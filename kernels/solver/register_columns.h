// A symmetric matrix over the dofs in the registers of a team: lane j holds column j, from the diagonal down.
//
// The factor H = L' L is the one of dense_factor.h and tree_factor.h, element by element in the same order, so its bits are the
// same; here only a pivot's row goes through memory. A register has a name, not a number, so loops over a column are unrolled: this
// is for specialised kernels of at most `most_register_dofs` dofs. Where the matrix has the tree's sparsity, right sides skip
// the pairs of dofs of which neither is above the other; in the matrix those are zeros.
#pragma once
#include "generated/view.h"
#include "platform/team.h"

/// Unrolled code and registers grow with the square of the dofs.
constexpr int most_register_dofs = 48;

/// Whether a kernel of this team and model factors in registers.
template <class Team> constexpr bool factors_in_registers() {
#if PHALANX_SPECIALISED
  return Team::lanes > 2 && Model::nv > 0 && Model::nv <= most_register_dofs && Model::nv <= 2 * Team::lanes;
#else
  return false;
#endif
}

#if PHALANX_SPECIALISED
/// A set of dofs, as bits.
struct DofSet {
  static constexpr int words = (Model::nv + 31) / 32;
  uint32_t bits[words];

  /// The word that holds `dof`, without an index that only memory could follow.
  INLINE uint32_t word_of(int dof) const {
    uint32_t found = bits[0];
    UNROLL for (int word = 1; word < words; ++word) found = dof >= 32 * word ? bits[word] : found;
    return found;
  }
  INLINE bool has(int dof) const { return word_of(dof) >> (dof & 31) & 1u; }
  /// How many of the set's dofs are higher than `dof`.
  INLINE int above(int dof) const {
    int count = count_ones(word_of(dof) >> (dof & 31) >> 1);
    UNROLL for (int word = 1; word < words; ++word) {
      if (32 * word > dof) count += count_ones(bits[word]);
    }
    return count;
  }
};
INLINE DofSet dof_set(const uint32_t (&bits)[DofSet::words]) {
  DofSet set;
  UNROLL for (int word = 0; word < DofSet::words; ++word) set.bits[word] = bits[word];
  return set;
}
INLINE DofSet nothing() { return {}; }
/// The dofs above `dof`, and those below it; none for a lane without a dof.
INLINE DofSet ancestors(int dof) { return dof < Model::nv ? dof_set(table::dof_ancestors[dof]) : nothing(); }
INLINE DofSet descendants(int dof) { return dof < Model::nv ? dof_set(table::dof_descendants[dof]) : nothing(); }

template <class Team, bool tree> struct RegisterColumns {
  static constexpr int n = Model::nv, lanes = Team::lanes, slots = (n + lanes - 1) / lanes, padded = (n + 4) / 4 * 4;
  real column[slots][n];
  real inverse[slots];  // of the factor's diagonal

  /// The dof of the lane's column c; n and more for a column that is not there.
  static INLINE int dof(Team team, int c) { return team.lane + c * lanes; }

  /// Reads the lower triangle: at(i, j) for j <= i.
  template <class At> INLINE void load(Team team, At at) {
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = dof(team, c);
      UNROLL for (int i = 0; i < n; ++i) column[c][i] = j <= i && j < n ? at(i, j) : real(0);
    }
  }
  /// Reads the mass matrix; `diagonal(c, mass)` replaces the diagonal of the lane's column c.
  template <class Diagonal> INLINE void load_mass(Team team, const Model& model, const Env& env, Diagonal diagonal) {
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = dof(team, c);
      const DofSet below = descendants(j);
      const int start = j < n ? -model.dof_depth(j) : 0;
      UNROLL for (int i = 0; i < n; ++i) {
        column[c][i] = 0;
        if (below.has(i)) column[c][i] = env.M(start + table::dof_Madr[i] + table::dof_depth[i]);
        if (i == j) column[c][i] = diagonal(c, env.M(table::dof_Madr[i]));
      }
    }
  }
  /// Replaces the matrix by its factor and x, a number for each of the lane's columns, by the solution of L' y = x. Row by row
  /// the factor goes to `store`, and with y through a small buffer to all lanes: reading four numbers of it at once beats asking
  /// their lanes one by one.
  template <class Store> INLINE void factor(Team team, const Env& env, real least, real (&x)[slots], Store store) {
    DofSet below[slots];
    UNROLL for (int c = 0; c < slots; ++c) below[c] = tree ? descendants(dof(team, c)) : nothing();
    factor_rows<n - 1>(team, env, least, x, store, below);
    team.sync();
  }
  /// Rows `high` down to the end of their run, then the rest. A run is a loop: what is left of the columns moves up by one
  /// register each time, so that the row at hand is always in the last one; a new run leaves out the registers without a row.
  template <int high, class Store>
  INLINE void factor_rows(Team team, const Env& env, real least, real (&x)[slots], Store store, const DofSet (&below)[slots]) {
    constexpr int run = 6, pivot_slot = high / lanes, low = high - run + 1 > pivot_slot * lanes ? high - run + 1 : pivot_slot * lanes;
    constexpr int first = n - 1 - high;  // the register of row 0
    NO_UNROLL for (int k = high; k >= low; --k) {
      const int shift = n - 1 - k, buffer = (k & 1) * padded;
      const real pivot = inverse_square_root(max(team.broadcast(column[pivot_slot][n - 1], k - pivot_slot * lanes), least));
      UNROLL for (int c = 0; c <= pivot_slot; ++c) {
        const int j = dof(team, c);
        if (j == k) {
          inverse[c] = pivot;
          env.pivot_row(buffer + padded - 1) = x[c] = x[c] * pivot;
        }
        const real l = column[c][n - 1] = column[c][n - 1] * pivot;
        if (j < k) {
          env.pivot_row(buffer + shift + j) = l;
          store(k, j, l);
        }
      }
      team.sync();
      const real y = env.pivot_row(buffer + padded - 1);
      real l[pivot_slot + 1];
      UNROLL for (int c = 0; c <= pivot_slot; ++c) {
        l[c] = column[c][n - 1];
        if (dof(team, c) < k && (!tree || below[c].has(k))) x[c] = fused(-l[c], y, x[c]);
      }
      UNROLL for (int r = (n - 1) / 4 * 4; r >= first / 4 * 4; r -= 4) {
        const FourReals row = *(const FourReals*)&env.pivot_row(buffer + r);
        UNROLL for (int m = 3; m >= 0; --m) {
          if (r + m < first || r + m > n - 2) continue;
          UNROLL for (int c = 0; c <= pivot_slot; ++c) column[c][r + m + 1] = fused(-row.value[m], l[c], column[c][r + m]);
        }
      }
    }
    if constexpr (low > 0) factor_rows<low - 1>(team, env, least, x, store, below);
  }
  /// Replaces x by the solution of L x = y; row(i, k) is the factor in memory.
  template <class Row> INLINE void solve(Team team, real (&x)[slots], Row row) const {
    DofSet above[slots];
    UNROLL for (int c = 0; c < slots; ++c) above[c] = tree ? ancestors(dof(team, c)) : nothing();
    UNROLL for (int pivot_slot = 0; pivot_slot < slots; ++pivot_slot) {
      const int end = n - pivot_slot * lanes < lanes ? n - pivot_slot * lanes : lanes;
      NO_UNROLL for (int lane = 0; lane < end; ++lane) {
        const int k = pivot_slot * lanes + lane;
        const real value = team.broadcast(x[pivot_slot] * inverse[pivot_slot], lane);
        UNROLL for (int c = pivot_slot; c < slots; ++c) {
          const int i = dof(team, c);
          if (i == k) x[c] = value;
          else if (i > k && i < n && (!tree || above[c].has(k))) x[c] = fused(-row(i, k), value, x[c]);
        }
      }
    }
  }
};

/// (M x)(j), the sums of multiply_tree in the same order; x is a vector in memory, read four at a time.
template <class Vector> INLINE real multiply_mass(const Model& model, const Env& env, Vector x, int j) {
  constexpr int n = Model::nv;
  if (j >= n) return 0;
  const DofSet above = ancestors(j), below = descendants(j);
  const int own = model.dof_Madr(j), depth = model.dof_depth(j);
  real value[(n + 3) / 4 * 4];
  UNROLL for (int i = 0; i < n; i += 4) {
    const FourReals four = *(const FourReals*)&x(i);
    UNROLL for (int m = 0; m < 4; ++m) value[i + m] = four.value[m];
  }
  real sum = env.M(own) * x(j);
  UNROLL for (int i = n - 1; i >= 0; --i) {
    if (table::dof_subtree_end[i] > i + 1 && above.has(i)) sum = fused(env.M(own + depth - table::dof_depth[i]), value[i], sum);
  }
  UNROLL for (int i = 0; i < n; ++i) {
    if (table::dof_depth[i] > 0 && below.has(i)) sum = fused(env.M(table::dof_Madr[i] + table::dof_depth[i] - depth), value[i], sum);
  }
  return sum;
}
#endif
