//! Why nothing could be planned: the need, the limit, and what to do.

use serde::{Deserialize, Serialize};

use crate::LimitsError;

/// Why nothing could be planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PlanError {
    /// A batch without environments.
    #[error("num_envs is 0; ask for at least 1 environment")]
    NoEnvironments,
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
    #[error("{0}")]
    Memory(String),
}
