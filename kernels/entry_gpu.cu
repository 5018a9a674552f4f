// The GPU's entry points. A specialised build fixes PHALANX_LANES with the model's shape; a generic one takes it as an option.
#include "run.h"
#include "dynamics/set_constants.h"
#include "reset.h"
#include "view/model_copy.h"

PHALANX_SHARED_ARRAY(phalanx_shared)

/// The next environments of a warp, one for each of its teams. The first are the warp's own; after that warps take what is next,
/// since some environments cost more than others. Which team steps an environment changes nothing in it.
template <class Team> INLINE int64_t claim_next(Team team, const Arguments& a, int64_t teams) {
  uint32_t* work_count = a.is_retry ? &a.progress->retry_work : &a.progress->step_work;
  constexpr int teams_per_warp = 32 / Team::lanes;
  int taken = 0;
  if ((threadIdx.x & 31u) == 0) taken = (int)atomic_add(work_count, (uint32_t)teams_per_warp);
  return teams + (uint32_t)lane_shuffle(taken, 0) + team.first / Team::lanes;
}

/// Clears what the other kernel of a step will use, and tells it which of the two lengths of the retry list is its own.
INLINE void give_turn(const Arguments& a) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  Progress& progress = *a.progress;
  if (a.is_retry) {
    progress.step_work = 0;
    progress.step_turn = 1 - progress.retry_turn;
  } else {
    progress.retry_work = 0;
    progress.retry_turn = progress.step_turn;
    progress.retry_count[1 - progress.step_turn] = 0;
  }
}

/// Steps the batch, or with is_retry the environments that did not fit: a persistent grid of teams.
extern "C" __global__ void __launch_bounds__(PHALANX_MAX_THREADS, PHALANX_MIN_BLOCKS) phalanx_step(const __grid_constant__ Arguments a) {
  constexpr int lanes = PHALANX_LANES;
  const int teams_per_block = (int)blockDim.x / lanes, team_in_block = (int)threadIdx.x / lanes;
  const int64_t teams = (int64_t)gridDim.x * teams_per_block;
  // A few that retry are spread over the multiprocessors.
  const int64_t me = a.is_retry ? (int64_t)team_in_block * gridDim.x + blockIdx.x : (int64_t)blockIdx.x * teams_per_block + team_in_block;
  const WarpTeam<lanes> team = {(int)threadIdx.x % lanes, (int)(threadIdx.x & 31u) / lanes * lanes};
  const int first_shared = model_copy_words + team_in_block * (int)a.shared_words;
  begin_after_earlier_kernels();
  const Workspace workspace = {phalanx_shared, first_shared, a.workspace + me * a.global_words};
  const int64_t count = a.is_retry ? (int64_t)a.progress->retry_count[a.progress->retry_turn] : a.num_envs;
  copy_model(phalanx_shared, a, count > 0);
  Tally tally;
  int64_t slot = me;
  while (team.any_in_warp(slot < count)) {
    const int64_t next = claim_next(team, a, teams);
    const bool present = slot < count;
    int64_t index = present ? slot : 0;
    int first = 0;
    if (a.is_retry && present) {
      index = a.retry_list[2 * slot];
      first = (int)a.retry_list[2 * slot + 1];
    }
    run_environment(team, a, workspace, index, first, present, tally);
    slot = next;
  }
  add_tally(team, a, me, tally);
  give_turn(a);
}

// What follows does not depend on the model's shape: the generic program has it for all.
#if !PHALANX_SPECIALISED
/// Recomputes what is derived from edited model fields.
extern "C" __global__ void __launch_bounds__(PHALANX_MAX_THREADS, PHALANX_MIN_BLOCKS) phalanx_set_constants(const __grid_constant__ Arguments a) {
  constexpr int lanes = PHALANX_LANES;
  const int teams_per_block = (int)blockDim.x / lanes, team_in_block = (int)threadIdx.x / lanes;
  const int64_t teams = (int64_t)gridDim.x * teams_per_block, me = (int64_t)blockIdx.x * teams_per_block + team_in_block;
  const WarpTeam<lanes> team = {(int)threadIdx.x % lanes, (int)(threadIdx.x & 31u) / lanes * lanes};
  const int first_shared = team_in_block * (int)a.shared_words;
  begin_after_earlier_kernels();
  const Workspace workspace = {phalanx_shared, first_shared, a.workspace + me * a.global_words};
  NO_UNROLL for (int64_t e = me; team.any_in_warp(e < a.num_envs); e += teams) {
    const int64_t index = e < a.num_envs ? e : 0;
    Env env = open_environment(a, workspace, index, e < a.num_envs && (!a.mask || a.mask[index]));
    set_constants(team, Model(a, index), env);
    finish_stage(team, env, stage_set_constants);
  }
}

/// Copies the reset state into the environments of the mask.
extern "C" __global__ void phalanx_reset(const __grid_constant__ Arguments a) {
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  begin_after_earlier_kernels();
  NO_UNROLL for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < a.num_envs; e += threads) reset_environment(a, e);
}

/// Draws a control for every actuator of every environment.
extern "C" __global__ void phalanx_random_controls(const __grid_constant__ Arguments a) {
  const int64_t threads = (int64_t)gridDim.x * blockDim.x, count = a.num_envs * a.nu;
  begin_after_earlier_kernels();
  NO_UNROLL for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) draw_control(a, i / a.nu, (int)(i % a.nu));
}
#endif
