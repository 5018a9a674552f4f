// A symmetric matrix over the dofs in the registers of a team: lane j holds column j, from the diagonal down.
//
// The factor H = L' L is the one of dense_factor.h and tree_factor.h, element by element in the same order, so its bits are the
// same; here a pivot's row is exchanged by shuffles instead of through memory. Everything is unrolled over constant dofs, so
// it is for specialised kernels of at most `most_dofs` dofs. Pairs of dofs of which neither is above the other are left out
// where the matrix has the tree's sparsity.
#pragma once
#include "generated/view.h"
#include "platform/team.h"

/// Unrolled code and registers grow with the square of the dofs.
constexpr int most_register_dofs = 48;

/// Whether a kernel of this team and model factors in registers.
template <class Team> constexpr bool factors_in_registers() {
#if PHALANX_SPECIALISED
  return Team::lanes > 1 && Model::nv > 0 && Model::nv <= most_register_dofs && Model::nv <= 2 * Team::lanes;
#else
  return false;
#endif
}

#if PHALANX_SPECIALISED
template <class Team, bool tree> struct RegisterColumns {
  static constexpr int n = Model::nv, lanes = Team::lanes, slots = (n + lanes - 1) / lanes;
  real column[slots][n];

  /// Whether the factor has an entry in row k and column j < k.
  static constexpr bool stored(int k, int j) { return !tree || (table::dof_ancestors[k][j / 32] >> (j % 32) & 1u); }

  /// Reads the lower triangle: at(i, j) for j <= i.
  template <class At> INLINE void load(Team team, At at) {
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = team.lane + c * lanes;
      UNROLL for (int i = 0; i < n; ++i) column[c][i] = j <= i && j < n ? at(i, j) : real(0);
    }
  }
  /// Writes the lower triangle back.
  template <class Store> INLINE void save(Team team, Store store) const {
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = team.lane + c * lanes;
      UNROLL for (int i = 0; i < n; ++i) {
        if (j <= i && j < n) store(i, j, column[c][i]);
      }
    }
    team.sync();
  }
  /// Replaces the matrix by its factor, the diagonal by its inverse.
  INLINE void factor(Team team, real least) {
    UNROLL for (int k = n - 1; k >= 0; --k) {
      const real pivot = team.broadcast(column[k / lanes][k], k % lanes);
      const real inverse = inverse_square_root(max(pivot, least));
      UNROLL for (int c = 0; c < slots; ++c) column[c][k] = team.lane + c * lanes == k ? inverse : column[c][k] * inverse;
      UNROLL for (int i = k - 1; i >= 0; --i) {
        if (!stored(k, i)) continue;
        const real l = team.broadcast(column[i / lanes][k], i % lanes);
        UNROLL for (int c = 0; c < slots; ++c) {
          if (c * lanes <= i) column[c][i] = fused(-l, column[c][k], column[c][i]);
        }
      }
    }
  }
  /// Replaces x, a number for each of the lane's columns, by the solution of L' L x = b; row(i, k) is the factor in memory.
  template <class Row> INLINE void solve(Team team, real (&x)[slots], Row row) const {
    UNROLL for (int k = n - 1; k >= 0; --k) {
      const real own = x[k / lanes] * column[k / lanes][k];
      const real value = team.broadcast(own, k % lanes);
      UNROLL for (int c = 0; c < slots; ++c) {
        const int j = team.lane + c * lanes;
        if (c * lanes <= k) x[c] = j == k ? value : (j < k ? fused(-column[c][k], value, x[c]) : x[c]);
      }
    }
    UNROLL for (int k = 0; k < n; ++k) {
      const real own = x[k / lanes] * column[k / lanes][k];
      const real value = team.broadcast(own, k % lanes);
      UNROLL for (int c = 0; c < slots; ++c) {
        const int i = team.lane + c * lanes;
        if (c * lanes + lanes <= k) continue;
        if (i == k) x[c] = value;
        else if (i > k && i < n && below(i, k)) x[c] = fused(-row(i, k), value, x[c]);
      }
    }
  }
  /// Whether row i of the factor has an entry in column k < i.
  static INLINE bool below(int i, int k) { return !tree || (table::dof_ancestors[i][k / 32] >> (k % 32) & 1u); }
};
#endif
