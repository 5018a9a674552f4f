//! A row of the ladder by what makes it one, to ask for it again; and the rows of a model that are worth measuring.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::explain::{counted, environments};
use crate::{Demand, DeviceLimits, KernelNeeds, LaunchPlan, ModelDims, Placement, PlanError, TEAM_SIZES, plan};

/// A row of the ladder: team size, block size, and which arrays live in global memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowChoice {
    /// Lanes that step one environment together.
    pub lanes_per_env: u32,
    /// Teams of a block.
    pub envs_per_block: u32,
    /// Names of the arrays in global memory that have words, in the model's order.
    pub global: Vec<String>,
    /// With room for the most that the model can have, so that nothing is retried: see [`LaunchPlan::never_retries`].
    #[serde(default)]
    pub never_retries: bool,
}

impl fmt::Display for RowChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = counted(self.lanes_per_env.into(), "lane");
        let place = match self.global.len() {
            0 => "all arrays in shared memory".to_string(),
            count => format!("{} in global memory", counted(count as u64, "array")),
        };
        let roomy = if self.never_retries { ", room for the most contacts" } else { "" };
        write!(f, "{lanes}, {} per block, {place}{roomy}", environments(self.envs_per_block.into()))
    }
}

impl RowChoice {
    /// The row of a plan's step kernel.
    pub fn of(plan: &LaunchPlan) -> Self {
        let step = plan.step();
        let global = step.layout.arrays.iter().filter(|array| array.placement == Placement::Global && array.words > 0);
        RowChoice {
            lanes_per_env: step.lanes_per_env,
            envs_per_block: step.envs_per_block,
            global: global.map(|array| array.name.clone()).collect(),
            never_retries: plan.never_retries(),
        }
    }
}

/// Plans that are worth measuring against each other: the planner's own first, then its block halved and doubled, then
/// every other team size at its best by the estimate. All launch; no two have the same row.
///
/// # Errors
/// Those of [`plan`], if not even the planner's own row can be had.
pub fn candidates(
    device: &DeviceLimits,
    model: &ModelDims,
    needs: &KernelNeeds,
    demand: &Demand,
) -> Result<Vec<LaunchPlan>, PlanError> {
    let own = plan(device, model, needs, &Demand { row: None, ..demand.clone() })?;
    let row = RowChoice::of(&own);
    let blocks = [row.envs_per_block / 2, row.envs_per_block * 2]
        .map(|envs_per_block| Demand { row: Some(RowChoice { envs_per_block, ..row.clone() }), ..demand.clone() });
    let teams = TEAM_SIZES
        .into_iter()
        .filter(|lanes| demand.lanes.is_none_or(|wanted| wanted == *lanes))
        .map(|lanes| Demand { row: None, lanes: Some(lanes), ..demand.clone() });
    let mut plans = vec![own];
    for demand in blocks.into_iter().chain(teams) {
        // What does not launch or does not fit is no candidate; what was asked for in vain is another row again.
        if let Ok(other) = plan(device, model, needs, &demand)
            && !plans.iter().any(|plan| RowChoice::of(plan) == RowChoice::of(&other))
        {
            plans.push(other);
        }
    }
    Ok(plans)
}
