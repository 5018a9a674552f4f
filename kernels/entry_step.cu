// The GPU's way into a step. A specialised build fixes PHALANX_LANES with the model's shape; a generic one takes it as an option.
#include "run.h"
#include "view/model_copy.h"

PHALANX_SHARED_ARRAY(phalanx_shared)

/// The next environments of a warp, one for each of its teams. The first are the warp's own; after that warps take what is next,
/// since some environments cost more than others. Which team steps an environment changes nothing in it. Where there are no more
/// environments than teams nobody takes a second one, and nothing is counted: then no other kernel need clear the count.
template <class Team> INLINE int64_t claim_next(Team team, const Arguments& a, int64_t teams, int64_t count) {
  if (count <= teams) return count;
  uint32_t* work_count = a.is_retry ? &a.progress->retry_work : &a.progress->step_work;
  constexpr int teams_per_warp = 32 / Team::lanes;
  int taken = 0;
  if ((threadIdx.x & 31u) == 0) taken = (int)atomic_add(work_count, (uint32_t)teams_per_warp);
  return teams + (uint32_t)lane_shuffle(taken, 0) + team.first / Team::lanes;
}

/// Clears what the other kernel of a step will use, and tells it which of the two lengths of the retry list is its own. A step
/// without a retry launch has nothing to clear: there nobody takes a second environment.
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
    const int64_t next = claim_next(team, a, teams, count);
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
