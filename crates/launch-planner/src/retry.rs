//! How wide the retry kernel is: it steps the environments again that did not fit their fast workspace.
//!
//! It has 32 lanes per environment. Its workspaces hold the model's proven maximum, so nothing fails there: what grows with contacts
//! lies in global memory, the rest in shared memory where there is room. Each workspace has global memory for all of it, since
//! the generic kernel, which stands in while others are compiled, keeps everything there. One workspace is enough for
//! correctness; more let many environments retry side by side.

use crate::layout::{GLOBAL_STRIDE_WORDS, Placement, WorkspaceLayout, bank_stride, layout};
use crate::{
    DeviceLimits, KernelAttributes, KernelPlan, Limiter, ModelDims, Occupancy, PlanError, WorkArray, occupancy,
};

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
    model_words_per_block: u64,
    blocks_per_sm: u32,
    limiter: Limiter,
    most_blocks: u64,
    multiprocessors: u64,
}

impl<'a> RetryPool<'a> {
    /// Checks that one block of the retry kernel launches on the device; `generic` keeps everything in global memory.
    pub fn new(
        device: &DeviceLimits,
        model: &'a ModelDims,
        attributes: &'a KernelAttributes,
        generic: bool,
    ) -> Result<Self, PlanError> {
        let shared = attributes.static_shared_bytes;
        let resident = |words: u64| {
            let bytes = words.saturating_mul(4).saturating_add(u64::from(shared));
            occupancy(device, LANES, attributes.registers_per_thread, bytes)
        };
        let in_global = resident(0);
        if attributes.max_threads_per_block < LANES || in_global.blocks_per_sm == 0 {
            return Err(PlanError::block("retry", device, attributes, u64::from(shared), in_global.limiter));
        }
        let everything = layout(&model.arrays, model.proven, |_| Placement::Global);
        let mut mixed = layout(&model.arrays, model.proven, |name| place_of(model, name));
        mixed.shared_words_per_env = bank_stride(mixed.shared_words_per_env, LANES);
        let in_shared = resident(mixed.shared_words_per_env.saturating_add(model.model_words_per_block));
        let (mut layout, model_words_per_block, occupancy): (_, _, Occupancy) =
            if generic || in_shared.blocks_per_sm == 0 || mixed.shared_words_per_env == 0 {
                (everything.clone(), 0, in_global)
            } else {
                (mixed, model.model_words_per_block, in_shared)
            };
        layout.global_words_per_env = everything.global_words_per_env.next_multiple_of(GLOBAL_STRIDE_WORDS);
        let most_blocks = (u64::from(occupancy.blocks_per_sm) * u64::from(device.multiprocessor_count))
            .min(u64::from(device.max_grid_dim_x));
        let (blocks_per_sm, limiter) = (occupancy.blocks_per_sm, occupancy.limiter);
        let multiprocessors = u64::from(device.multiprocessor_count);
        Ok(RetryPool {
            model,
            attributes,
            layout,
            model_words_per_block,
            blocks_per_sm,
            limiter,
            most_blocks,
            multiprocessors,
        })
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
        let words = self.layout.shared_words_per_env + self.model_words_per_block;
        KernelPlan {
            name: "retry".to_string(),
            lanes_per_env: LANES,
            envs_per_block: 1,
            threads_per_block: LANES,
            static_shared_bytes: self.attributes.static_shared_bytes,
            dynamic_shared_bytes: u32::try_from(4 * words).expect("within the device's shared memory"),
            model_words_per_block: self.model_words_per_block,
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

/// What grows with contacts is too large for shared memory.
fn place_of(model: &ModelDims, name: &str) -> Placement {
    let grows = model.arrays.iter().any(|array| array.name == name && WorkArray::depends_on_capacity(array));
    if grows { Placement::Global } else { Placement::Shared }
}
