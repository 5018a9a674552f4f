//! A plan explains itself, to people and to programs.

mod models;

use models::{half_cheetah, humanoid, preset};
use phalanx_launch_planner::{Demand, KernelNeeds, ModelDims, plan};

#[test]
fn the_explanation_has_every_number_that_matters() {
    let plan = plan(&preset("rtx4090"), &humanoid(), &KernelNeeds::estimate(), &Demand::envs(8192)).unwrap();
    let text = plan.to_string();
    let step = plan.step();
    assert!(text.starts_with("8192 environments of humanoid on NVIDIA GeForce RTX 4090\n"), "{text}");
    assert!(text.contains("registers are estimated: the kernels are not compiled yet"));
    for (name, number) in [
        ("lanes per environment", step.lanes_per_env.to_string()),
        ("environments per block", step.envs_per_block.to_string()),
        ("threads per block", step.threads_per_block.to_string()),
        ("shared bytes per block", step.dynamic_shared_bytes.to_string()),
        ("registers per thread", step.registers_per_thread.to_string()),
        ("blocks of the grid", step.grid_blocks.to_string()),
        ("blocks per multiprocessor", step.blocks_per_sm.to_string()),
        ("environments at once", step.resident_envs.to_string()),
        ("waves", step.waves.to_string()),
        ("limited by", step.limiter.to_string()),
    ] {
        let row = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        assert!(row.trim_start().starts_with(&number), "{name}: {number} in {row}");
    }
    for part in [
        "state",
        "inputs",
        "outputs",
        "model",
        "workspace",
        "retry",
        "context",
        "local memory",
        "code",
        "reserve",
        "total",
    ] {
        assert!(text.lines().any(|line| line.starts_with(&format!("  {part} "))), "{part}");
    }
    assert!(text.contains(&format!("largest number of environments on this device: {}", plan.max_num_envs)));
    assert!(!plan.rejected.is_empty());
    let unwrapped = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for rejected in &plan.rejected {
        assert!(unwrapped.contains(&rejected.row) && unwrapped.contains(&rejected.reason));
    }
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
}

#[test]
fn every_plan_is_told_in_words_and_fits_a_terminal() {
    for name in phalanx_launch_planner::DeviceLimits::preset_names() {
        let preferred = ModelDims { preferred_lanes: Some(32), ..humanoid() };
        for model in [humanoid(), preferred, half_cheetah()] {
            for num_envs in [1, 8192, 1_000_000] {
                let plan = plan(&preset(name), &model, &KernelNeeds::estimate(), &Demand::envs(num_envs)).unwrap();
                let text = plan.to_string();
                let longest = text.lines().map(str::len).max().unwrap();
                assert!(longest <= 110, "{longest} columns: {text}");
                let lanes = plan.step().lanes_per_env;
                let team = if lanes == 1 { "One lane".to_string() } else { format!("Teams of {lanes} lanes") };
                assert!(text.contains(&team), "{text}");
                assert!(text.contains("is stepped\nagain") || text.contains("is stepped again"), "{text}");
            }
        }
    }
}

#[test]
fn a_summary_is_one_line() {
    let plan = plan(&preset("h200"), &humanoid(), &KernelNeeds::estimate(), &Demand::envs(8192)).unwrap();
    let summary = plan.summary();
    let step = plan.step();
    assert_eq!(summary.lines().count(), 1);
    for part in [
        format!("{} lanes per environment", step.lanes_per_env),
        format!("{} blocks", step.grid_blocks),
        format!("{} % occupancy", plan.occupancy_percent()),
        format!("{} waves", step.waves),
    ] {
        assert!(summary.contains(&part), "{part} is not in: {summary}");
    }
}

#[test]
fn the_json_has_the_keys_of_plan_json() {
    let plan = plan(&preset("h200"), &humanoid(), &KernelNeeds::estimate(), &Demand::envs(8192)).unwrap();
    let json = serde_json::to_value(&plan).unwrap();
    for key in ["device", "estimated", "kernels", "memory", "max_num_envs", "rejected"] {
        assert!(json.get(key).is_some(), "{key}");
    }
    for kernel in json["kernels"].as_array().unwrap() {
        for key in [
            "name",
            "lanes_per_env",
            "envs_per_block",
            "threads_per_block",
            "static_shared_bytes",
            "dynamic_shared_bytes",
            "registers_per_thread",
            "grid_blocks",
            "blocks_per_sm",
            "limiter",
            "placement",
        ] {
            assert!(kernel.get(key).is_some(), "{key}");
        }
    }
    assert_eq!(json["kernels"][0]["name"], "step");
    assert_eq!(json["kernels"][0]["placement"]["efc_J"], "shared");
    assert_eq!(json["kernels"][1]["placement"]["efc_J"], "global");
    for key in ["state", "inputs", "outputs", "workspace", "retry", "total"] {
        assert!(json["memory"][key].is_u64(), "{key}");
    }
    assert!(json["device"]["max_threads_per_multiprocessor"].is_u64());
}
