//! Chooses.

use crate::{Demand, DeviceLimits, KernelNeeds, LaunchPlan, ModelDims, PlanError};

/// Plans a batch.
pub fn plan(
    device: &DeviceLimits,
    model: &ModelDims,
    needs: &KernelNeeds,
    demand: &Demand,
) -> Result<LaunchPlan, PlanError> {
    let _ = (device, model, needs, demand);
    todo!()
}
