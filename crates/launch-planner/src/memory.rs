//! Which bytes of device memory a simulation takes, seen and hidden.

use serde::{Deserialize, Serialize};

/// Device memory in bytes, part by part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryMap {
    /// State of every environment.
    pub state: u64,
    /// Inputs of every environment.
    pub inputs: u64,
    /// Outputs that were asked for.
    pub outputs: u64,
    /// Model constants and the model fields that are stored per environment.
    pub model: u64,
    /// The step kernel's workspaces in global memory, one per resident team.
    pub workspace: u64,
    /// The retry kernel's workspaces, one per team of its grid.
    pub retry: u64,
    /// What the driver takes, and what is left untouched.
    pub hidden: HiddenMemory,
    /// The sum of all parts.
    pub total: u64,
    /// The least total with which this number of environments could be stepped: fewest workspaces.
    pub least_total: u64,
    /// What the total may not exceed: the device's memory or the user's limit.
    pub limit: u64,
}

/// Memory that no buffer shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HiddenMemory {
    /// The CUDA context, an estimate.
    pub context: u64,
    /// Local memory of every thread that the device can hold.
    pub local_memory: u64,
    /// Machine code of the kernels.
    pub code: u64,
    /// What the user wants left untouched.
    pub reserve: u64,
}
