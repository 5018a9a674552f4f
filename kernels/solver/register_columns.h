// A symmetric matrix over a block of dofs in the registers of a team: lane j holds column j, and where there are more dofs than
// lanes column j + lanes, from the diagonal down.
//
// The factor H = L' L is the one of dense_factor.h and tree_factor.h, element by element in the same order, so its bits are the
// same; here the matrix is never in memory, only its factor, row by row. A register has a name, not a number, so loops over a
// column are unrolled: this is for specialised kernels of small blocks. Where the matrix has the tree's sparsity, right sides
// skip the pairs of dofs of which neither is above the other; in the matrix those are zeros. Dofs are counted from the block's
// first.
#pragma once
#include "kinematics/chains.h"

/// Whether a kernel of this team and model factors in registers. Unrolled code and registers grow with the square of a block's
/// dofs: `pivot_words` is zero where they are too many.
template <class Team> constexpr bool factors_in_registers() {
#if PHALANX_SPECIALISED
  return Team::lanes > 2 && Model::nv > 0 && Model::pivot_words > 0 && block_dofs <= 2 * Team::lanes;
#else
  return false;
#endif
}

#if PHALANX_SPECIALISED
/// A set of dofs, as bits.
struct DofSet {
  static constexpr int words = block_words;
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
INLINE DofSet no_dofs() { return {}; }

/// A block of dofs; blocks that are all alike have their sizes and places as constants.
constexpr bool blocks_are_alike = !blocks_are_trees || Model::trees_alike;
struct Block {
  int first;

  INLINE int size() const { return blocks_are_alike ? block_dofs : table::tree_dofnum[table::dof_treeid[first]]; }
  /// The dofs above dof j, and those below it; none for a lane without a dof.
  INLINE DofSet ancestors(int j) const { return j < size() ? dof_set(table::dof_ancestors[first + j]) : no_dofs(); }
  INLINE DofSet descendants(int j) const { return j < size() ? dof_set(table::dof_descendants[first + j]) : no_dofs(); }
  /// Where M has the diagonal entry of dof i, and how many dofs are above it.
  INLINE int mass_address(int i) const {
    if (blocks_are_alike) return table::dof_Madr[i] + (blocks_are_trees ? table::dof_Madr[first] : 0);
    return i < size() ? table::dof_Madr[first + i] : 0;
  }
  INLINE int depth(int i) const { return blocks_are_alike ? table::dof_depth[i] : (i < size() ? table::dof_depth[first + i] : 0); }
  /// Whether dof i may have dofs below it.
  static constexpr bool may_carry(int i) { return !blocks_are_alike || table::dof_subtree_end[i] > i + 1; }
};
INLINE Block block_at(int index) { return {blocks_are_trees ? table::tree_dofadr[index] : 0}; }

/// A place in the memory for a block's factor.
INLINE real& block_factor(const Env& env, int i, int j) {
  return blocks_are_trees ? env.tree_L(i * (i + 1) / 2 + j) : env.H(i * (i + 1) / 2 + j);
}

template <class Team, bool tree> struct RegisterColumns {
  static constexpr int n = block_dofs, lanes = Team::lanes, slots = (n + lanes - 1) / lanes, padded = (n + 4) / 4 * 4;
  real column[slots][n];
  real inverse[slots];  // of the factor's diagonal

  /// The dof of the lane's column c; n and more for a column that is not there.
  static INLINE int dof(Team team, int c) { return team.lane + c * lanes; }

  /// Reads the mass matrix; `diagonal(c, mass)` replaces the diagonal of the lane's column c. Beyond a small block's dofs is the
  /// identity.
  template <class Diagonal> INLINE void load_mass(Team team, const Env& env, Block block, Diagonal diagonal) {
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = dof(team, c), size = block.size();
      const DofSet below = block.descendants(j);
      const int depth = j < size ? table::dof_depth[block.first + j] : 0;
      UNROLL for (int i = 0; i < n; ++i) {
        column[c][i] = 0;
        if (i < c * lanes) continue;
        if (below.has(i)) column[c][i] = env.M(block.mass_address(i) + block.depth(i) - depth);
        if (i == j) column[c][i] = j < size ? diagonal(c, env.M(block.mass_address(i))) : real(1);
      }
    }
  }
  /// Adds the scaled entries of a matrix in M's order.
  template <class Entry> INLINE void add_scaled(Team team, Block block, real scale, Entry entry) {
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = dof(team, c);
      const DofSet below = block.descendants(j);
      const int depth = j < block.size() ? table::dof_depth[block.first + j] : 0;
      UNROLL for (int i = c * lanes; i < n; ++i) {
        if (j >= block.size() || (i != j && !below.has(i))) continue;
        column[c][i] = fused(scale, entry(block.mass_address(i) + block.depth(i) - depth), column[c][i]);
      }
    }
  }
  /// Replaces the matrix by its factor and x, a number for each of the lane's columns, by the solution of L' y = x. Row by row
  /// the factor goes to memory, and with y through a small buffer to all lanes: reading four numbers of it at once beats asking
  /// their lanes one by one.
  INLINE void factor(Team team, const Env& env, Block block, real least, real (&x)[slots]) {
    DofSet below[slots];
    UNROLL for (int c = 0; c < slots; ++c) below[c] = tree ? block.descendants(dof(team, c)) : no_dofs();
    factor_rows<n - 1>(team, env, least, x, below);
    team.sync();
  }
  /// Rows `high` down to the end of their run, then the rest. A run is a loop: what is left of the columns moves up by one
  /// register each time, so that the row at hand is always in the last one; a new run leaves out the registers without a row.
  template <int high> INLINE void factor_rows(Team team, const Env& env, real least, real (&x)[slots], const DofSet (&below)[slots]) {
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
          block_factor(env, k, j) = l;
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
    if constexpr (low > 0) factor_rows<low - 1>(team, env, least, x, below);
  }
  /// Replaces x by the solution of L x = y.
  INLINE void solve(Team team, const Env& env, Block block, real (&x)[slots]) const {
    DofSet above[slots];
    UNROLL for (int c = 0; c < slots; ++c) above[c] = tree ? block.ancestors(dof(team, c)) : no_dofs();
    UNROLL for (int pivot_slot = 0; pivot_slot < slots; ++pivot_slot) {
      const int end = n - pivot_slot * lanes < lanes ? n - pivot_slot * lanes : lanes;
      NO_UNROLL for (int lane = 0; lane < end; ++lane) {
        const int k = pivot_slot * lanes + lane;
        const real value = team.broadcast(x[pivot_slot] * inverse[pivot_slot], lane);
        UNROLL for (int c = pivot_slot; c < slots; ++c) {
          const int i = dof(team, c);
          if (i == k) x[c] = value;
          else if (i > k && i < n && (!tree || above[c].has(k))) x[c] = fused(-block_factor(env, i, k), value, x[c]);
        }
      }
    }
  }
};

/// (M x)(j), the sums of multiply_tree in the same order; x is a vector in memory, read four at a time where it is aligned.
template <class Vector> INLINE real multiply_mass(const Env& env, Block block, Vector x, int j) {
  constexpr int n = block_dofs;
  const int size = block.size();
  if (j >= size) return 0;
  const DofSet above = block.ancestors(j), below = block.descendants(j);
  const int own = table::dof_Madr[block.first + j], depth = table::dof_depth[block.first + j];
  real value[(n + 3) / 4 * 4];
  UNROLL for (int i = 0; i < n; i += 4) {
    UNROLL for (int m = 0; blocks_are_trees && m < 4; ++m) value[i + m] = i + m < size ? x(block.first + i + m) : real(0);
    if (blocks_are_trees) continue;
    const FourReals four = *(const FourReals*)&x(i);
    UNROLL for (int m = 0; m < 4; ++m) value[i + m] = four.value[m];
  }
  real sum = env.M(own) * x(block.first + j);
  UNROLL for (int i = n - 1; i >= 0; --i) {
    if (Block::may_carry(i) && above.has(i)) sum = fused(env.M(own + depth - block.depth(i)), value[i], sum);
  }
  UNROLL for (int i = 1; i < n; ++i) {
    if (below.has(i)) sum = fused(env.M(block.mass_address(i) + block.depth(i) - depth), value[i], sum);
  }
  return sum;
}
#endif
