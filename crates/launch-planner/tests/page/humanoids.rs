//! The plans of the page's worked example, and what a block of them takes by the page's rules.

use phalanx_launch_planner::{Demand, DeviceLimits, KernelNeeds, LaunchPlan, ModelDims, RowChoice, plan};

/// Environments of the page's batch.
pub const NUM_ENVS: u64 = 8192;

/// The devices that the page has side by side.
pub const DEVICES: [&str; 2] = ["t4", "h200"];

/// The page's team size.
pub const LANES: u32 = 16;

/// Environments of the blocks that the page compares: two a warp.
pub const BLOCKS: [u32; 10] = [2, 4, 6, 8, 10, 12, 16, 20, 24, 32];

/// The sizes in the file; their copy of the model is all that a block would copy.
pub fn humanoid() -> ModelDims {
    serde_json::from_str(include_str!("../models/humanoid_of_the_page.json")).unwrap()
}

/// The humanoid as it is planned for a device: a block copies at most a sixteenth of the shared memory.
pub fn humanoid_on(device: &DeviceLimits) -> ModelDims {
    let all = humanoid();
    let sixteenth = u64::from(device.shared_memory_per_multiprocessor) / 4 / 16;
    ModelDims { model_words_per_block: all.model_words_per_block.min(sixteenth), ..all }
}

/// The planner's answer to a demand, with estimates for what only a compiler knows.
pub fn answer(device: &str, demand: &Demand) -> LaunchPlan {
    let limits = DeviceLimits::preset(device).unwrap();
    plan(&limits, &humanoid_on(&limits), &KernelNeeds::estimate(), demand).unwrap()
}

/// The page's plan.
pub fn humanoids_on(device: &str) -> LaunchPlan {
    answer(device, &Demand::envs(NUM_ENVS))
}

/// A plan of a row with other blocks, or none if no such block launches.
pub fn with_blocks(device: &str, row: &RowChoice, envs_per_block: u32) -> Option<LaunchPlan> {
    let row = Some(RowChoice { envs_per_block, ..row.clone() });
    let plan = answer(device, &Demand { row, ..Demand::envs(NUM_ENVS) });
    plan.tuned.then_some(plan)
}

/// The best of a row's blocks as the page chooses: most environments at once, and of equals the largest.
pub fn best_of_blocks(device: &str, row: &RowChoice) -> LaunchPlan {
    let plans = BLOCKS.iter().filter_map(|&block| with_blocks(device, row, block));
    plans.max_by_key(|plan| (plan.step().resident_envs, plan.step().envs_per_block)).unwrap()
}

/// The smallest of a row's blocks that hold as many environments as the best.
pub fn smallest_of_blocks(device: &str, row: &RowChoice) -> LaunchPlan {
    let most = best_of_blocks(device, row).step().resident_envs;
    let mut plans = BLOCKS.iter().filter_map(|&block| with_blocks(device, row, block));
    plans.find(|plan| plan.step().resident_envs == most).unwrap()
}

/// Environments that a multiprocessor holds.
pub fn held(plan: &LaunchPlan) -> u32 {
    plan.step().blocks_per_sm * plan.step().envs_per_block
}

/// Warps that a multiprocessor holds.
pub fn warps(plan: &LaunchPlan) -> u64 {
    u64::from(held(plan) * plan.step().lanes_per_env / 32)
}

/// Bytes from one environment's shared workspace to the next one's.
pub fn shared_bytes(plan: &LaunchPlan) -> u64 {
    4 * plan.step().layout.shared_words_per_env
}

/// Shared bytes of a block of so many environments, by the page's rule.
pub fn block_bytes(plan: &LaunchPlan, envs: u64) -> u64 {
    envs * shared_bytes(plan) + 4 * plan.step().model_words_per_block
}

/// What such a block takes: with what the driver reserves, in whole allocation units.
pub fn taken(device: &DeviceLimits, bytes: u64) -> u64 {
    let units = u64::from(device.shared_memory_allocation_unit);
    (bytes + u64::from(device.reserved_shared_memory_per_block)).next_multiple_of(units)
}

/// The row with all arrays in shared memory.
pub fn all_shared() -> RowChoice {
    RowChoice { lanes_per_env: LANES, envs_per_block: 32, global: Vec::new(), never_retries: false }
}
