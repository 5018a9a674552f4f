//! A plan explains itself, to people and to programs.

mod models;

use models::{half_cheetah, humanoid, preset};
use phalanx_launch_planner::{Demand, DeviceLimits, KernelNeeds, Limiter, ModelDims, plan};

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
    for name in DeviceLimits::preset_names() {
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
                let unwrapped = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let misfits = match plan.never_retries() {
                    true => "So none is ever stepped again;",
                    false => "one that has more is stepped again by the retry kernel",
                };
                assert!(unwrapped.contains(misfits), "{text}");
            }
        }
    }
}

/// What a page says of one device: the limiter in words and numbers, every part of the memory with the total and its limit, the
/// largest number of environments, which is exact.
#[test]
fn the_page_of_every_preset_has_its_limiter_its_memory_and_its_largest_number_of_environments() {
    for name in DeviceLimits::preset_names() {
        let device = preset(name);
        for model in [humanoid(), ModelDims { preferred_lanes: Some(32), ..humanoid() }, half_cheetah()] {
            let planned = |num_envs| plan(&device, &model, &KernelNeeds::estimate(), &Demand::envs(num_envs));
            let plan = planned(8192).unwrap();
            let text = plan.to_string();
            let unwrapped = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (limiter, step) = (plan.step().limiter, plan.step());
            let of = |need: u64, limit: u32| {
                format!(
                    "keeps more from being stepped at once: {limiter} (a block takes {need} of a multiprocessor's {limit}"
                )
            };
            let sentence = match limiter {
                Limiter::Environments => "There are no more environments to step at once.".to_owned(),
                Limiter::Registers => format!(
                    "stepped at once: registers (a block takes {} x {} = {} of a multiprocessor's {})",
                    step.threads_per_block,
                    step.registers_per_thread,
                    step.threads_per_block * step.registers_per_thread,
                    device.registers_per_multiprocessor
                ),
                Limiter::SharedMemory => of(
                    u64::from(step.dynamic_shared_bytes) + u64::from(device.reserved_shared_memory_per_block),
                    device.shared_memory_per_multiprocessor,
                ),
                Limiter::Threads => of(step.threads_per_block.into(), device.max_threads_per_multiprocessor),
                Limiter::Blocks | Limiter::Memory | Limiter::Grid => format!("stepped at once: {limiter} ("),
            };
            assert!(unwrapped.contains(&sentence), "{name}: {sentence} is not in {text}");
            let memory = text.split("\nmemory\n").nth(1).unwrap();
            let parts: Vec<&str> = memory.lines().take_while(|line| !line.is_empty()).collect();
            let named: Vec<&str> = parts.iter().map(|line| line[2..16].trim()).collect();
            let all = ["state", "inputs", "outputs", "model", "workspace", "retry", "context", "local memory", "code"];
            assert_eq!(named, [&all[..], &["reserve", "total"]].concat(), "{name}");
            assert!(parts.iter().all(|line| line[16..28].trim().contains(' ')), "a size with its unit: {text}");
            let largest = plan.max_num_envs;
            assert!(text.contains(&format!("\nlargest number of environments on this device: {largest}\n")), "{text}");
            assert!(planned(largest).is_ok() && planned(largest + 1).is_err(), "{name}: {largest}");
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
