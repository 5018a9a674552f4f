// Walks down the chain of dofs that leads to a dof.
//
// A body's velocity is the sum over its chain, from the root down. A lane for each body that walks its own chain has its sum
// without waiting for its parent's; the additions are those of the recursion from parent to child, in the same order.
#pragma once
#include "generated/view.h"
#include "platform/team.h"

/// Whether a team's lanes walk chains: one lane alone goes from body to body, and only a specialised kernel has the chains as bits.
template <class Team> constexpr bool walks_chains() { return PHALANX_SPECIALISED && Team::lanes > 1; }

#if PHALANX_SPECIALISED
/// Calls f(j) for every dof j above `dof`, from the root down.
template <class F> INLINE void walk_down(int dof, F f) {
  UNROLL for (int word = 0; word < (Model::nv + 31) / 32; ++word) {
    uint32_t above = table::dof_ancestors[dof][word];
    NO_UNROLL while (above) {
      f(32 * word + trailing_zeros(above));
      above &= above - 1;
    }
  }
}
#endif
