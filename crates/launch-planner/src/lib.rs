//! Chooses team size, block size, shared memory and the memory map of a simulation from the device's limits.
//!
//! Pure arithmetic: no driver call, no I/O, no global, no environment variable. The same limits always give the same
//! plan, so every rule here is tested without a GPU. Sums are exact or saturate, so any `u64` is a legal demand.
//!
//! [`plan`] returns a [`LaunchPlan`] that launches on the device, or a [`PlanError`] that names the need, the limit and
//! what to do about it. It refuses a model for which not one workspace of its proven maximum fits.

mod checks;
mod compare;
mod cost;
mod demand;
mod device_limits;
mod error;
mod explain;
mod kernel_needs;
mod ladder;
mod launch_plan;
mod layout;
mod learning;
mod memory;
mod model_dims;
mod occupancy;
mod presets;
mod rejected;
mod retry;
mod row_choice;
mod rungs;

pub use compare::{ComparedRow, Comparison};
pub use demand::Demand;
pub use device_limits::{DeviceLimits, LimitsError};
pub use error::PlanError;
pub use kernel_needs::{KernelAttributes, KernelNeeds, TEAM_SIZES};
pub use ladder::plan;
pub use launch_plan::{KernelPlan, LaunchPlan, Limiter, Rejected};
pub use layout::{PlacedArray, Placement, WorkspaceLayout, bank_stride, layout};
pub use learning::{Learning, Lesson, Observed};
pub use memory::{HiddenMemory, MemoryMap, MemoryPart, NoRoom};
pub use model_dims::{Capacity, ModelDims, WorkArray};
pub use occupancy::{Occupancy, occupancy};
pub use row_choice::{RowChoice, candidates};
