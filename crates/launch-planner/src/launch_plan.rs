//! The planner's answer: what to launch, with how much memory, and why.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Capacity, DeviceLimits, MemoryMap, ModelDims, Placement, WorkspaceLayout, layout};

/// What to launch, with how much memory, and why. `Display` explains it; serde gives the keys of `plan --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchPlan {
    /// The model's name.
    pub model: String,
    /// The limits that were planned for.
    pub device: DeviceLimits,
    /// Environments in the batch.
    pub num_envs: u64,
    /// True if a kernel's attributes are estimates: plan again once it is compiled.
    pub estimated: bool,
    /// True if the step kernel's row is that of [`Demand::row`](crate::Demand::row), which was found by measuring.
    #[serde(default)]
    pub tuned: bool,
    /// The kernels: "step", then "retry".
    pub kernels: Vec<KernelPlan>,
    /// Device memory, part by part.
    pub memory: MemoryMap,
    /// The largest number of environments that this model, device and demand allow.
    pub max_num_envs: u64,
    /// What else was considered and why it was not chosen.
    pub rejected: Vec<Rejected>,
}

/// How one kernel is launched.
///
/// The grid is persistent: each of its teams steps an environment of its own first, then the next that no team has taken. Which
/// one that is decides no bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelPlan {
    /// "step", "retry" or "stand-in".
    pub name: String,
    /// Lanes that step one environment together.
    pub lanes_per_env: u32,
    /// Teams of a block.
    pub envs_per_block: u32,
    /// Threads of a block: whole warps.
    pub threads_per_block: u32,
    /// Shared memory known at compile time, bytes per block.
    pub static_shared_bytes: u32,
    /// Shared memory given at launch, bytes per block. Ask for the opt-in limit and the largest carve-out.
    pub dynamic_shared_bytes: u32,
    /// Words of dynamic shared memory that hold the model; those of the environments follow.
    #[serde(default)]
    pub model_words_per_block: u64,
    /// Registers per thread.
    pub registers_per_thread: u32,
    /// Blocks of the grid.
    pub grid_blocks: u32,
    /// Blocks that one multiprocessor can hold at a time.
    pub blocks_per_sm: u32,
    /// Teams of the grid: environments that are stepped at the same time.
    pub resident_envs: u64,
    /// Environments that the busiest team steps one after the other.
    pub waves: u64,
    /// What keeps more environments from being stepped at the same time.
    pub limiter: Limiter,
    /// What each workspace holds.
    pub capacity: Capacity,
    /// Where each workspace array lives, by name.
    pub placement: BTreeMap<String, Placement>,
    /// Where each array lies inside a team's workspace.
    pub layout: WorkspaceLayout,
}

/// What keeps more environments from being stepped at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limiter {
    /// The multiprocessor's registers.
    Registers,
    /// The multiprocessor's shared memory.
    SharedMemory,
    /// The multiprocessor's threads.
    Threads,
    /// The multiprocessor's blocks.
    Blocks,
    /// There are no more environments.
    Environments,
    /// Global memory for workspaces: the grid makes more passes over fewer of them.
    Memory,
    /// The grid's largest dimension.
    Grid,
}

/// A row that was considered and not chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejected {
    /// The row, for example "8 lanes, 4 environments per block, all arrays in shared memory".
    pub row: String,
    /// Why it was not chosen.
    pub reason: String,
}

impl LaunchPlan {
    /// The kernel that steps every environment in its fast workspace.
    pub fn step(&self) -> &KernelPlan {
        &self.kernels[0]
    }

    /// The kernel that steps environments again that did not fit.
    pub fn retry(&self) -> &KernelPlan {
        &self.kernels[1]
    }

    /// Whether every environment fits: all are stepped at once, in workspaces of the proven maximum. No retry kernel follows
    /// then, and nobody takes a second environment, so that nothing counts which is next.
    pub fn never_retries(&self) -> bool {
        self.step().waves == 1 && self.step().capacity == self.retry().capacity
    }

    /// The generic kernel in the retry kernel's workspaces, with everything in global memory: it stands in for the others while
    /// they are compiled.
    pub fn stand_in(&self, model: &ModelDims) -> KernelPlan {
        let retry = self.retry();
        let mut layout = layout(&model.arrays, retry.capacity, retry.capacity, |_| Placement::Global);
        layout.global_words_per_env = retry.layout.global_words_per_env;
        KernelPlan {
            name: "stand-in".to_string(),
            envs_per_block: 1, // one generic program for all models
            threads_per_block: retry.lanes_per_env,
            grid_blocks: retry.grid_blocks * retry.envs_per_block,
            dynamic_shared_bytes: 0,
            model_words_per_block: 0,
            placement: layout.placement_map(),
            layout,
            ..retry.clone()
        }
    }

    /// How many of the threads that the busiest multiprocessor can hold the step kernel fills, in percent.
    pub fn occupancy_percent(&self) -> u32 {
        let step = self.step();
        let blocks = step.blocks_per_sm.min(step.grid_blocks.div_ceil(self.device.multiprocessor_count.max(1)));
        let threads = u64::from(blocks) * u64::from(step.threads_per_block);
        let percent = (threads * 100).checked_div(u64::from(self.device.max_threads_per_multiprocessor));
        percent.and_then(|percent| u32::try_from(percent).ok()).unwrap_or(0)
    }
}
