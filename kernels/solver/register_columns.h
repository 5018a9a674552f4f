// A symmetric matrix over the dofs in the registers of a team: lane j holds column j, from the diagonal down.
//
// The factor H = L' L is the one of dense_factor.h and tree_factor.h, element by element in the same order, so its bits are the
// same; here only a pivot's row goes through memory. Everything is unrolled over constant dofs, so
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
  return Team::lanes > 2 && Model::nv > 0 && Model::nv <= most_register_dofs && Model::nv <= 2 * Team::lanes;
#else
  return false;
#endif
}

#if PHALANX_SPECIALISED
/// Four neighbours in memory, read at once.
struct alignas(16) FourReals {
  real value[4];
};

template <class Team, bool tree> struct RegisterColumns {
  static constexpr int n = Model::nv, lanes = Team::lanes, slots = (n + lanes - 1) / lanes, padded = (n + 3) / 4 * 4;
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
  /// Replaces the matrix by its factor, the diagonal by its inverse. Row by row the factor goes to `store`, and through a
  /// small buffer to all lanes: reading four numbers of it at once beats asking their lanes one by one.
  template <class Store> INLINE void factor(Team team, const Env& env, real least, Store store) {
    UNROLL for (int k = n - 1; k >= 0; --k) {
      const real pivot = team.broadcast(column[k / lanes][k], k % lanes);
      const real inverse = inverse_square_root(max(pivot, least));
      const int buffer = k % 2 * padded;
      UNROLL for (int c = 0; c < slots; ++c) {
        const int j = team.lane + c * lanes;
        column[c][k] = j == k ? inverse : column[c][k] * inverse;
        if (j <= k) {
          env.pivot_row(buffer + j) = column[c][k];
          store(k, j, column[c][k]);
        }
      }
      team.sync();
      UNROLL for (int i = 0; i < k; i += 4) {
        if (!(stored(k, i) || (i + 1 < k && stored(k, i + 1)) || (i + 2 < k && stored(k, i + 2)) || (i + 3 < k && stored(k, i + 3)))) continue;
        const FourReals row = *(const FourReals*)&env.pivot_row(buffer + i);
        UNROLL for (int m = 0; m < 4; ++m) {
          if (i + m >= k || !stored(k, i + m)) continue;
          UNROLL for (int c = 0; c < slots; ++c) {
            if (c * lanes <= i + m) column[c][i + m] = fused(-row.value[m], column[c][k], column[c][i + m]);
          }
        }
      }
    }
    team.sync();
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
