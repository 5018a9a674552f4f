//! A batch of environments of one model: state, step, reset, model fields per environment, faults.
//!
//! [`Simulation`] owns the state of `num_envs` copies of a model and steps them together, on a GPU or on CPU cores, with the
//! same bits on both. It promises that an environment never reads another, that a step neither allocates nor waits, that no
//! contact is lost, and that one environment that blows up is frozen and flagged while the others go on. It refuses numbers
//! that are not finite and sizes that do not fit, before anything is changed.

mod details;
mod error;
mod field_access;
mod hashes;
mod model_values;
mod options;
mod pieces;
#[cfg(test)]
mod poisoned;
mod quarantine;
mod reset;
mod simulation;
mod snapshot;
mod state_arena;
mod statistics;

pub use phalanx_gpu_kernels::executor::{CallTimes, Needs, Seen, StepKernels};

pub use details::{DetailContact, DetailField, Details, InjectedContact};
pub use error::SimError;
pub use options::{DeviceChoice, Options, Precision, SolverOptions};
pub use quarantine::BadQuantity;
pub use reset::{Envs, Reset, Target};
pub use simulation::{RANDOM_ENVIRONMENTS, RANDOM_STEPS, Simulation};
pub use snapshot::Snapshot;
pub use statistics::Statistics;

/// Fault bit: the environment became NaN or exceeded 1e10; it is frozen at its last good state.
pub const NOT_FINITE: u32 = 1;
