//! From a model's shape to what the launch planner asks: workspace arrays, bytes per environment, capacities.
use crate::compile::CompileError;
use crate::fields::{Dim, Element, FIELDS, Field, Owner, owned, stage};
use crate::shape::{Shape, ShapeError};
use phalanx_launch_planner::{
    Capacity, Demand, DeviceLimits, KernelNeeds, LaunchPlan, ModelDims, PlanError, WorkArray, candidates, plan,
};
use phalanx_model::Model;

/// Numbers of one Jacobian entry.
pub const JACOBIAN_ENTRY_WORDS: u64 = Element::JacobianEntry.words() as u64;

/// A model that cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum PlanningError {
    /// The model has no kernels.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// It does not fit the device.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Its kernels do not compile, or there is no compiler for the device.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// Plans a model for a device, with estimates for what only a compiler knows.
///
/// # Errors
/// If the model has no kernels or does not fit.
pub fn plan_model(model: &Model, limits: &DeviceLimits, demand: &Demand) -> Result<LaunchPlan, PlanningError> {
    Ok(plan_shape(&Shape::of(model)?, limits, demand)?)
}

/// [`plan_model`] of a shape, which may have fields per environment and requested ones.
///
/// # Errors
/// If it does not fit.
pub fn plan_shape(shape: &Shape, limits: &DeviceLimits, demand: &Demand) -> Result<LaunchPlan, PlanError> {
    plan(limits, &batch_dims(shape, limits, demand.num_envs), &KernelNeeds::estimate(), demand)
}

/// Plans of a model on a device that are worth measuring, with estimates for what only a compiler knows.
///
/// # Errors
/// As [`plan_model`].
pub fn candidate_plans(
    model: &Model,
    limits: &DeviceLimits,
    demand: &Demand,
) -> Result<Vec<LaunchPlan>, PlanningError> {
    let dims = batch_dims(&Shape::of(model)?, limits, demand.num_envs);
    Ok(candidates(limits, &dims, &KernelNeeds::estimate(), demand)?)
}

/// A block's copy of the model takes at most this part of a multiprocessor's shared memory: for robots of up to about 35 dofs all
/// of it, for scenes of several what is read most.
const SHARE_FOR_THE_MODEL: u64 = 16;

/// [`model_dims`] of a batch on a GPU, with the team size that is known to be best for it and the copy of the model that its
/// blocks keep.
pub(crate) fn batch_dims(shape: &Shape, limits: &DeviceLimits, num_envs: u64) -> ModelDims {
    let dims = model_dims(shape);
    let most = u64::from(limits.shared_memory_per_multiprocessor) / 4 / SHARE_FOR_THE_MODEL;
    ModelDims {
        preferred_lanes: preferred_lanes(shape, num_envs),
        model_words_per_block: shape.block_copy(most).words(),
        ..dims
    }
}

/// The team size that measured best for batches that fill a GPU: the smallest of at least four lanes whose lanes hold two columns
/// of the matrix each. Smaller batches and models are left to the cost model.
///
/// On an H200, 8192 environments, million steps per second: half cheetah (nv 9) with 4, 8 and 16 lanes 54, 85 and 66; ant (nv
/// 14) with 8, 16 and 32 lanes 63, 53 and 33; Go1 (nv 18) 35, 42 and 30; humanoid (nv 27) 21, 33 and 28; G1 (nv 35) with 16 and
/// 32 lanes 9.7 and 13.7; three humanoids (trees of 27, in little shared memory) 4.9 and 5.0.
fn preferred_lanes(shape: &Shape, num_envs: u64) -> Option<u32> {
    const FILLS_A_GPU: u64 = 4096;
    match shape.sizes["nv"] {
        _ if num_envs < FILLS_A_GPU => None,
        0..=6 => None,
        7..=16 => Some(8),
        17..=32 => Some(16),
        _ => Some(32),
    }
}

/// The sizes that the planner asks for.
pub fn model_dims(shape: &Shape) -> ModelDims {
    let bytes = |field: &Field| 4 * field.fixed_words(|s| shape.size(s)) as u64;
    let sum = |is_stored: &dyn Fn(&Field) -> bool| FIELDS.iter().filter(|f| is_stored(f)).map(bytes).sum::<u64>();
    let requested = |owner: Owner| sum(&|field| field.owner == owner && shape.requested.contains(field.name));
    let topology: usize = shape.topology.values().map(Vec::len).sum();
    let values: usize = shape.values.values().map(Vec::len).sum();
    ModelDims {
        name: shape.name.clone(),
        arrays: work_arrays(shape),
        // A fault word, a step count, two words of the retry list and the mask's byte go with the state.
        state_bytes_per_env: bytes_of(shape, Owner::State, 4) + 17,
        input_bytes_per_env: 4 * shape.sizes["nu"] as u64 + requested(Owner::Input),
        output_bytes_per_env: requested(Owner::Output),
        model_bytes: 4 * (topology + values + reset_row_words(shape)) as u64,
        model_words_per_block: 0,
        model_bytes_per_env: sum(&|field| shape.per_env.contains(field.name)),
        usual: capacity(shape.usual_contacts(), shape.usual_jacobian_entries()),
        proven: capacity(shape.proven_contacts(), shape.proven_jacobian_entries()),
        nv: shape.sizes["nv"] as u32,
        preferred_lanes: None,
    }
}

/// Numbers of a keyframe, the longest row that all environments are reset to.
pub fn reset_row_words(shape: &Shape) -> usize {
    let sizes = [(1, "nq"), (1, "nv"), (1, "na"), (1, "nu"), (7, "nmocap")];
    sizes.iter().map(|(times, size)| times * usize::try_from(shape.sizes[*size]).unwrap_or(0)).sum()
}

fn capacity(contacts: u64, jacobian_entries: u64) -> Capacity {
    let clamp = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Capacity { contacts: clamp(contacts), jacobian_words: clamp(jacobian_entries.saturating_mul(JACOBIAN_ENTRY_WORDS)) }
}

/// Bytes per environment of the fields of one owner.
pub(crate) fn bytes_of(shape: &Shape, owner: Owner, word_bytes: u64) -> u64 {
    owned(move |o| o == owner).map(|f| word_bytes * f.fixed_words(|s| shape.size(s)) as u64).sum()
}

/// Every workspace array that this shape needs.
pub fn work_arrays(shape: &Shape) -> Vec<WorkArray> {
    owned(|o| matches!(o, Owner::Work { .. })).map(|field| work_array(shape, field)).collect()
}

fn work_array(shape: &Shape, field: &Field) -> WorkArray {
    let Owner::Work { first, last } = field.owner else { unreachable!("a workspace field") };
    let absent = (field.name.starts_with("rk_") && !shape.is_runge_kutta())
        || (field.name == "actuation_slope" && !shape.is_implicit_fast())
        || (field.name == "con_chain" && shape.sizes["pivot_words"] == 0)
        || (field.name == "force_gravcomp" && shape.sizes["actuator_gravcomp"] == 0)
        || (["implicit_L", "step_acc"].contains(&field.name) && !shape.is_implicit());
    let grows = field.dims.iter().any(|d| matches!(d, Dim::Contacts | Dim::JacobianEntries));
    let words = if grows || absent { 0 } else { field.fixed_words(|s| shape.size(s)) as u64 };
    WorkArray {
        name: field.name.into(),
        words,
        words_per_contact: match field.name {
            _ if absent => 0,
            "con_chain" => chain_words(shape),
            _ => field.words_per(Dim::Contacts) as u64,
        },
        words_per_jacobian_word: u64::from(field.dims.contains(&Dim::JacobianEntries)),
        first_stage: first as u32,
        // Teams of several lanes factor the implicit mass matrix in the Hessian's memory.
        last_stage: if field.name == "H" && shape.is_implicit() { last.max(stage("integrate")) } else { last } as u32,
        traffic: if is_seldom_used(shape, field.name) { 0 } else { traffic(field.name) },
    }
}

/// Where trees are factored one by one, the whole matrix and its pattern are only for environments whose trees touch.
fn is_seldom_used(shape: &Shape, array: &str) -> bool {
    shape.sizes["tree_lower"] > 0 && (array == "H" || array.starts_with("factor_"))
}

/// Words of a set of the dofs that are factored together.
fn chain_words(shape: &Shape) -> u64 {
    let dofs = if shape.sizes["tree_lower"] > 0 { shape.sizes["tree_dof_max"] } else { shape.sizes["nv"] };
    (dofs as u64).div_ceil(32)
}

/// How much an array is used, relatively: a weight for the whole of it. The solver walks its arrays once an iteration and more;
/// the rest is touched once or twice a step. What there is for every contact is rarely full: on an H200 the contacts' Jacobian in
/// global memory cost the G1 and the Go1 nothing.
fn traffic(name: &str) -> u64 {
    match name {
        "H" | "tree_L" => 60,
        "search" | "grad" | "acc" | "Ma" | "Mv" | "force_constraint" => 30,
        "L" | "implicit_L" | "factor_place" | "factor_dof" => 20,
        "factor_mask" | "factor_body" | "factor_adr" | "factor_end" | "factor_list" | "factor_degree" => 15,
        "row_jar" | "row_jv" | "row_dof" | "row_type" | "row_D" => 15,
        "M" | "cdof" | "body_position" | "body_orientation" => 8,
        "con_J" => 5,
        "con_jar" | "con_jv" | "con_force" | "con_D" | "con_mu" => 4,
        "con_dist" | "con_pos" | "con_frame" | "con_pair" => 1,
        _ => 3,
    }
}
