//! Which bytes of device memory a simulation takes, seen and hidden.

use serde::{Deserialize, Serialize};

use crate::checks::MAX_ENVS;
use crate::{Demand, DeviceLimits, KernelAttributes, ModelDims};

/// Device memory in bytes, part by part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The least total with which this kernel could step this number of environments: fewest workspaces of its capacity.
    pub least_total: u64,
    /// What the total may not exceed: the device's memory or the user's limit.
    pub limit: u64,
}

/// A part of the memory that may grow while a batch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPart {
    /// Inputs that few users write.
    Inputs,
    /// Outputs.
    Outputs,
}

/// Memory beyond the limit was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{need} bytes more are needed, {left} of the {limit} that may be taken are left")]
pub struct NoRoom {
    /// Bytes that were asked for.
    pub need: u64,
    /// Bytes that may still be taken.
    pub left: u64,
    /// Bytes that may be taken in all.
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

impl MemoryMap {
    /// Whether `bytes` more may be taken.
    ///
    /// # Errors
    /// If they do not fit below the limit.
    pub fn check_room(&self, bytes: u64) -> Result<(), NoRoom> {
        let left = self.limit.saturating_sub(self.total);
        if bytes > left { Err(NoRoom { need: bytes, left, limit: self.limit }) } else { Ok(()) }
    }

    /// Counts `bytes` more of a part, which were taken.
    pub fn grow(&mut self, part: MemoryPart, bytes: u64) {
        match part {
            MemoryPart::Inputs => self.inputs += bytes,
            MemoryPart::Outputs => self.outputs += bytes,
        }
        self.total += bytes;
    }

    /// Counts what grew since the batch was planned, as `earlier`, another plan of it, does.
    pub fn keep_growth_of(&mut self, earlier: &MemoryMap) {
        let growth = earlier.inputs + earlier.outputs - self.inputs - self.outputs;
        (self.inputs, self.outputs) = (earlier.inputs, earlier.outputs);
        self.total += growth;
    }
}

/// The memory of a batch before workspaces are counted. Sums are 128 bits wide: no `u64` overflows them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub limit: u64,
    pub hidden: HiddenMemory,
    pub state_per_env: u64,
    pub inputs_per_env: u64,
    pub outputs_per_env: u64,
    pub model_per_env: u64,
    pub model: u64,
}

impl Budget {
    pub fn new(
        device: &DeviceLimits,
        model: &ModelDims,
        demand: &Demand,
        step: &KernelAttributes,
        retry: &KernelAttributes,
    ) -> Self {
        // The driver keeps local memory for every thread that the device can hold, for the kernel that needs most.
        let local = u64::from(step.local_bytes_per_thread.max(retry.local_bytes_per_thread));
        let threads = u64::from(device.max_threads_per_multiprocessor) * u64::from(device.multiprocessor_count);
        Budget {
            limit: device.total_global_memory.min(demand.memory_limit.unwrap_or(u64::MAX)),
            hidden: HiddenMemory {
                context: device.context_bytes,
                local_memory: local.saturating_mul(threads),
                code: step.code_bytes.saturating_add(retry.code_bytes),
                reserve: demand.reserve_bytes,
            },
            state_per_env: model.state_bytes_per_env,
            inputs_per_env: model.input_bytes_per_env,
            outputs_per_env: model.output_bytes_per_env,
            model_per_env: model.model_bytes_per_env,
            model: model.model_bytes,
        }
    }

    /// What one more environment costs.
    pub fn per_env(&self) -> u128 {
        u128::from(self.state_per_env)
            + u128::from(self.inputs_per_env)
            + u128::from(self.outputs_per_env)
            + u128::from(self.model_per_env)
    }

    /// What is taken whatever the number of environments, workspaces apart.
    pub fn fixed(&self) -> u128 {
        self.hidden.total() + u128::from(self.model)
    }

    /// Bytes left for workspaces with `num_envs` environments.
    pub fn left_for_workspaces(&self, num_envs: u64) -> u128 {
        let environments = self.per_env().saturating_mul(u128::from(num_envs));
        u128::from(self.limit).saturating_sub(self.fixed().saturating_add(environments))
    }

    /// The largest number of environments that leaves `workspaces` bytes for workspaces; 0 if none does.
    pub fn max_num_envs(&self, workspaces: u128) -> u64 {
        let fixed = self.fixed().saturating_add(workspaces);
        let fits = match u128::from(self.limit).checked_sub(fixed) {
            None => 0,
            Some(_) if self.per_env() == 0 => u64::MAX,
            Some(free) => u64::try_from(free / self.per_env()).unwrap_or(u64::MAX),
        };
        fits.min(MAX_ENVS)
    }

    /// The map of a batch that fits.
    pub fn map(&self, num_envs: u64, workspace: u64, retry: u64, least_workspaces: u128) -> MemoryMap {
        let environments = self.per_env() * u128::from(num_envs);
        let total = self.fixed() + environments + u128::from(workspace) + u128::from(retry);
        let least = self.fixed() + environments + least_workspaces;
        MemoryMap {
            state: self.state_per_env * num_envs,
            inputs: self.inputs_per_env * num_envs,
            outputs: self.outputs_per_env * num_envs,
            model: self.model + self.model_per_env * num_envs,
            workspace,
            retry,
            hidden: self.hidden,
            total: u64::try_from(total).expect("the total is within the limit"),
            least_total: u64::try_from(least).expect("the least is below the total"),
            limit: self.limit,
        }
    }
}

impl HiddenMemory {
    /// The sum of all parts; 128 bits wide because a user's reserve may be anything.
    pub fn total(&self) -> u128 {
        [self.context, self.local_memory, self.code, self.reserve].iter().map(|&bytes| u128::from(bytes)).sum()
    }
}
