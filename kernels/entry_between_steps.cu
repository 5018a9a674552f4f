// What the GPU does between steps. None of it depends on the model's shape: one small program has it for all models.
#include "dynamics/set_constants.h"
#include "platform/checked.h"
#include "reset.h"
#include "view/workspace.h"

PHALANX_SHARED_ARRAY(phalanx_shared)

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
