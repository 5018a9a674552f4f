//! How wide the retry kernel is: it steps the environments again that did not fit their fast workspace.
//!
//! It has 32 lanes per environment, and blocks of many teams where many may retry: every call launches it, mostly for nothing,
//! and a few large blocks come and go sooner than many small ones. Its workspaces hold the model's proven maximum, so nothing
//! fails there: what grows with contacts lies in global memory, the rest in shared memory where there is room. Each workspace has
//! global memory for all of it, since the generic kernel, which stands in while others are compiled, keeps everything there. One
//! workspace is enough for correctness; more let many environments retry side by side.

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

/// Warps of a block at most: with 128 registers a thread it fills a multiprocessor.
const WIDEST_BLOCK: u32 = 16;

/// A retry kernel that launches, before its width is chosen.
pub(crate) struct RetryPool<'a> {
    device: &'a DeviceLimits,
    model: &'a ModelDims,
    attributes: &'a KernelAttributes,
    layout: WorkspaceLayout,
    model_words_per_block: u64,
    /// The block that lets most environments retry side by side; of equals the largest, which shares most.
    widest: Block,
}

/// A size of block, with how many of it fit.
#[derive(Clone, Copy)]
struct Block {
    envs: u32,
    resident: Occupancy,
}

impl<'a> RetryPool<'a> {
    /// Checks that one block of the retry kernel launches on the device; `generic` keeps everything in global memory.
    pub fn new(
        device: &'a DeviceLimits,
        model: &'a ModelDims,
        attributes: &'a KernelAttributes,
        generic: bool,
    ) -> Result<Self, PlanError> {
        let everything = layout(&model.arrays, model.proven, model.proven, |_| Placement::Global);
        let mut mixed = layout(&model.arrays, model.proven, model.proven, |name| place_of(model, name));
        mixed.shared_words_per_env = bank_stride(mixed.shared_words_per_env, LANES);
        mixed.global_words_per_env = everything.global_words_per_env;
        let of_block = [(everything, 0), (mixed, model.model_words_per_block)];
        let [in_global, mixed] = of_block.map(|(mut layout, model_words_per_block)| {
            layout.global_words_per_env = layout.global_words_per_env.next_multiple_of(GLOBAL_STRIDE_WORDS);
            let widest = Block { envs: 1, resident: Occupancy { blocks_per_sm: 0, limiter: Limiter::Threads } };
            let pool = RetryPool { device, model, attributes, layout, model_words_per_block, widest };
            RetryPool { widest: pool.block(1), ..pool }
        });
        if attributes.max_threads_per_block < LANES || in_global.widest.resident.blocks_per_sm == 0 {
            let shared = u64::from(attributes.static_shared_bytes);
            return Err(PlanError::block("retry", device, attributes, shared, in_global.widest.resident.limiter));
        }
        if generic {
            return Ok(in_global);
        }
        let has_shared = mixed.layout.shared_words_per_env > 0 && mixed.widest.resident.blocks_per_sm > 0;
        let pool = if has_shared { mixed } else { in_global };
        let sizes = (0..=WIDEST_BLOCK.ilog2()).map(|k| 1 << k);
        let blocks =
            sizes.take_while(|envs| envs * LANES <= attributes.max_threads_per_block).map(|envs| pool.block(envs));
        let widest =
            blocks.max_by_key(|block| block.envs * block.resident.blocks_per_sm).expect("one of a single team");
        Ok(RetryPool { widest, ..pool })
    }

    fn block(&self, envs: u32) -> Block {
        let threads = envs * LANES;
        let bytes = self.dynamic_shared_bytes(envs).saturating_add(u64::from(self.attributes.static_shared_bytes));
        Block { envs, resident: occupancy(self.device, threads, self.attributes.registers_per_thread, bytes) }
    }

    fn dynamic_shared_bytes(&self, envs: u32) -> u64 {
        let words = self.layout.shared_words_per_env.saturating_mul(u64::from(envs));
        words.saturating_add(self.model_words_per_block).saturating_mul(4)
    }

    /// Bytes of one workspace.
    pub fn workspace_bytes(&self) -> u128 {
        u128::from(self.layout.global_words_per_env) * 4
    }

    /// The kernel with as many workspaces as `free` bytes, the pool's share of `limit` bytes, the device and the batch
    /// allow; at least one. Blocks are only as large as leaves one for each multiprocessor.
    pub fn kernel(&self, num_envs: u64, free: u128, limit: u64) -> KernelPlan {
        let multiprocessors = u64::from(self.device.multiprocessor_count);
        let one_each = self.workspace_bytes() * u128::from(multiprocessors);
        let share = share_of(limit).max(one_each.min(u128::from(limit / SHARE_FOR_ONE_EACH))).min(free);
        let by_memory = share.checked_div(self.workspace_bytes()).unwrap_or(u128::MAX);
        let by_memory = u64::try_from(by_memory).unwrap_or(u64::MAX).max(1);
        let wanted = by_memory.min(num_envs);
        let mut block = self.widest;
        while block.envs > 1 && wanted < u64::from(block.envs) * multiprocessors {
            block = self.block(block.envs / 2);
        }
        let most_blocks =
            (u64::from(block.resident.blocks_per_sm) * multiprocessors).min(u64::from(self.device.max_grid_dim_x));
        let grid_blocks = (wanted / u64::from(block.envs)).min(most_blocks);
        let teams = grid_blocks * u64::from(block.envs);
        let limiter = match by_memory {
            _ if grid_blocks == most_blocks && teams < num_envs => block.resident.limiter,
            _ if by_memory < num_envs => Limiter::Memory,
            _ => Limiter::Environments,
        };
        KernelPlan {
            name: "retry".to_string(),
            lanes_per_env: LANES,
            envs_per_block: block.envs,
            threads_per_block: block.envs * LANES,
            static_shared_bytes: self.attributes.static_shared_bytes,
            dynamic_shared_bytes: u32::try_from(self.dynamic_shared_bytes(block.envs)).expect("within the device's"),
            model_words_per_block: self.model_words_per_block,
            registers_per_thread: self.attributes.registers_per_thread,
            grid_blocks: u32::try_from(grid_blocks).expect("a grid dimension"),
            blocks_per_sm: block.resident.blocks_per_sm,
            resident_envs: teams,
            waves: num_envs.div_ceil(teams),
            limiter,
            capacity: self.model.proven,
            placement: self.layout.placement_map(),
            layout: self.layout.clone(),
        }
    }
}

/// What grows with contacts is too large for shared memory, and what is seldom used is not worth it.
fn place_of(model: &ModelDims, name: &str) -> Placement {
    let goes = |array: &WorkArray| array.name == name && (array.depends_on_capacity() || array.traffic == 0);
    if model.arrays.iter().any(goes) { Placement::Global } else { Placement::Shared }
}
