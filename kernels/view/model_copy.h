// The copy of the model that a block of a specialised kernel keeps at the start of its shared memory: topology, then values.
//
// Every step reads it all over; from there it takes fewer instructions and less time than from global memory.
#pragma once
#include "generated/view.h"
#include "platform/lanes.h"

/// Words of the copy; the workspaces follow.
constexpr int model_copy_words = Model::copied_topology + Model::copied_values;

/// Copies whole groups of four words; all lanes of the block take part.
INLINE void copy_to_block(real* to, const void* from, int words) {
  FourReals* place = (FourReals*)to;
  const FourReals* source = (const FourReals*)from;
  // Several loads at a time: a small block has few lanes to wait for them side by side.
  UNROLL_BY(8) for (int i = block_lane(); i < words / 4; i += block_lanes()) place[i] = source[i];
}

/// Makes the block's copy, if it is `wanted`. A collective of the whole block, before anything reads the model.
INLINE void copy_model(real* shared, const Arguments& a, bool wanted) {
  if constexpr (model_copy_words > 0) {
    copy_to_block(shared, a.topology, wanted ? Model::copied_topology : 0);
    copy_to_block(shared + Model::copied_topology, a.values, wanted ? Model::copied_values : 0);
    block_meet();
  }
}
