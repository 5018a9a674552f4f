//! The plan of a CPU, in the launch planner's terms.
use super::ExecutorError;
use super::host_memory::available_bytes;
use phalanx_launch_planner::{
    Capacity, Demand, DeviceLimits, KernelPlan, LaunchPlan, Limiter, LimitsError, MemoryMap, ModelDims, Placement,
    PlanError, layout,
};

/// Bytes per environment beside the planner's: the time base and the mask that a call makes of its arguments.
const HOST_BYTES_PER_ENV: u64 = 8 + 1;

/// The plan of `host`, a CPU: a team of one lane a thread, workspaces in the host's memory.
///
/// # Errors
/// If the batch needs more memory than the machine has free.
pub(super) fn cpu_plan(
    dims: &ModelDims,
    demand: &Demand,
    host: DeviceLimits,
    threads: usize,
    word_bytes: u64,
) -> Result<LaunchPlan, ExecutorError> {
    let kernel = |name: &str, capacity: Capacity| {
        let mut placed = layout(&dims.arrays, dims.usual, capacity, |_| Placement::Global);
        placed.shared_words_per_env = 0;
        KernelPlan {
            name: name.into(),
            lanes_per_env: 1,
            envs_per_block: 1,
            threads_per_block: 1,
            static_shared_bytes: 0,
            dynamic_shared_bytes: 0,
            model_words_per_block: 0,
            registers_per_thread: 0,
            grid_blocks: threads as u32,
            blocks_per_sm: 1,
            resident_envs: threads as u64,
            waves: demand.num_envs.div_ceil(threads as u64),
            limiter: Limiter::Threads,
            capacity,
            placement: placed.placement_map(),
            layout: placed,
        }
    };
    let fast = kernel("step", dims.fast_capacity(demand));
    let retry = kernel("retry", dims.proven);
    let scale = word_bytes / 4;
    let state_per_env = scale * dims.state_bytes_per_env + HOST_BYTES_PER_ENV;
    let per_env =
        state_per_env + scale * (dims.input_bytes_per_env + dims.output_bytes_per_env + dims.model_bytes_per_env);
    let workspace =
        scale * 4 * threads as u64 * retry.layout.global_words_per_env.max(fast.layout.global_words_per_env);
    let n = demand.num_envs;
    let limit = demand.memory_limit.unwrap_or(u64::MAX).min(host.total_global_memory);
    // The retry list has 32 bits for an environment.
    let fixed = workspace + scale * dims.model_bytes;
    let max_num_envs = (limit.saturating_sub(fixed) / per_env.max(1)).min(1 << 31);
    if n > max_num_envs {
        let need = u128::from(n) * u128::from(per_env) + u128::from(fixed);
        let model = dims.name.clone();
        return Err(ExecutorError::TooManyEnvironments {
            num_envs: n,
            model,
            need,
            device: host.name,
            free: limit,
            largest: max_num_envs,
        });
    }
    let memory = MemoryMap {
        state: n * state_per_env,
        inputs: n * scale * dims.input_bytes_per_env,
        outputs: n * scale * dims.output_bytes_per_env,
        model: scale * dims.model_bytes + n * scale * dims.model_bytes_per_env,
        workspace,
        total: n * per_env + fixed,
        limit,
        ..MemoryMap::default()
    };
    Ok(LaunchPlan {
        model: dims.name.clone(),
        device: host,
        num_envs: n,
        estimated: false,
        tuned: false,
        kernels: vec![fast, retry],
        memory,
        max_num_envs,
        rejected: vec![],
    })
}

/// This machine's CPU with the memory of a device to rehearse.
///
/// # Errors
/// If that device has more memory than this machine has free.
pub(super) fn rehearsed(host: DeviceLimits, limits: Option<&DeviceLimits>) -> Result<DeviceLimits, ExecutorError> {
    let Some(limits) = limits else { return Ok(host) };
    limits.validate().map_err(PlanError::from)?;
    if limits.total_global_memory > host.total_global_memory {
        return Err(ExecutorError::Plan(PlanError::Limits(LimitsError::Raised {
            name: limits.name.clone(),
            field: "total_global_memory".into(),
            wanted: limits.total_global_memory,
            device: host.name,
            has: host.total_global_memory,
        })));
    }
    let name = format!("{} with the memory of {}", host.name, limits.name);
    Ok(DeviceLimits { name, total_global_memory: limits.total_global_memory, ..host })
}

/// A CPU in the planner's terms: a multiprocessor of one lane a thread.
pub(super) fn cpu_limits(threads: usize) -> DeviceLimits {
    DeviceLimits {
        name: format!("CPU, {threads} threads"),
        compute_capability: (0, 0),
        multiprocessor_count: threads as u32,
        warp_size: 1,
        max_threads_per_block: 1,
        max_threads_per_multiprocessor: 1,
        max_blocks_per_multiprocessor: 1,
        shared_memory_per_block: 0,
        shared_memory_per_block_optin: 0,
        shared_memory_per_multiprocessor: 0,
        reserved_shared_memory_per_block: 0,
        shared_memory_allocation_unit: 1,
        registers_per_block: 0,
        registers_per_multiprocessor: 0,
        register_allocation_unit: 1,
        max_registers_per_thread: 0,
        max_grid_dim_x: u32::MAX,
        total_global_memory: available_bytes(),
        context_bytes: 0,
        l2_cache_bytes: 0,
    }
}
