//! Plans with the compiler's numbers, for devices that are not here.

mod installed;

use installed::nvrtc;
use phalanx_gpu_kernels::executor::plan_compiled;
use phalanx_gpu_kernels::planning::{PlanningError, plan_model};
use phalanx_launch_planner::{Demand, DeviceLimits, PlanError};
use phalanx_model::Model;
use std::path::Path;

fn model(name: &str) -> Model {
    Model::from_file(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(name)).unwrap()
}

#[test]
fn the_largest_number_that_a_refusal_names_fits_and_one_more_does_not() {
    if nvrtc().is_none() {
        return;
    }
    for (name, device) in [("humanoid.xml", "t4"), ("ant.xml", "h200")] {
        let (model, limits) = (model(name), DeviceLimits::preset(device).unwrap());
        let at = |num_envs| plan_compiled(&model, &limits, &Demand::envs(num_envs));
        let Err(PlanningError::Plan(PlanError::Memory { largest, message })) = at(1 << 30) else {
            panic!("2^30 environments of {name} on a {device} are not refused for memory");
        };
        assert!(message.contains("local memory"), "{message}");
        assert_eq!(at(largest).unwrap().max_num_envs, largest);
        let more = at(largest + 1).unwrap_err().to_string();
        assert!(more.ends_with(&format!("the largest number that fits is {largest}")), "{more}");

        // What a small batch's plan promises is not more than that, and next to it.
        let promised = at(8192).unwrap().max_num_envs;
        assert!(promised <= largest && promised > largest - largest / 100, "{promised} of {largest}");
        assert!(at(promised).is_ok());
    }
}

#[test]
fn a_compiled_plan_says_what_else_was_considered() {
    if nvrtc().is_none() {
        return;
    }
    let (model, limits) = (model("ant.xml"), DeviceLimits::preset("t4").unwrap());
    let estimate = plan_model(&model, &limits, &Demand::envs(8192)).unwrap();
    let compiled = plan_compiled(&model, &limits, &Demand::envs(8192)).unwrap();
    assert!(!compiled.estimated && !compiled.rejected.is_empty());
    assert_eq!(compiled.rejected, estimate.rejected);
}

#[test]
fn an_estimate_takes_no_less_memory_than_the_compiled_kernels() {
    if nvrtc().is_none() {
        return;
    }
    for device in ["t4", "h200"] {
        let (model, limits) = (model("humanoid.xml"), DeviceLimits::preset(device).unwrap());
        let estimate = plan_model(&model, &limits, &Demand::envs(8192)).unwrap().memory.hidden;
        let compiled = plan_compiled(&model, &limits, &Demand::envs(8192)).unwrap().memory.hidden;
        assert!(estimate.local_memory >= compiled.local_memory && estimate.code >= compiled.code, "{device}");
        assert!(estimate.total() <= compiled.total() + compiled.total() / 4, "{device}: {estimate:?} {compiled:?}");
    }
}
