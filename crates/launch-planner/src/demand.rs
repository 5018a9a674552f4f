//! What the user asks of a plan: how many environments, and what must not be chosen freely.

use serde::{Deserialize, Serialize};

use crate::{Capacity, LaunchPlan, Placement, RowChoice};

/// What the user asks of a plan. `Demand::envs(n)` leaves every choice to the planner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// Environments in the batch; at least 1.
    pub num_envs: u64,
    /// Forces the lanes per environment of the step kernel: 1, 2, 4, 8, 16 or 32.
    #[serde(default)]
    pub lanes: Option<u32>,
    /// Forces the contacts that the fast workspace holds (tests use 1, so that every environment retries).
    /// Its Jacobian words are scaled in proportion. What the model can never need is not reserved.
    #[serde(default)]
    pub fast_contacts: Option<u32>,
    /// What the fast workspace is to hold, as the steps so far have taught; it goes before `fast_contacts`. What the model can
    /// never need is not reserved.
    #[serde(default)]
    pub capacity: Option<Capacity>,
    /// Whether the fast workspace may be re-sized between steps: memory for it to grow is then counted with the workspaces.
    #[serde(default)]
    pub learns: bool,
    /// Workspace arrays that must stay in shared memory.
    #[serde(default)]
    pub pin_shared: Vec<String>,
    /// Workspace arrays that must live in global memory.
    #[serde(default)]
    pub pin_global: Vec<String>,
    /// A row that was measured to be the fastest: it is chosen if it launches and fits, before any other preference.
    #[serde(default)]
    pub row: Option<RowChoice>,
    /// The retry kernel is the generic one too, whose arrays are all in global memory.
    #[serde(default)]
    pub generic_retry: bool,
    /// Bytes of device memory that this process may take, its context included; the whole device if `None`.
    #[serde(default)]
    pub memory_limit: Option<u64>,
    /// Bytes of that memory to leave untouched, for example for a policy network.
    #[serde(default)]
    pub reserve_bytes: u64,
}

impl Demand {
    /// `num_envs` environments, every choice left to the planner.
    pub fn envs(num_envs: u64) -> Self {
        Demand { num_envs, ..Demand::default() }
    }

    /// The same demand, restricted to the team size and placement that `plan`'s step kernel was compiled for: the new
    /// plan may change capacity, block and grid, which are launch arguments, and never asks for another kernel.
    pub fn with_kernel_of(mut self, plan: &LaunchPlan) -> Self {
        let step = plan.step();
        let placed = |wanted: Placement| {
            let arrays = step.layout.arrays.iter().filter(|array| array.placement == wanted);
            arrays.map(|array| array.name.clone()).collect()
        };
        self.lanes = Some(step.lanes_per_env);
        self.pin_shared = placed(Placement::Shared);
        self.pin_global = placed(Placement::Global);
        self
    }
}
