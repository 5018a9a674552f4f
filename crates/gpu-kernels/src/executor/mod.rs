//! What runs the kernels: CPU cores or a GPU, behind one interface.
//!
//! An executor owns the compiled kernels and the workspaces of its resident teams; the caller owns the state and passes an
//! argument block. A step is one or two launches in the caller's order of events: the batch in fast workspaces, then, where
//! that can be, whoever did not fit in workspaces of the model's proven maximum. Neither launch allocates or waits.

#[cfg(all(feature = "cuda", target_os = "linux"))]
mod awaited;
mod checks;
mod compiled_plan;
mod cpu;
mod cpu_memory;
mod cpu_plan;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod cuda;
mod cuda_kernels;
mod host_memory;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod launch;
mod memory;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod news;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod programs;
mod seen;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod stand_in;
mod workspace_slots;

pub use checks::{Checks, Finding, Wrong};
pub use compiled_plan::{plan_compiled, plan_shape_compiled};
pub use cpu::{CpuExecutor, CpuOptions, OpenWorkspace, Precision, available_threads};
#[cfg(all(feature = "cuda", target_os = "linux"))]
pub use cuda::{CudaExecutor, CudaOptions, device_limits};
pub use cuda_kernels::{KernelRequest, between_steps_request, kernel_request};
pub use memory::Memory;
pub use seen::{CallTimes, Needs, Seen};
pub use workspace_slots::{is_mixed, workspace_slots};

use crate::compile::CompileError;
use crate::cuda::CudaError;
use crate::view::ArgumentBlock;
use phalanx_launch_planner::{LaunchPlan, MemoryPart, PlanError};

/// Banks of the counters, as in `kernels/run.h`.
pub const COUNTER_BANKS: usize = 64;
/// Counters of a bank, as in `kernels/run.h`.
pub const COUNTERS: usize = 8;
/// Words of the marks, as in `kernels/run.h`.
pub const MARK_WORDS: usize = 16;

/// Words of `Progress` in `kernels/view/elements.h`.
pub const PROGRESS_WORDS: u64 = 6;

/// Why an executor could not be made or a launch failed.
#[derive(Debug, thiserror::Error)]
pub enum ExecutorError {
    /// The batch does not fit.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The kernels did not compile, or there is no compiler.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The driver refused.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The host has no memory left.
    #[error("the host has no {bytes} bytes left for {what}; use fewer environments")]
    HostMemory {
        /// What was asked for.
        bytes: usize,
        /// What it was for.
        what: String,
    },
    /// The batch does not fit the host.
    #[error(
        "{num_envs} environments of {model} need {need} bytes, {device} offers {free}; the largest number that fits is {largest}"
    )]
    TooManyEnvironments {
        /// Environments asked for.
        num_envs: u64,
        /// The model.
        model: String,
        /// Bytes that they need.
        need: u128,
        /// The CPU, and the device that it rehearses.
        device: String,
        /// Bytes that are free, or that may be taken.
        free: u64,
        /// Environments that fit.
        largest: u64,
    },
    /// The compiled step kernel takes more than was estimated when the memory was taken.
    #[error("the compiled kernel makes the batch need {need} bytes of device memory, the limit is {limit}")]
    NoRoomForCompiled {
        /// Bytes in all.
        need: u64,
        /// What they may not exceed.
        limit: u64,
    },
    /// The checked kernels found a mistake.
    #[error("{0}")]
    Checked(Finding),
    /// The checked kernels found something and its record makes no sense.
    #[error(
        "checked kernels: something was found in {environments} environments, and what it was is lost; a bug of Phalanx: please \
         report it with the model and the command"
    )]
    LostFinding {
        /// In how many environments.
        environments: u32,
    },
    /// The host's threads cannot be made.
    #[error("the host refused {threads} threads: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The system's word.
        reason: String,
    },
}

/// Which kernels have stepped the batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepKernels {
    /// Calls that the generic kernel stepped: on a CPU all.
    pub generic_calls: u64,
    /// Calls that the kernel specialised for the model stepped.
    pub specialised_calls: u64,
}

impl StepKernels {
    /// Calls in all.
    pub fn calls(&self) -> u64 {
        self.generic_calls + self.specialised_calls
    }
}

/// Runs the kernels.
pub trait Executor: Send {
    /// The device, for people.
    fn device_name(&self) -> &str;
    /// The plan that launches follow.
    fn plan(&self) -> &LaunchPlan;
    /// Which kernels have stepped the batch so far.
    fn step_kernels(&self) -> StepKernels;
    /// What the calls so far needed; waits for them. `arguments` are those of the calls.
    ///
    /// # Errors
    /// If a kernel failed.
    fn seen(&mut self, arguments: &ArgumentBlock) -> Result<Seen, ExecutorError>;
    /// How long the calls took since this was last asked for; waits for them. On a GPU only calls that it was made to time
    /// count.
    ///
    /// # Errors
    /// If a kernel failed.
    fn take_call_times(&mut self) -> Result<CallTimes, ExecutorError>;
    /// Seconds that the caller waited for kernels to be compiled and loaded.
    fn compile_seconds(&self) -> f64;
    /// Bytes of one number: 4 or 8.
    fn real_bytes(&self) -> usize;
    /// Counts memory that a caller has taken beyond the plan.
    fn grow(&mut self, part: MemoryPart, bytes: u64);
    /// Zeroed memory that the kernels can reach.
    ///
    /// # Errors
    /// If there is not enough.
    fn allocate(&self, bytes: usize, what: &str) -> Result<Memory, ExecutorError>;
    /// Steps the batch, then retries who did not fit. `arguments` holds everything but the workspace. Where the demand says so,
    /// the fast workspace is re-sized before, by what earlier calls needed.
    ///
    /// # Errors
    /// If a launch is refused.
    fn step(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError>;
    /// Puts the masked environments back to the reset state.
    ///
    /// # Errors
    /// If a launch is refused.
    fn reset(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError>;
    /// Recomputes the model fields that are derived from others, for `environments` of the batch from the first.
    ///
    /// # Errors
    /// If a launch is refused.
    fn set_constants(&mut self, arguments: &ArgumentBlock, environments: u64) -> Result<(), ExecutorError>;
    /// Draws a control for every actuator.
    ///
    /// # Errors
    /// If a launch is refused.
    fn random_controls(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError>;
    /// Waits for everything that was launched.
    ///
    /// # Errors
    /// If a kernel failed.
    fn synchronize(&mut self) -> Result<(), ExecutorError>;
    /// Ticks of a stage clock in a second, summed over how many teams at a time.
    fn stage_ticks_per_second(&self) -> f64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::source;

    /// What follows `name = ` in a source of the kernels.
    fn number(file: &str, name: &str) -> u64 {
        let after = source(file).split_once(&format!("{name} = ")).unwrap_or_else(|| panic!("{file} has no {name}")).1;
        after.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap()
    }

    #[test]
    fn counters_marks_and_progress_are_as_large_as_in_the_kernels() {
        assert_eq!(number("run.h", "counter_banks"), COUNTER_BANKS as u64);
        assert_eq!(number("run.h", "counter_count"), COUNTERS as u64);
        assert_eq!(number("run.h", "mark_count"), MARK_WORDS as u64);
        let progress = source("view/elements.h").split_once("struct Progress {").unwrap().1.split_once("};").unwrap().0;
        let fields = progress.lines().filter_map(|line| line.trim().strip_prefix("uint32_t ")?.split_once(';'));
        let words = |(names, _): (&str, &str)| {
            names.split(", ").map(|name| if name.ends_with("[2]") { 2 } else { 1 }).sum::<u64>()
        };
        assert_eq!(fields.map(words).sum::<u64>(), PROGRESS_WORDS);
    }

    #[cfg(all(feature = "cuda", target_os = "linux"))]
    #[test]
    fn marks_are_where_the_kernels_write_them() {
        let place = |first: &str, name: &str| {
            let order = source("run.h").split_once(&format!("{first} = ")).unwrap().1.split_once('\n').unwrap().0;
            number("run.h", first)
                + order.split(", ").position(|mark| mark.trim_end_matches(',') == name).unwrap_or(0) as u64
        };
        assert_eq!(number("run.h", "mark_before"), news::BEFORE as u64);
        for (name, at) in [
            ("mark_calls", news::CALLS),
            ("mark_retried_calls", news::RETRIED_CALLS),
            ("mark_retried", news::RETRIED),
            ("mark_retried_last", news::RETRIED_LAST),
            ("mark_retried_most", news::RETRIED_MOST),
        ] {
            assert_eq!(place("mark_calls", name), at as u64, "{name}");
        }
    }
}
