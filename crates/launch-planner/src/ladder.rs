//! Chooses the mapping of a batch: every rung that launches is a row, the cheapest row that fits memory is the plan.
//!
//! The rungs, for every team size: all arrays in shared memory with many environments per block down to one warp of them; then
//! one array after the other in global memory, those first that free most for their use; and for each of these, when memory is
//! short, a smaller grid that makes more passes over fewer workspaces.

use std::cmp::Reverse;

use crate::checks::{MAX_ENVS, candidate_kernels, check_model, check_pins, check_workspace};
use crate::cost::{Mapping, cost, sixteenths};
use crate::explain::environments;
use crate::layout::{Placement, WorkspaceLayout, bank_stride};
use crate::learning::room_to_grow;
use crate::memory::Budget;
use crate::rejected::{Why, not_enough_memory, rejected};
use crate::retry::{RetryPool, share_of};
use crate::rungs::{Rung, placements};
use crate::{
    Capacity, Demand, DeviceLimits, KernelAttributes, KernelNeeds, KernelPlan, LaunchPlan, Limiter, ModelDims,
    Occupancy, PlanError, Rejected, RowChoice, occupancy,
};

/// Warps per block to try. The warps of a block begin each step together, so that larger blocks share the instruction cache
/// better; they also save the driver's kilobyte of shared memory. Smaller ones fit where shared memory is short.
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
    let pool = RetryPool::new(device, model, &needs.retry, demand.generic_retry)?;
    let planned = |capacity| plan_with(device, model, needs, demand, &kernels, &pool, capacity);

    let usual = planned(model.fast_capacity(demand))?;
    let is_free = demand.capacity.is_none() && demand.fast_contacts.is_none();
    // A row that was measured says itself whether it had room for the most.
    let may_be_roomy = demand.row.as_ref().map_or(usual.step().waves == 1, |row| row.never_retries);
    let roomy = if is_free && may_be_roomy { planned(model.proven).ok() } else { None };
    let is_wanted = |roomy: &LaunchPlan| match demand.row {
        Some(_) => roomy.tuned,
        None => is_as_good(&usual, roomy),
    };
    Ok(match roomy {
        Some(roomy) if roomy.never_retries() && is_wanted(&roomy) => {
            LaunchPlan { max_num_envs: usual.max_num_envs, ..roomy }
        }
        _ => usual,
    })
}

/// Whether all that the step kernel of `usual` has in shared memory is there in that of `roomy`, and what it takes of global
/// memory is little. Measured on an H200: no retry launch is worth 4 to 6 us a call (one humanoid 18.1 to 20.0 thousand steps per
/// second, 64 of them 1.10 to 1.21 million), contacts in global memory cost more (8192 half cheetahs 116 to 114 million, 1024
/// times three humanoids 3.6 to 2.7 million).
fn is_as_good(usual: &LaunchPlan, roomy: &LaunchPlan) -> bool {
    let mut shared = usual.step().placement.iter().filter(|(_, placement)| **placement == Placement::Shared);
    let keeps = shared.all(|(name, _)| roomy.step().placement.get(name) == Some(&Placement::Shared));
    keeps && u128::from(roomy.memory.workspace) <= share_of(roomy.memory.limit)
}

/// The best plan with a fast workspace of this capacity.
fn plan_with(
    device: &DeviceLimits,
    model: &ModelDims,
    needs: &KernelNeeds,
    demand: &Demand,
    kernels: &[(u32, &KernelAttributes)],
    pool: &RetryPool,
    capacity: Capacity,
) -> Result<LaunchPlan, PlanError> {
    // Every row that launches, with the memory that it leaves.
    let rungs = placements(model, demand, capacity);
    let (rows, misfits) = rows(device, model, kernels, &rungs)?;
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
    if max_num_envs < demand.num_envs && max_num_envs == MAX_ENVS {
        return Err(PlanError::TooManyEnvironments { num_envs: demand.num_envs, limit: MAX_ENVS });
    }
    if max_num_envs < demand.num_envs {
        let message = not_enough_memory(device, model, demand, roomiest, pool);
        return Err(PlanError::Memory { message, largest: max_num_envs });
    }
    check_workspace(model)?;

    // The cheapest row that fits; the row that was asked for goes first, then the model's preferred team size.
    let launches: Vec<Launch> = prospects
        .iter()
        .filter(|prospect| prospect.max_num_envs >= demand.num_envs)
        .map(|prospect| Launch::new(device, model, demand, prospect, pool))
        .collect();
    let preferred = |launch: &Launch| demand.lanes.or(model.preferred_lanes) == Some(launch.row.lanes);
    let asked_for = |launch: &Launch| demand.row.as_ref().is_some_and(|row| launch.row.is(row));
    let order = |launch: &&Launch| {
        let row = launch.row;
        // Of equals the largest block: its warps begin each step together and share what the instruction cache holds.
        (!asked_for(launch), !preferred(launch), launch.cost, row.rung.moved.len(), row.lanes, Reverse(row.warps))
    };
    let chosen = launches.iter().min_by_key(order).expect("the roomiest row fits");

    let why = match (asked_for(chosen), preferred(chosen)) {
        (true, _) => Why::Asked,
        (false, true) => Why::Preferred,
        (false, false) => Why::Cheapest,
    };

    let step = chosen.kernel(device, capacity);
    let workspace = chosen.row.workspace_bytes(u64::from(step.grid_blocks));
    let free = chosen.budget.left_for_workspaces(demand.num_envs) - workspace;
    let retry = pool.kernel(demand.num_envs, free, chosen.budget.limit);
    let retry_bytes = pool.workspace_bytes() * u128::from(retry.resident_envs);
    let grows = demand.learns && capacity != model.proven;
    let room = if grows { room_to_grow(device, model, &step, workspace) } else { 0 };
    let workspace = workspace + room.min(share_of(chosen.budget.limit)).min(free - retry_bytes);
    let in_limit = |bytes: u128| u64::try_from(bytes).expect("workspaces are within the memory limit");
    Ok(LaunchPlan {
        model: model.name.clone(),
        device: device.clone(),
        num_envs: demand.num_envs,
        estimated: chosen.row.attributes.estimated || needs.retry.estimated,
        tuned: asked_for(chosen),
        memory: chosen.budget.map(demand.num_envs, in_limit(workspace), in_limit(retry_bytes), chosen.least),
        max_num_envs,
        rejected: rejected(chosen, &launches, &prospects, misfits, why),
        kernels: vec![step, retry],
    })
}

/// One mapping that launches on the device.
pub(crate) struct Row<'a> {
    pub lanes: u32,
    pub warps: u32,
    pub attributes: &'a KernelAttributes,
    pub rung: &'a Rung,
    pub shared_words_per_env: u64,
    pub model_words_per_block: u64,
    pub dynamic_shared_bytes: u64,
    pub occupancy: Occupancy,
}

impl Row<'_> {
    fn envs_per_block(&self) -> u32 {
        self.warps * 32 / self.lanes
    }

    /// Whether this is the row that `choice` means.
    fn is(&self, choice: &RowChoice) -> bool {
        self.lanes == choice.lanes_per_env
            && self.envs_per_block() == choice.envs_per_block
            && self.rung.moved == choice.global
    }

    /// Bytes of global workspace for a grid of `blocks`.
    pub fn workspace_bytes(&self, blocks: u64) -> u128 {
        u128::from(blocks) * u128::from(self.envs_per_block()) * u128::from(self.rung.layout.global_words_per_env) * 4
    }

    pub fn label(&self) -> String {
        let where_arrays_live = match self.rung.moved.as_slice() {
            [] => "all arrays in shared memory".to_string(),
            _ if self.shared_words_per_env == 0 => "all arrays in global memory".to_string(),
            // The chosen row's arrays are listed by name elsewhere; a long list here would hide the reason.
            moved if moved.len() > 4 => format!("{} arrays in global memory", moved.len()),
            moved => format!("{} in global memory", moved.join(", ")),
        };
        let lanes = if self.lanes == 1 { "1 lane".to_string() } else { format!("{} lanes", self.lanes) };
        format!("{lanes}, {} per block, {where_arrays_live}", environments(u64::from(self.envs_per_block())))
    }
}

/// Every mapping that launches, and for the team sizes that have none, the reason. An error if there is none at all.
fn rows<'a>(
    device: &DeviceLimits,
    model: &ModelDims,
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
                let model_words_per_block = model.model_words_per_block;
                let words = shared_words_per_env.saturating_mul(u64::from(threads / lanes));
                let dynamic_shared_bytes = words.saturating_add(model_words_per_block).saturating_mul(4);
                let shared = dynamic_shared_bytes.saturating_add(u64::from(attributes.static_shared_bytes));
                let occupancy = occupancy(device, threads, attributes.registers_per_thread, shared);
                if threads <= attributes.max_threads_per_block && occupancy.blocks_per_sm > 0 {
                    rows.push(Row {
                        lanes,
                        warps,
                        attributes,
                        rung,
                        shared_words_per_env,
                        model_words_per_block,
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
pub(crate) struct Prospect<'a> {
    pub row: Row<'a>,
    pub budget: Budget,
    /// Bytes of one block's and one retry workspace.
    pub least: u128,
    pub max_num_envs: u64,
}

/// A row with the grid for the demanded number of environments.
pub(crate) struct Launch<'a> {
    pub row: &'a Row<'a>,
    pub budget: &'a Budget,
    pub least: u128,
    pub grid_blocks: u64,
    pub waves: u64,
    pub warps_per_multiprocessor: u64,
    pub limiter: Limiter,
    pub cost: u128,
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
            sixteenths: sixteenths(demand.num_envs, grid_blocks * envs_per_block),
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
            model_words_per_block: row.model_words_per_block,
            registers_per_thread: row.attributes.registers_per_thread,
            grid_blocks: u32::try_from(self.grid_blocks).expect("a grid dimension"),
            blocks_per_sm: row.occupancy.blocks_per_sm,
            resident_envs: self.grid_blocks * u64::from(row.envs_per_block()),
            waves: self.waves,
            limiter: self.limiter,
            capacity,
            placement: layout.placement_map(),
            layout,
        }
    }
}
