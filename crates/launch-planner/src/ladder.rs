//! Chooses the mapping of a batch: every rung that launches is a row, the cheapest row that fits memory is the plan.
//!
//! The rungs, for every team size: all arrays in shared memory with many environments per block down to one warp of
//! them; then one array after the other in global memory, least traffic first; and for each of these, when memory is
//! short, a smaller grid that makes more passes over fewer workspaces.

use std::collections::BTreeMap;

use crate::cost::{Mapping, cost};
use crate::explain::{bytes, environments};
use crate::layout::{Placement, WorkspaceLayout, bank_stride, layout};
use crate::memory::Budget;
use crate::retry::RetryPool;
use crate::{
    Capacity, Demand, DeviceLimits, KernelAttributes, KernelNeeds, KernelPlan, LaunchPlan, Limiter, ModelDims,
    Occupancy, PlanError, Rejected, TEAM_SIZES, WorkArray, occupancy,
};

/// Teams' global workspaces start on their own 128-byte cache lines.
pub(crate) const GLOBAL_STRIDE_WORDS: u64 = 32;

/// Warps per block to try. Teams never wait for other teams of their block, so blocks need not be large; larger ones
/// save the driver's kilobyte of shared memory per block.
const WARPS_PER_BLOCK: [u32; 12] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32];

/// Plans a batch of environments: a plan that launches, or the need, the limit and what to do about it.
///
/// # Errors
/// See [`PlanError`]. Nothing about `num_envs` but 0 and the device's memory is ever an error.
pub fn plan(
    device: &DeviceLimits,
    model: &ModelDims,
    needs: &KernelNeeds,
    demand: &Demand,
) -> Result<LaunchPlan, PlanError> {
    device.validate()?;
    if demand.num_envs == 0 {
        return Err(PlanError::NoEnvironments);
    }
    check_model(model)?;
    check_pins(model, demand)?;
    let kernels = candidate_kernels(needs, demand)?;
    let pool = RetryPool::new(device, model, &needs.retry)?;

    // Every row that launches, with the memory that it leaves.
    let capacity = model.fast_capacity(demand.fast_contacts);
    let rungs = placements(model, demand, capacity);
    let (rows, misfits) = rows(device, &kernels, &rungs)?;
    let prospects: Vec<Prospect> = rows
        .into_iter()
        .map(|row| {
            let budget = Budget::new(device, model, demand, row.attributes, &needs.retry);
            let least = row.workspace_bytes(1) + pool.workspace_bytes();
            Prospect { max_num_envs: budget.max_num_envs(least), row, budget, least }
        })
        .collect();

    // The largest batch is that of the row that takes least.
    let roomiest = prospects.iter().max_by_key(|prospect| prospect.max_num_envs).expect("rows() returns at least one");
    let max_num_envs = roomiest.max_num_envs;
    if max_num_envs < demand.num_envs {
        return Err(PlanError::Memory(not_enough_memory(device, model, demand, roomiest, &pool)));
    }

    // The cheapest row that fits; the model's preferred team size goes first.
    let launches: Vec<Launch> = prospects
        .iter()
        .filter(|prospect| prospect.max_num_envs >= demand.num_envs)
        .map(|prospect| Launch::new(device, model, demand, prospect, &pool))
        .collect();
    let preferred = |launch: &Launch| demand.lanes.or(model.preferred_lanes) == Some(launch.row.lanes);
    let order = |launch: &&Launch| {
        let row = launch.row;
        (!preferred(launch), launch.cost, row.rung.moved.len(), row.lanes, row.warps)
    };
    let chosen = launches.iter().min_by_key(order).expect("the roomiest row fits");

    let step = chosen.kernel(device, capacity);
    let workspace = chosen.row.workspace_bytes(u64::from(step.grid_blocks));
    let free = chosen.budget.left_for_workspaces(demand.num_envs) - workspace;
    let retry = pool.kernel(demand.num_envs, free, chosen.budget.limit);
    let retry_bytes = pool.workspace_bytes() * u128::from(retry.grid_blocks);
    let in_limit = |bytes: u128| u64::try_from(bytes).expect("workspaces are within the memory limit");
    Ok(LaunchPlan {
        model: model.name.clone(),
        device: device.clone(),
        num_envs: demand.num_envs,
        estimated: chosen.row.attributes.estimated || needs.retry.estimated,
        memory: chosen.budget.map(demand.num_envs, in_limit(workspace), in_limit(retry_bytes), chosen.least),
        max_num_envs,
        rejected: rejected(chosen, &launches, &prospects, misfits, preferred(chosen)),
        kernels: vec![step, retry],
    })
}

/// Refuses arrays that no layout can hold apart.
fn check_model(model: &ModelDims) -> Result<(), PlanError> {
    let mut names = std::collections::BTreeSet::new();
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
fn check_pins(model: &ModelDims, demand: &Demand) -> Result<(), PlanError> {
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
fn candidate_kernels<'a>(
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

/// One rung of the ladder: which arrays live in global memory, and the layout that follows.
struct Rung {
    /// Names of the arrays in global memory that have words, in the model's order.
    moved: Vec<String>,
    layout: WorkspaceLayout,
    /// Share of the workspace's accesses that go to global memory, in thousandths.
    global_traffic: u64,
    /// The largest array in shared memory: name, bytes, pinned there.
    largest_shared: Option<(String, u64, bool)>,
}

/// All rungs: first as much in shared memory as may be, then one array after the other moves, least traffic first.
fn placements(model: &ModelDims, demand: &Demand, capacity: Capacity) -> Vec<Rung> {
    let arrays = &model.arrays;
    let mut global: Vec<bool> = arrays.iter().map(|array| demand.pin_global.contains(&array.name)).collect();
    let mut movable: Vec<usize> = (0..arrays.len())
        .filter(|&i| !global[i] && !demand.pin_shared.contains(&arrays[i].name) && arrays[i].words_at(capacity) > 0)
        .collect();
    movable.sort_by_key(|&i| (arrays[i].traffic, std::cmp::Reverse(arrays[i].words_at(capacity)), i));

    let mut rungs = vec![rung(arrays, capacity, &global, demand)];
    for position in 0..movable.len() {
        global[movable[position]] = true;
        let mut next = rung(arrays, capacity, &global, demand);
        // An earlier move that saves nothing any more is taken back: its words are free beside what is left.
        let mut thrifty = global.clone();
        for &earlier in movable[..=position].iter().rev() {
            thrifty[earlier] = false;
            thrifty[earlier] = most_words_alive(arrays, capacity, &thrifty) > next.layout.shared_words_per_env;
        }
        if thrifty != global {
            let thrifty = rung(arrays, capacity, &thrifty, demand);
            if thrifty.layout.shared_words_per_env <= next.layout.shared_words_per_env {
                next = thrifty;
            }
        }
        if rungs.last().is_some_and(|last| next.layout.shared_words_per_env < last.layout.shared_words_per_env) {
            rungs.push(next);
        }
    }
    rungs
}

/// Words of shared memory in the stage that needs most: no layout takes less.
fn most_words_alive(arrays: &[WorkArray], capacity: Capacity, global: &[bool]) -> u64 {
    let shared = || arrays.iter().zip(global).filter(|&(_, &moved)| !moved).map(|(array, _)| array);
    let alive_at = |stage: u32| {
        let alive = shared().filter(|array| array.first_stage <= stage && stage <= array.last_stage);
        alive.fold(0u64, |sum, array| sum.saturating_add(array.words_at(capacity)))
    };
    shared().map(|array| alive_at(array.first_stage)).max().unwrap_or(0)
}

fn rung(arrays: &[WorkArray], capacity: Capacity, global: &[bool], demand: &Demand) -> Rung {
    let place = |name: &str| {
        let index = arrays.iter().position(|array| array.name == name).expect("a name of the model");
        if global[index] { Placement::Global } else { Placement::Shared }
    };
    let mut layout = layout(arrays, capacity, place);
    layout.global_words_per_env = layout.global_words_per_env.next_multiple_of(GLOBAL_STRIDE_WORDS);

    let weigh = |weight: &dyn Fn(&WorkArray) -> u64| {
        let sum = |only_global: bool| -> u128 {
            let counted = arrays.iter().zip(global).filter(|&(_, &moved)| moved || !only_global);
            counted.map(|(array, _)| u128::from(weight(array))).sum()
        };
        (sum(true) * 1000).checked_div(sum(false))
    };
    let used = |array: &WorkArray| if array.words_at(capacity) > 0 { array.traffic } else { 0 };
    let by_traffic = weigh(&used).or_else(|| weigh(&|array| array.words_at(capacity)));
    let in_shared = layout.arrays.iter().filter(|array| array.placement == Placement::Shared && array.words > 0);
    let largest = in_shared.max_by_key(|array| array.words);
    Rung {
        moved: layout
            .arrays
            .iter()
            .filter(|array| array.placement == Placement::Global && array.words > 0)
            .map(|array| array.name.clone())
            .collect(),
        global_traffic: by_traffic.unwrap_or(0) as u64, // at most 1000
        largest_shared: largest
            .map(|array| (array.name.clone(), array.words * 4, demand.pin_shared.contains(&array.name))),
        layout,
    }
}

/// One mapping that launches on the device.
struct Row<'a> {
    lanes: u32,
    warps: u32,
    attributes: &'a KernelAttributes,
    rung: &'a Rung,
    shared_words_per_env: u64,
    dynamic_shared_bytes: u64,
    occupancy: Occupancy,
}

impl Row<'_> {
    fn envs_per_block(&self) -> u32 {
        self.warps * 32 / self.lanes
    }

    /// Bytes of global workspace for a grid of `blocks`.
    fn workspace_bytes(&self, blocks: u64) -> u128 {
        u128::from(blocks) * u128::from(self.envs_per_block()) * u128::from(self.rung.layout.global_words_per_env) * 4
    }

    fn label(&self) -> String {
        let where_arrays_live = match self.rung.moved.as_slice() {
            [] => "all arrays in shared memory".to_string(),
            _ if self.dynamic_shared_bytes == 0 => "all arrays in global memory".to_string(),
            moved => format!("{} in global memory", moved.join(", ")),
        };
        let lanes = if self.lanes == 1 { "1 lane".to_string() } else { format!("{} lanes", self.lanes) };
        format!("{lanes}, {} per block, {where_arrays_live}", environments(u64::from(self.envs_per_block())))
    }
}

/// Every mapping that launches, and for the team sizes that have none, the reason. An error if there is none at all.
fn rows<'a>(
    device: &DeviceLimits,
    kernels: &[(u32, &'a KernelAttributes)],
    rungs: &'a [Rung],
) -> Result<(Vec<Row<'a>>, Vec<Rejected>), PlanError> {
    let (mut rows, mut misfits) = (Vec::new(), Vec::new());
    let mut last_error = None;
    for &(lanes, attributes) in kernels {
        let before = rows.len();
        let mut why_not = None;
        for rung in rungs {
            for warps in WARPS_PER_BLOCK {
                let threads = warps * 32;
                let shared_words_per_env = bank_stride(rung.layout.shared_words_per_env, lanes);
                let dynamic_shared_bytes = (shared_words_per_env * 4).saturating_mul(u64::from(threads / lanes));
                let shared = dynamic_shared_bytes.saturating_add(u64::from(attributes.static_shared_bytes));
                let occupancy = occupancy(device, threads, attributes.registers_per_thread, shared);
                if threads <= attributes.max_threads_per_block && occupancy.blocks_per_sm > 0 {
                    rows.push(Row {
                        lanes,
                        warps,
                        attributes,
                        rung,
                        shared_words_per_env,
                        dynamic_shared_bytes,
                        occupancy,
                    });
                } else if warps == 1 {
                    why_not = Some(match occupancy.limiter {
                        Limiter::SharedMemory if attributes.max_threads_per_block >= threads => {
                            shared_memory_error(device, lanes, attributes, rung, shared)
                        }
                        limiter => PlanError::block("step", device, attributes, shared, limiter),
                    });
                }
            }
        }
        if let (Some(error), true) = (why_not, rows.len() == before) {
            misfits.push(Rejected { row: format!("{lanes} lanes"), reason: error.to_string() });
            last_error = Some(error); // kernels are in ascending order: the last has the fewest environments per warp
        }
    }
    match last_error {
        Some(error) if rows.is_empty() => Err(error),
        _ => Ok((rows, misfits)),
    }
}

/// The error of a block whose shared memory does not fit even with one warp of environments.
fn shared_memory_error(
    device: &DeviceLimits,
    lanes: u32,
    attributes: &KernelAttributes,
    rung: &Rung,
    need: u64,
) -> PlanError {
    let advice = match &rung.largest_shared {
        Some((array, bytes, pinned)) => {
            let remedy = if *pinned {
                "it can live in global memory: remove `pin_shared`"
            } else {
                "use more lanes per environment"
            };
            format!("the largest part is `{array}` ({bytes} bytes); {remedy}")
        }
        None => format!("all of it is static ({} bytes): compile the kernel with less", attributes.static_shared_bytes),
    };
    PlanError::SharedMemory {
        kernel: "step".to_string(),
        need,
        count: match 32 / lanes {
            1 => "one environment".to_string(),
            count => format!("the {count} environments of one warp"),
        },
        limit: u64::from(
            device
                .shared_memory_per_block_optin
                .min(device.shared_memory_per_multiprocessor.saturating_sub(device.reserved_shared_memory_per_block)),
        ),
        advice,
    }
}

/// A row with the memory that it needs at least.
struct Prospect<'a> {
    row: Row<'a>,
    budget: Budget,
    /// Bytes of one block's and one retry workspace.
    least: u128,
    max_num_envs: u64,
}

/// A row with the grid for the demanded number of environments.
struct Launch<'a> {
    row: &'a Row<'a>,
    budget: &'a Budget,
    least: u128,
    grid_blocks: u64,
    waves: u64,
    warps_per_multiprocessor: u64,
    limiter: Limiter,
    cost: u128,
}

impl<'a> Launch<'a> {
    fn new(
        device: &DeviceLimits,
        model: &ModelDims,
        demand: &Demand,
        prospect: &'a Prospect,
        pool: &RetryPool,
    ) -> Self {
        let row = &prospect.row;
        let envs_per_block = u64::from(row.envs_per_block());
        let multiprocessors = u64::from(device.multiprocessor_count);
        let free = prospect.budget.left_for_workspaces(demand.num_envs) - pool.workspace_bytes();
        let by_memory = free.checked_div(row.workspace_bytes(1)).unwrap_or(u128::MAX);
        // `min_by_key` keeps the first of equals: a grid that covers all environments is limited by nothing else.
        let (limiter, grid_blocks) = [
            (Limiter::Environments, demand.num_envs.div_ceil(envs_per_block)),
            (row.occupancy.limiter, u64::from(row.occupancy.blocks_per_sm) * multiprocessors),
            (Limiter::Memory, u64::try_from(by_memory).unwrap_or(u64::MAX)),
            (Limiter::Grid, u64::from(device.max_grid_dim_x)),
        ]
        .into_iter()
        .min_by_key(|&(_, blocks)| blocks)
        .expect("four limits");
        let waves = demand.num_envs.div_ceil(grid_blocks * envs_per_block);
        let warps_per_multiprocessor = grid_blocks.div_ceil(multiprocessors) * u64::from(row.warps);
        let cost = cost(&Mapping {
            nv: model.nv,
            lanes: row.lanes,
            num_envs: demand.num_envs,
            multiprocessors: device.multiprocessor_count,
            waves,
            warps_per_multiprocessor,
            global_traffic: row.rung.global_traffic,
        });
        let (budget, least) = (&prospect.budget, prospect.least);
        Launch { row, budget, least, grid_blocks, waves, warps_per_multiprocessor, limiter, cost }
    }

    fn kernel(&self, device: &DeviceLimits, capacity: Capacity) -> KernelPlan {
        let row = self.row;
        let layout = WorkspaceLayout { shared_words_per_env: row.shared_words_per_env, ..row.rung.layout.clone() };
        KernelPlan {
            name: "step".to_string(),
            lanes_per_env: row.lanes,
            envs_per_block: row.envs_per_block(),
            threads_per_block: row.warps * device.warp_size,
            static_shared_bytes: row.attributes.static_shared_bytes,
            dynamic_shared_bytes: u32::try_from(row.dynamic_shared_bytes).expect("within the device's shared memory"),
            registers_per_thread: row.attributes.registers_per_thread,
            grid_blocks: u32::try_from(self.grid_blocks).expect("a grid dimension"),
            blocks_per_sm: row.occupancy.blocks_per_sm,
            resident_envs: self.grid_blocks * u64::from(row.envs_per_block()),
            waves: self.waves,
            limiter: self.limiter,
            capacity,
            placement: placement_map(&layout),
            layout,
        }
    }
}

/// Where each array lives, by name.
pub(crate) fn placement_map(layout: &WorkspaceLayout) -> BTreeMap<String, Placement> {
    layout.arrays.iter().map(|array| (array.name.clone(), array.placement)).collect()
}

/// The best row of every other team size, and of the chosen one with all arrays in shared memory or with others outside;
/// then the team sizes that do not launch at all.
fn rejected(
    chosen: &Launch,
    launches: &[Launch],
    prospects: &[Prospect],
    misfits: Vec<Rejected>,
    preferred: bool,
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
            reason: if preferred && launch.row.lanes != chosen.row.lanes {
                format!("{} lanes per environment are preferred for this model", chosen.row.lanes)
            } else {
                slower(launch, chosen)
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
    let hundredths = launch.cost.saturating_mul(100).checked_div(chosen.cost).unwrap_or(100);
    let waves = |launch: &Launch| {
        let plural = if launch.waves == 1 { "" } else { "s" };
        format!("{} wave{plural} with {} warps per multiprocessor", launch.waves, launch.warps_per_multiprocessor)
    };
    if hundredths <= 100 {
        return format!("no faster than the chosen row ({})", waves(launch));
    }
    let times = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    format!("estimated {times} times as long a step: {}", waves(launch))
}

/// The message of a batch that does not fit the device's memory.
fn not_enough_memory(
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
        "{} of {} need {}, {has} ({} free after {}); {remedy}",
        environments(demand.num_envs),
        model.name,
        bytes(needed),
        bytes(free),
        taken.join(", "),
    )
}
