//! `phalanx plan`: shows how a batch would be launched on a device of this machine, a well-known one, or given limits.
//!
//! Where NVRTC is found the kernels are compiled, and the plan has their numbers; otherwise, or with `--estimate`, it has
//! estimates and says so.

use std::path::Path;
use std::process::ExitCode;

use phalanx_gpu_kernels::compile::CompileError;
use phalanx_gpu_kernels::cuda;
use phalanx_gpu_kernels::executor::plan_shape_compiled;
use phalanx_gpu_kernels::planning::{PlanningError, plan_shape};
use phalanx_gpu_kernels::shape::Shape;
use phalanx_launch_planner::{Comparison, Demand, DeviceLimits, LaunchPlan};
use phalanx_model::Model;
use phalanx_sim_core::Options;

use crate::arguments::PlanArguments;
use crate::failure::Failure;
use crate::standard_output::{print, print_json};

/// Runs the command.
pub fn plan(arguments: &PlanArguments) -> Result<ExitCode, Failure> {
    let limits = limits_of(&arguments.device)?;
    let model = Model::from_file(&arguments.model)?;
    let mut demand = Demand::envs(arguments.envs);
    demand.fast_contacts = arguments.fast_contacts;
    demand.lanes = arguments.lanes;
    demand.pin_global.clone_from(&arguments.pin_global);
    // As a run does.
    demand.learns = true;
    demand.memory_limit = arguments.memory_limit;
    let mut shape = Shape::of(&model)?;
    let (per_env, requests) = (arguments.per_env.clone(), arguments.request.clone());
    Options { per_env, requests, ..Options::default() }.add_fields(&mut shape)?;
    let plan_for = |limits| match arguments.estimate {
        true => Ok(plan_shape(&shape, limits, &demand)?),
        false => compiled_or_estimated(&shape, limits, &demand),
    };
    let plan = plan_for(&limits)?;
    if let Some(other) = &arguments.diff {
        let comparison = Comparison::of(&plan, &plan_for(&limits_of(other)?)?);
        return if arguments.json { print_json(&comparison) } else { print(&comparison.to_string()) }
            .map(|()| ExitCode::SUCCESS);
    }
    if arguments.json {
        print_json(&plan)?
    } else {
        print(&plan.to_string())?
    }
    Ok(ExitCode::SUCCESS)
}

/// The plan of the compiled kernels, or an estimate where nothing compiles for such a device.
fn compiled_or_estimated(shape: &Shape, limits: &DeviceLimits, demand: &Demand) -> Result<LaunchPlan, PlanningError> {
    match plan_shape_compiled(shape, limits, demand) {
        Err(PlanningError::Compile(
            error @ (CompileError::NvrtcNotFound { .. }
            | CompileError::NvrtcUnusable { .. }
            | CompileError::UnsupportedArchitecture { .. }),
        )) => {
            tracing::warn!("the plan is an estimate: {error}");
            Ok(plan_shape(shape, limits, demand)?)
        }
        answer => answer,
    }
}

/// The limits that a name stands for: a preset, a file of limits, or a device of this machine.
pub fn limits_of(device: &str) -> Result<DeviceLimits, Failure> {
    if let Some(limits) = DeviceLimits::preset(device) {
        return Ok(limits);
    }
    if device.ends_with(".json") {
        return limits_of_file(Path::new(device));
    }
    let ordinal = match device.strip_prefix("cuda") {
        Some("") => Some(0),
        Some(rest) => rest.strip_prefix(':').and_then(|ordinal| ordinal.parse().ok()),
        None => None,
    };
    let known = DeviceLimits::preset_names().join(", ");
    let ordinal = ordinal.ok_or_else(|| {
        Failure::Usage(format!(
            "there is no device \"{device}\"; write cuda:I, a file of limits ending in .json, or one of {known}"
        ))
    })?;
    limits_of_machine(ordinal)
        .map_err(|error| Failure::Run(format!("{error}; the limits of devices that are not here have names: {known}")))
}

fn limits_of_file(path: &Path) -> Result<DeviceLimits, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, error))?;
    let limits: DeviceLimits = serde_json::from_str(&text).map_err(|error| {
        Failure::file(path, format!("{error}; `phalanx plan --json` writes such limits under \"device\""))
    })?;
    limits.validate().map_err(|error| Failure::file(path, error))?;
    Ok(limits)
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
fn limits_of_machine(ordinal: usize) -> Result<DeviceLimits, cuda::CudaError> {
    let devices = cuda::devices()?;
    let count = devices.len();
    let device = devices.get(ordinal).ok_or(cuda::CudaError::NoSuchDevice { ordinal, count })?;
    Ok(phalanx_gpu_kernels::executor::device_limits(device))
}

#[cfg(not(all(feature = "cuda", target_os = "linux")))]
fn limits_of_machine(_: usize) -> Result<DeviceLimits, cuda::CudaError> {
    Err(cuda::CudaError::NotBuilt)
}
