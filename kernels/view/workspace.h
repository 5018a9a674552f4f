// Where a team's workspace is, and an environment seen through it.
#pragma once
#include "generated/view.h"

/// Where a team's workspace lies: the block's shared memory with the team's first number in it, and global memory.
struct Workspace {
  real* shared;
  int first_shared;
  real* global;
};

/// A team's view of an environment.
INLINE Env open_environment(const Arguments& a, Workspace workspace, int64_t index, bool alive) {
  Env env;
  env.arguments = &a;
  env.first_shared = workspace.first_shared;
  env.global = workspace.global;
  env.base = a.shared_words > 0 ? workspace.shared + workspace.first_shared : workspace.global;
  env.index = index;
  env.alive = alive;
  return env;
}
