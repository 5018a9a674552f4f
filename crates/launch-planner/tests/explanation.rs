//! A plan explains itself, to people and to programs.

mod models;

use models::{humanoid, preset};
use phalanx_launch_planner::{Demand, KernelNeeds, plan};

#[test]
fn the_explanation_has_every_number_that_matters() {
    let plan = plan(&preset("rtx4090"), &humanoid(), &KernelNeeds::estimate(27), &Demand::envs(8192)).unwrap();
    let text = plan.to_string();
    let step = plan.step();
    assert!(text.starts_with("8192 environments of humanoid on NVIDIA GeForce RTX 4090\n"), "{text}");
    assert!(text.contains("registers are estimated: the kernels are not compiled yet"));
    let row = text.lines().find(|line| line.starts_with("step ")).unwrap();
    for number in [
        step.lanes_per_env.to_string(),
        step.envs_per_block.to_string(),
        step.threads_per_block.to_string(),
        step.dynamic_shared_bytes.to_string(),
        step.registers_per_thread.to_string(),
        step.grid_blocks.to_string(),
        step.blocks_per_sm.to_string(),
        step.resident_envs.to_string(),
        step.waves.to_string(),
    ] {
        assert!(row.split_whitespace().any(|cell| cell == number), "{number} in {row}");
    }
    assert!(row.ends_with(&step.limiter.to_string()));
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
    for rejected in &plan.rejected {
        assert!(text.contains(&rejected.row) && text.contains(&rejected.reason));
    }
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
}

#[test]
fn the_json_has_the_keys_of_plan_json() {
    let plan = plan(&preset("h200"), &humanoid(), &KernelNeeds::estimate(27), &Demand::envs(8192)).unwrap();
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
