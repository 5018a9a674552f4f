// Walks down the chain of dofs that leads to a dof.
//
// A body's velocity is the sum over its chain, from the root down. A lane for each body that walks its own chain has its sum
// without waiting for its parent's; the additions are those of the recursion from parent to child, in the same order.
#pragma once
#include "generated/view.h"
#include "platform/team.h"

/// Whether a team's lanes walk chains: one lane alone goes from body to body, and only a specialised kernel has the chains as
/// bits.
template <class Team> constexpr bool walks_chains() { return PHALANX_SPECIALISED && Team::lanes > 1; }

#if PHALANX_SPECIALISED
/// All dofs are one block, or where they are too many for a dense matrix in registers each tree's are one. Sets of dofs are bits
/// of a block.
using table::blocks_are_trees;
constexpr int block_count = blocks_are_trees ? Model::ntree : 1;
constexpr int block_dofs = Model::nv == 0 ? 1 : (blocks_are_trees ? Model::tree_dof_max : Model::nv), block_words = (block_dofs + 31) / 32;

/// The first dof of the block with `dof` in it.
INLINE int block_of(int dof) { return blocks_are_trees ? table::tree_dofadr[table::dof_treeid[dof]] : 0; }

/// Calls f(j) for every dof j above `dof`, from the root down.
template <class F> INLINE void walk_down(int dof, F f) {
  const int first = block_of(dof);
  UNROLL for (int word = 0; word < block_words; ++word) {
    uint32_t above = table::dof_ancestors[dof][word];
    NO_UNROLL while (above) {
      f(first + 32 * word + trailing_zeros(above));
      above &= above - 1;
    }
  }
}
#endif
