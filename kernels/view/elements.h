// The element types of the field table. Those of an even number of words are aligned, so that words are read two or four at a
// time: arrays begin at multiples of four words.
#pragma once
#include "math/quaternion.h"
#include "math/spatial.h"
#include "platform/checked.h"

struct alignas(8) Vec2 {
  real x, y;
};
struct Vec5 {
  real a, b, c, d, e;
};

/// One dof's column of a contact's Jacobian: how the dof moves the second body's point relative to the first's, along the
/// normal and the two tangents.
struct alignas(16) JacobianEntry {
  Vec3 rows;
  int dof;
};

/// A contact: the force along the normal and the tangents, and the curvature of the cost in the same axes, where the two
/// tangents do not mix. Without an active edge all of it is zero, else nn is not.
struct alignas(16) ContactForce {
  Vec3 force;
  real nn, n1, n2, t1, t2;
};

/// Four neighbours in memory, read at once.
struct alignas(16) FourReals {
  real value[4];
};

/// What the two kernels of a step tell each other, so that the host need not prepare a step: each clears what the other will use,
/// at a time when the other does not run. Between calls no work is counted: where the step kernel runs alone, or the generic
/// kernel for both, see `claim_next` and the executor.
struct Progress {
  uint32_t retry_count[2];         // length of the retry list: of this call and of the next, in turns
  uint32_t step_work, retry_work;  // environments that a kernel's warps have taken beyond their first
  uint32_t step_turn, retry_turn;  // which of the two lengths is this call's, as each kernel reads it
};

/// What a team knows of its environment beside the workspace: the same in all of its lanes.
struct EnvState {
  int64_t index = 0;          // in the batch
  bool alive = false;         // false: runs along with its warp, commits nothing
  bool fits = true;           // false: contacts or Jacobian entries exceed the workspace
  int candidate_count = 0;    // geom pairs that the broad phase kept
  int contact_count = 0;
  int jacobian_count = 0;
  int contact_need = 0;       // what a workspace would have to hold, also where this one is too small
  int jacobian_need = 0;
  int row_count = 0;          // friction-loss and limit rows
  int efc_count = 0;          // rows as MuJoCo counts them: 2 (dim - 1) for a frictional contact
  int iteration_count = 0;    // of the solver
  bool converged = true;
  bool coupled = false;       // a contact between two trees of a model whose trees are solved one by one
  bool solved = false;        // the solver had rows to solve
};
