//! Refuses models and demands that contradict themselves, before anything is planned.

use std::collections::BTreeSet;

use crate::{Demand, KernelAttributes, KernelNeeds, ModelDims, PlanError, TEAM_SIZES, WorkArray};

/// Environments of one batch at most: kernels count those that they have taken, and list those to retry, in 32 bits.
pub(crate) const MAX_ENVS: u64 = 1 << 31;

/// Words of one environment's workspace at most: kernels address it with 31 bits.
const MAX_WORKSPACE_WORDS: u64 = i32::MAX as u64;

/// Refuses a workspace beyond what kernels can address.
pub(crate) fn check_workspace(model: &ModelDims) -> Result<(), PlanError> {
    let words = |array: &WorkArray| array.words_at(model.proven);
    let total = model.arrays.iter().map(words).fold(0, u64::saturating_add);
    let Some(largest) = model.arrays.iter().max_by_key(|array| words(array)) else { return Ok(()) };
    if total > MAX_WORKSPACE_WORDS {
        let problem = format!(
            "has {} of the {total} words that one environment's workspace takes at its proven maximum; kernels address \
             {MAX_WORKSPACE_WORDS}: let fewer geoms touch (contype, conaffinity, <exclude>)",
            words(largest)
        );
        return Err(PlanError::Model { model: model.name.clone(), array: largest.name.clone(), problem });
    }
    Ok(())
}

/// Refuses arrays that no layout can hold apart.
pub(crate) fn check_model(model: &ModelDims) -> Result<(), PlanError> {
    let mut names = BTreeSet::new();
    for array in &model.arrays {
        let problem = if array.first_stage > array.last_stage {
            format!("lives from stage {} to stage {}; write the earlier first", array.first_stage, array.last_stage)
        } else if !names.insert(&array.name) {
            "is listed twice; give each array its own name".to_string()
        } else {
            continue;
        };
        return Err(PlanError::Model { model: model.name.clone(), array: array.name.clone(), problem });
    }
    Ok(())
}

/// Refuses pins that name nothing or contradict each other.
pub(crate) fn check_pins(model: &ModelDims, demand: &Demand) -> Result<(), PlanError> {
    for (field, pins) in [("pin_shared", &demand.pin_shared), ("pin_global", &demand.pin_global)] {
        for pin in pins {
            let advice = if !model.arrays.iter().any(|array| array.name == *pin) {
                let names: Vec<&str> = model.arrays.iter().map(|array| array.name.as_str()).collect();
                format!("{} has no such workspace array; it has {}", model.name, names.join(", "))
            } else if field == "pin_global" && demand.pin_shared.contains(pin) {
                "`pin_shared` names it too; remove it from one of them".to_string()
            } else {
                continue;
            };
            return Err(PlanError::Pin { field: field.to_string(), array: pin.clone(), advice });
        }
    }
    Ok(())
}

/// The step kernels to consider: all there are, or the one that was asked for.
pub(crate) fn candidate_kernels<'a>(
    needs: &'a KernelNeeds,
    demand: &Demand,
) -> Result<Vec<(u32, &'a KernelAttributes)>, PlanError> {
    let all: Vec<(u32, &KernelAttributes)> =
        needs.fast.iter().map(|(&lanes, attributes)| (lanes, attributes)).collect();
    let known: Vec<String> = all.iter().map(|(lanes, _)| lanes.to_string()).collect();
    let wanted = demand.lanes.or(all.iter().map(|&(lanes, _)| lanes).find(|lanes| !TEAM_SIZES.contains(lanes)));
    let kernels: Vec<_> =
        all.into_iter().filter(|&(lanes, _)| demand.lanes.is_none_or(|wanted| wanted == lanes)).collect();
    match wanted {
        Some(lanes) if !TEAM_SIZES.contains(&lanes) => {
            Err(PlanError::Lanes { lanes, offered: "write 1, 2, 4, 8, 16 or 32".to_string() })
        }
        _ if kernels.is_empty() => {
            let offered = format!(
                "step kernels exist for {}",
                if known.is_empty() { "no team size".to_string() } else { known.join(", ") }
            );
            Err(PlanError::Lanes { lanes: wanted.unwrap_or(0), offered })
        }
        _ => Ok(kernels),
    }
}
