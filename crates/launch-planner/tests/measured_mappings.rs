//! The planner chooses what measurements on the H200 found best (fused_step_probe_h200.csv).

mod models;

use models::{ant, half_cheetah, humanoid, preset};
use phalanx_launch_planner::{Demand, KernelNeeds, LaunchPlan, Limiter, ModelDims, plan};

fn on(device: &str, model: &ModelDims, num_envs: u64) -> LaunchPlan {
    plan(&preset(device), model, &KernelNeeds::estimate(), &Demand::envs(num_envs)).unwrap()
}

#[track_caller]
fn check(model: &ModelDims, num_envs: u64, lanes: &[u32]) {
    let plan = on("h200", model, num_envs);
    assert!(lanes.contains(&plan.step().lanes_per_env), "{plan}");
    assert_eq!(plan.step().layout.global_words_per_env, 0, "{plan}");
}

#[test]
fn the_measured_best_team_size_is_chosen_with_shared_memory() {
    for num_envs in [1024, 8192, 65_536, 262_144] {
        check(&humanoid(), num_envs, &[32]);
    }
    // The kernels of today: 12.5 and 12.6 million steps per second with 16 and 32 lanes, where the probe was better with 16.
    check(&ant(), 1024, &[16, 32]);
    // Today's with 8 and 16: 63 and 53 million at 8192 environments, 86 and 72 million at 65,536; the probe's were better with
    // 16.
    for num_envs in [8192, 65_536, 262_144] {
        check(&ant(), num_envs, &[8, 16]);
    }
}

#[test]
fn a_small_robot_gets_about_a_lane_per_degree_of_freedom() {
    // Measured with 8, 16 and 32 lanes, million steps per second: 1024 environments 13.7, 16.1 and 15.9, 8192 environments 85, 63
    // and less. The model sees them close to each other in large batches; `preferred_lanes` is for measurements.
    check(&half_cheetah(), 1024, &[16, 32]);
    check(&half_cheetah(), 8192, &[8, 16]);
    check(&half_cheetah(), 262_144, &[4, 8, 16]);
}

#[test]
fn a_single_environment_gets_a_lane_per_degree_of_freedom() {
    check(&humanoid(), 1, &[32]);
    check(&ant(), 1, &[16, 32]);
    assert_eq!(on("h200", &ant(), 1).step().limiter, Limiter::Environments);
}

#[test]
fn a_million_humanoids_need_a_million_states_and_one_gpu_of_workspace() {
    let plan = on("h200", &humanoid(), 1 << 20);
    assert!(plan.memory.total - plan.memory.hidden.context < 3_000_000_000, "{plan}");
    assert_eq!(plan.memory.state, humanoid().state_bytes_per_env << 20);
}

#[test]
fn every_preset_plans_every_robot() {
    for device in phalanx_launch_planner::DeviceLimits::preset_names() {
        for model in [humanoid(), ant(), half_cheetah()] {
            for num_envs in [1, 4096, 65_536] {
                let plan = on(device, &model, num_envs);
                assert!(plan.max_num_envs >= num_envs, "{plan}");
            }
        }
    }
}

#[test]
fn a_preferred_team_size_goes_first_where_it_fits() {
    let model = ModelDims { preferred_lanes: Some(8), ..humanoid() };
    let plan = on("h200", &model, 8192);
    assert_eq!(plan.step().lanes_per_env, 8);
    let reason = "; 8 lanes measured best for models of this size";
    assert!(plan.rejected.iter().any(|row| row.reason.ends_with(reason)), "{plan}");
}

#[test]
fn when_memory_is_short_the_grid_makes_more_passes_over_fewer_workspaces() {
    let mut model = humanoid();
    // Too large for shared memory, so that every team needs a workspace in global memory.
    model.arrays.iter_mut().for_each(|array| array.words *= 100);
    let needs = KernelNeeds::estimate();
    let roomy = on("h200", &model, 8192);
    let memory_limit = Some(roomy.memory.least_total + 200_000_000);
    let tight = plan(&preset("h200"), &model, &needs, &Demand { memory_limit, ..Demand::envs(8192) }).unwrap();
    assert_eq!(tight.step().limiter, Limiter::Memory);
    assert!(tight.step().waves > roomy.step().waves, "{tight}");
}
