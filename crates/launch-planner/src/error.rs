//! Why nothing could be planned: the need, the limit, and what to do.

use serde::{Deserialize, Serialize};

use crate::{DeviceLimits, KernelAttributes, Limiter, LimitsError};

/// Why nothing could be planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PlanError {
    /// A batch without environments.
    #[error("num_envs is 0; ask for at least 1 environment")]
    NoEnvironments,
    /// More environments than kernels count.
    #[error("{num_envs} environments were asked for; one batch has at most {limit}: make several simulations")]
    TooManyEnvironments {
        /// What was asked for.
        num_envs: u64,
        /// The limit.
        limit: u64,
    },
    /// The device's limits are impossible.
    #[error(transparent)]
    Limits(#[from] LimitsError),
    /// A team size that no kernel has.
    #[error("{lanes} lanes per environment were asked for; {offered}")]
    Lanes {
        /// What was asked for.
        lanes: u32,
        /// What there is.
        offered: String,
    },
    /// A pinned array that cannot be pinned.
    #[error("`{field}` names `{array}`; {advice}")]
    Pin {
        /// `pin_shared` or `pin_global`.
        field: String,
        /// The array.
        array: String,
        /// What is wrong and what to write.
        advice: String,
    },
    /// The description of the model contradicts itself.
    #[error("{model}: workspace array `{array}` {problem}")]
    Model {
        /// The model's name.
        model: String,
        /// The array.
        array: String,
        /// What is wrong and what to write.
        problem: String,
    },
    /// A block does not fit a multiprocessor, apart from shared memory.
    #[error("{kernel} kernel needs {need} {what}, {device} offers {limit}; {advice}")]
    Block {
        /// "step" or "retry".
        kernel: String,
        /// The need.
        need: u64,
        /// Its unit.
        what: String,
        /// The device's name.
        device: String,
        /// The limit.
        limit: u64,
        /// What to do.
        advice: String,
    },
    /// The shared memory of one environment does not fit a block.
    #[error("{kernel} kernel needs {need} bytes of shared memory for {count}, this device offers {limit}; {advice}")]
    SharedMemory {
        /// "step" or "retry".
        kernel: String,
        /// Bytes.
        need: u64,
        /// How many environments share the smallest block, in words.
        count: String,
        /// Bytes.
        limit: u64,
        /// The largest part and what to do about it.
        advice: String,
    },
    /// The environments do not fit the device's memory.
    #[error("{message}")]
    Memory {
        /// The need, the limit and what to do.
        message: String,
        /// The largest number of environments that fits; 0 if not even one does.
        largest: u64,
    },
}

impl PlanError {
    /// The error of a kernel of which not even a block of one warp fits a multiprocessor.
    pub(crate) fn block(
        kernel: &str,
        device: &DeviceLimits,
        attributes: &KernelAttributes,
        shared_bytes: u64,
        limiter: Limiter,
    ) -> Self {
        let registers = u64::from(attributes.registers_per_thread);
        let compile = "compile it for fewer registers (`maxrregcount`)";
        let (need, what, limit, advice) = match limiter {
            _ if attributes.max_threads_per_block < 32 => {
                let limit = u64::from(attributes.max_threads_per_block);
                (32, "threads in a block", limit, "the compiled kernel allows no whole warp: raise its launch bound")
            }
            Limiter::Registers if attributes.registers_per_thread > device.max_registers_per_thread => {
                (registers, "registers per thread", u64::from(device.max_registers_per_thread), compile)
            }
            Limiter::Registers => {
                (registers * 32, "registers for one warp", u64::from(device.registers_per_block), compile)
            }
            Limiter::SharedMemory => {
                let limit = u64::from(device.shared_memory_per_block_optin);
                (
                    shared_bytes,
                    "bytes of shared memory for one block",
                    limit,
                    "compile it with less static shared memory",
                )
            }
            _ => {
                let limit = device.max_threads_per_block.min(device.max_threads_per_multiprocessor);
                (32, "threads in a block", u64::from(limit), "raise the device limit `max_threads_per_block`")
            }
        };
        let (kernel, what, device, advice) =
            (kernel.to_string(), what.to_string(), device.name.clone(), advice.to_string());
        PlanError::Block { kernel, need, what, device, limit, advice }
    }
}
