// The element types of the field table.
#pragma once
#include "math/quaternion.h"
#include "math/spatial.h"

struct Vec2 {
  real x, y;
};
struct Vec5 {
  real a, b, c, d, e;
};
struct Vec10 {
  real value[10];
};

/// One dof's column of a contact's Jacobian: how the dof moves the second body's point relative to the first's, along the
/// normal and the two tangents.
struct JacobianEntry {
  Vec3 rows;
  int dof;
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
  bool solved = false;        // the solver had rows to solve
};
