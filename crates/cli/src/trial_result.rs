//! What one trial of a batch tells: speed, memory, plan, faults, or why there is none of it.

use phalanx_gpu_kernels::planning::JACOBIAN_ENTRY_WORDS;
use phalanx_launch_planner::{Capacity, LaunchPlan, Limiter};
use phalanx_sim_core::Seen;
use serde::{Deserialize, Serialize};

/// One number of environments: measured, or failed with a reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialResult {
    /// Environments.
    pub num_envs: u64,
    /// Why nothing was measured.
    pub failed: Option<String>,
    /// What was measured.
    #[serde(flatten)]
    pub measured: Option<Measured>,
}

/// The numbers of a trial. The fields are the keys of the JSON and the columns of the CSV, in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The device, for people.
    pub device: String,
    /// Whether it is the CPU.
    pub on_cpu: bool,
    /// Time steps of every environment.
    pub steps: u64,
    /// Environment steps that were timed: those of all time steps but the first.
    pub timed_env_steps: u64,
    /// Environment steps per second.
    pub env_steps_per_second: f64,
    /// Seconds of the timed steps.
    pub timed_seconds: f64,
    /// Seconds of compiling and loading kernels.
    pub compile_seconds: f64,
    /// Seconds of everything.
    pub wall_seconds: f64,
    /// Bytes of memory by the plan.
    pub memory_bytes: u64,
    /// Bytes that the plan may take.
    pub memory_limit_bytes: u64,
    /// Bytes in use on the device with the simulation made, other programs' included; none on the CPU.
    pub device_memory_used_bytes: Option<u64>,
    /// Threads of the busiest multiprocessor in percent of what it holds.
    pub occupancy_percent: u32,
    /// Lanes per environment.
    pub lanes_per_env: u32,
    /// Environments per block.
    pub envs_per_block: u32,
    /// Threads per block.
    pub threads_per_block: u32,
    /// Static and dynamic shared memory of a block.
    pub shared_bytes_per_block: u64,
    /// Registers per thread.
    pub registers_per_thread: u32,
    /// Blocks of the grid.
    pub grid_blocks: u32,
    /// Blocks that a multiprocessor holds.
    pub blocks_per_sm: u32,
    /// Environments stepped at the same time.
    pub resident_envs: u64,
    /// Environments that the busiest team steps one after the other.
    pub waves: u64,
    /// What keeps more environments from being stepped at the same time.
    pub limiter: Limiter,
    /// The largest number of environments by this plan.
    pub max_num_envs: u64,
    /// Environments that are frozen because they are no longer finite.
    pub not_finite: u64,
    /// Environment steps whose solver stopped at its bound.
    pub not_converged: u64,
    /// Environment steps that were taken again in the retry pool.
    pub retried: u64,
    /// The most contacts that an environment had, and how many the fast workspace holds in the end.
    pub most_contacts: u32,
    /// See `most_contacts`.
    pub contact_capacity: u32,
    /// The most Jacobian entries that an environment had, and how many the fast workspace holds in the end.
    pub most_jacobian_entries: u32,
    /// See `most_jacobian_entries`.
    pub jacobian_entry_capacity: u32,
    /// How often the fast workspace was re-sized.
    pub resizes: u32,
    /// The most environments that one call took again in the retry pool.
    pub most_retried_in_a_call: u32,
    /// Seconds of a timed call on average; 0 if calls were not timed.
    pub mean_call_seconds: f64,
    /// Seconds of the slowest.
    pub slowest_call_seconds: f64,
    /// Environments that it took again in the retry pool.
    pub retried_in_slowest_call: u32,
    /// The hash of the final state, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub state_hash: Option<String>,
}

impl TrialResult {
    /// A trial that came to nothing.
    pub fn failed(num_envs: u64, reason: impl Into<String>) -> TrialResult {
        TrialResult { num_envs, failed: Some(reason.into()), measured: None }
    }

    /// A trial with its numbers.
    pub fn measured(num_envs: u64, measured: Measured) -> TrialResult {
        TrialResult { num_envs, failed: None, measured: Some(measured) }
    }
}

impl Measured {
    /// The part of the numbers that the plan decides; the rest is zero.
    pub fn of_plan(plan: &LaunchPlan) -> Measured {
        let step = plan.step();
        Measured {
            device: plan.device.name.clone(),
            on_cpu: plan.device.compute_capability == (0, 0),
            steps: 0,
            timed_env_steps: 0,
            env_steps_per_second: 0.0,
            timed_seconds: 0.0,
            compile_seconds: 0.0,
            wall_seconds: 0.0,
            memory_bytes: plan.memory.total,
            memory_limit_bytes: plan.memory.limit,
            device_memory_used_bytes: None,
            occupancy_percent: plan.occupancy_percent(),
            lanes_per_env: step.lanes_per_env,
            envs_per_block: step.envs_per_block,
            threads_per_block: step.threads_per_block,
            shared_bytes_per_block: u64::from(step.static_shared_bytes) + u64::from(step.dynamic_shared_bytes),
            registers_per_thread: step.registers_per_thread,
            grid_blocks: step.grid_blocks,
            blocks_per_sm: step.blocks_per_sm,
            resident_envs: step.resident_envs,
            waves: step.waves,
            limiter: step.limiter,
            max_num_envs: plan.max_num_envs,
            not_finite: 0,
            not_converged: 0,
            retried: 0,
            most_contacts: 0,
            contact_capacity: step.capacity.contacts,
            most_jacobian_entries: 0,
            jacobian_entry_capacity: jacobian_entries(step.capacity),
            resizes: 0,
            most_retried_in_a_call: 0,
            mean_call_seconds: 0.0,
            slowest_call_seconds: 0.0,
            retried_in_slowest_call: 0,
            state_hash: None,
        }
    }

    /// What was seen, and the fast workspace that came of it.
    pub fn learned(&mut self, seen: &Seen, plan: &LaunchPlan) {
        (self.most_contacts, self.most_jacobian_entries) = (seen.most.contacts, seen.most.jacobian_entries);
        self.contact_capacity = plan.step().capacity.contacts;
        self.jacobian_entry_capacity = jacobian_entries(plan.step().capacity);
        (self.resizes, self.most_retried_in_a_call) = (seen.resizes, seen.most_retried);
    }
}

/// The Jacobian entries that a workspace holds.
pub fn jacobian_entries(capacity: Capacity) -> u32 {
    capacity.jacobian_words / JACOBIAN_ENTRY_WORDS as u32
}
