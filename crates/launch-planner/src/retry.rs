//! How wide the retry kernel is: it steps the environments again that did not fit their fast workspace.
//!
//! It is the generic kernel with 32 lanes per environment. Its workspaces lie in global memory and hold the model's proven
//! maximum, so nothing fails there. One is enough for correctness; more let many environments retry side by side.

use crate::layout::{GLOBAL_STRIDE_WORDS, Placement, WorkspaceLayout, layout};
use crate::{DeviceLimits, KernelAttributes, KernelPlan, Limiter, ModelDims, PlanError, occupancy};

const LANES: u32 = 32;

/// What is only for rare cases takes at most this part of the memory limit, because the memory is the user's. 1/64 of an
/// H200 is 2.3 GB.
const SHARE_OF_MEMORY: u64 = 64;

/// Workspaces so large that this is less than one for each multiprocessor may take this part: an environment that waits for
/// others to retry takes as long again as the whole retry.
const SHARE_FOR_ONE_EACH: u64 = 8;

/// The part of a memory limit that is for rare cases.
pub(crate) fn share_of(limit: u64) -> u128 {
    u128::from(limit / SHARE_OF_MEMORY)
}

/// A retry kernel that launches, before its width is chosen.
pub(crate) struct RetryPool<'a> {
    model: &'a ModelDims,
    attributes: &'a KernelAttributes,
    layout: WorkspaceLayout,
    blocks_per_sm: u32,
    limiter: Limiter,
    most_blocks: u64,
    multiprocessors: u64,
}

impl<'a> RetryPool<'a> {
    /// Checks that one block of the retry kernel launches on the device.
    pub fn new(
        device: &DeviceLimits,
        model: &'a ModelDims,
        attributes: &'a KernelAttributes,
    ) -> Result<Self, PlanError> {
        let shared = attributes.static_shared_bytes;
        let occupancy = occupancy(device, LANES, attributes.registers_per_thread, u64::from(shared));
        if attributes.max_threads_per_block < LANES || occupancy.blocks_per_sm == 0 {
            return Err(PlanError::block("retry", device, attributes, u64::from(shared), occupancy.limiter));
        }
        let mut layout = layout(&model.arrays, model.proven, |_| Placement::Global);
        layout.global_words_per_env = layout.global_words_per_env.next_multiple_of(GLOBAL_STRIDE_WORDS);
        let most_blocks = (u64::from(occupancy.blocks_per_sm) * u64::from(device.multiprocessor_count))
            .min(u64::from(device.max_grid_dim_x));
        let (blocks_per_sm, limiter) = (occupancy.blocks_per_sm, occupancy.limiter);
        let multiprocessors = u64::from(device.multiprocessor_count);
        Ok(RetryPool { model, attributes, layout, blocks_per_sm, limiter, most_blocks, multiprocessors })
    }

    /// Bytes of one workspace.
    pub fn workspace_bytes(&self) -> u128 {
        u128::from(self.layout.global_words_per_env) * 4
    }

    /// The kernel with as many workspaces as `free` bytes, the pool's share of `limit` bytes, the device and the batch
    /// allow; at least one.
    pub fn kernel(&self, num_envs: u64, free: u128, limit: u64) -> KernelPlan {
        let one_each = self.workspace_bytes() * u128::from(self.multiprocessors);
        let share = share_of(limit).max(one_each.min(u128::from(limit / SHARE_FOR_ONE_EACH))).min(free);
        let by_memory = share.checked_div(self.workspace_bytes()).unwrap_or(u128::MAX);
        let by_memory = u64::try_from(by_memory).unwrap_or(u64::MAX).max(1);
        let teams = by_memory.min(self.most_blocks).min(num_envs);
        let limiter = match teams {
            _ if teams == num_envs => Limiter::Environments,
            _ if teams == self.most_blocks => self.limiter,
            _ => Limiter::Memory,
        };
        KernelPlan {
            name: "retry".to_string(),
            lanes_per_env: LANES,
            envs_per_block: 1,
            threads_per_block: LANES,
            static_shared_bytes: self.attributes.static_shared_bytes,
            dynamic_shared_bytes: 0,
            registers_per_thread: self.attributes.registers_per_thread,
            grid_blocks: u32::try_from(teams).expect("a grid dimension"),
            blocks_per_sm: self.blocks_per_sm,
            resident_envs: teams,
            waves: num_envs.div_ceil(teams),
            limiter,
            capacity: self.model.proven,
            placement: self.layout.placement_map(),
            layout: self.layout.clone(),
        }
    }
}
