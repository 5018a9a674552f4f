//! Says why the other mappings were not chosen, and why a batch does not fit memory.

use std::collections::BTreeMap;

use crate::explain::{bytes, counted, environments};
use crate::ladder::{Launch, Prospect, Row};
use crate::retry::RetryPool;
use crate::{Demand, DeviceLimits, ModelDims, Rejected};

/// Why the chosen row was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// By the estimate.
    Cheapest,
    /// Its team size is preferred for the model.
    Preferred,
    /// It was asked for, since it was measured to be the fastest.
    Asked,
}

/// The best row of every other team size, and of the chosen one with all arrays in shared memory or with others outside;
/// then the team sizes that do not launch at all.
pub(crate) fn rejected(
    chosen: &Launch,
    launches: &[Launch],
    prospects: &[Prospect],
    misfits: Vec<Rejected>,
    why: Why,
) -> Vec<Rejected> {
    let is_chosen = |row: &Row| row.lanes == chosen.row.lanes && row.rung.moved == chosen.row.rung.moved;
    let group = |row: &Row| (row.lanes, row.lanes == chosen.row.lanes && row.rung.moved.is_empty());
    let mut best: BTreeMap<(u32, bool), &Launch> = BTreeMap::new();
    for launch in launches.iter().filter(|launch| !is_chosen(launch.row)) {
        let entry = best.entry(group(launch.row)).or_insert(launch);
        if launch.cost < entry.cost {
            *entry = launch;
        }
    }
    let mut rejected: Vec<Rejected> = best
        .values()
        .map(|launch| Rejected {
            row: launch.row.label(),
            reason: match why {
                Why::Asked => format!("{}; the chosen row was asked for", estimate(launch, chosen)),
                Why::Preferred if launch.row.lanes != chosen.row.lanes => {
                    let lanes = chosen.row.lanes;
                    format!("{}; {lanes} lanes measured best for models of this size", estimate(launch, chosen))
                }
                _ => slower(launch, chosen),
            },
        })
        .collect();
    let mut too_large: BTreeMap<(u32, bool), &Prospect> = BTreeMap::new();
    for prospect in prospects {
        let key = group(&prospect.row);
        let fits = best.contains_key(&key) || is_chosen(&prospect.row);
        if !fits && too_large.get(&key).is_none_or(|other| other.max_num_envs < prospect.max_num_envs) {
            too_large.insert(key, prospect);
        }
    }
    rejected.extend(too_large.values().map(|prospect| Rejected {
        row: prospect.row.label(),
        reason: format!(
            "needs {} of workspace for one block, which leaves memory for {}",
            bytes(prospect.row.workspace_bytes(1)),
            environments(prospect.max_num_envs)
        ),
    }));
    rejected.extend(misfits);
    rejected
}

/// Why a row that fits is not the plan.
fn slower(launch: &Launch, chosen: &Launch) -> String {
    if hundredths(launch, chosen) <= 100 {
        return format!("no faster than the chosen row ({})", waves(launch));
    }
    estimate(launch, chosen)
}

/// How long a step takes by the estimate, and why.
fn estimate(launch: &Launch, chosen: &Launch) -> String {
    let hundredths = hundredths(launch, chosen);
    let times = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    format!("estimated {times} times as long a step: {}", waves(launch))
}

/// The time of a step in hundredths of the chosen row's.
fn hundredths(launch: &Launch, chosen: &Launch) -> u128 {
    launch.cost.saturating_mul(100).checked_div(chosen.cost).unwrap_or(100)
}

fn waves(launch: &Launch) -> String {
    let warps = counted(launch.warps_per_multiprocessor, "warp");
    format!("{} with {warps} per multiprocessor", counted(launch.waves, "wave"))
}

/// The message of a batch that does not fit the device's memory.
pub(crate) fn not_enough_memory(
    device: &DeviceLimits,
    model: &ModelDims,
    demand: &Demand,
    roomiest: &Prospect,
    pool: &RetryPool,
) -> String {
    let budget = &roomiest.budget;
    let needed = budget.per_env().saturating_mul(u128::from(demand.num_envs)).saturating_add(roomiest.least);
    let needed = needed.saturating_add(u128::from(budget.model));
    let free = u128::from(budget.limit).saturating_sub(budget.hidden.total());
    let over = needed.saturating_sub(free);
    let has = match demand.memory_limit {
        Some(limit) if limit < device.total_global_memory => {
            format!("the memory limit on {} is {}", device.name, bytes(u128::from(limit)))
        }
        _ => format!("{} has {}", device.name, bytes(u128::from(device.total_global_memory))),
    };
    let hidden = budget.hidden;
    let mut taken = vec![format!("{} of context", bytes(hidden.context.into()))];
    if hidden.local_memory > 0 {
        taken.push(format!("{} of local memory", bytes(hidden.local_memory.into())));
    }
    taken.push(format!("{} of code", bytes(hidden.code.into())));
    if hidden.reserve > 0 {
        taken.push(format!("{} of reserve", bytes(hidden.reserve.into())));
    }
    let remedy = match roomiest.max_num_envs {
        0 => format!(
            "not even one environment fits: one workspace of the model's proven maximum takes {}, the model {}; use a \
             device with more memory, or a model with fewer pairs that can touch",
            bytes(pool.workspace_bytes()),
            bytes(budget.model.into()),
        ),
        largest => format!("the largest number that fits is {largest}"),
    };
    format!(
        "{} of {} need {}, {has} ({} free after {}): {} too little; {remedy}",
        environments(demand.num_envs),
        model.name,
        bytes(needed),
        bytes(free),
        taken.join(", "),
        bytes(over),
    )
}
