//! `phalanx plan`: the launch on a device that is not here.

use crate::{Folder, command, json, phalanx, text};

#[test]
fn a_plan_has_the_promised_keys() {
    let plan = json(&["plan", "assets/humanoid.xml", "--envs", "8192", "--device", "rtx4090", "--estimate", "--json"]);
    for key in ["device", "estimated", "kernels", "memory", "max_num_envs", "rejected"] {
        assert!(plan.get(key).is_some(), "{key} is not in {plan}");
    }
    assert_eq!(plan["device"]["name"], "NVIDIA GeForce RTX 4090");
    assert_eq!(plan["device"]["multiprocessor_count"], 128);
    assert_eq!(plan["estimated"], true);
    let step = &plan["kernels"][0];
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
        assert!(step.get(key).is_some(), "{key} is not in {step}");
    }
    for key in ["state", "inputs", "outputs", "workspace", "retry", "total"] {
        assert!(plan["memory"][key].is_u64(), "{key} is not in {}", plan["memory"]);
    }
    assert!(plan["max_num_envs"].as_u64().unwrap() > 8192);
}

#[test]
fn the_plans_of_two_devices_are_compared_row_by_row() {
    let diff = ["plan", "assets/humanoid.xml", "--envs", "8192", "--device", "t4", "--diff", "h200"];
    let comparison = json(&[&diff[..], &["--json"]].concat());
    assert_eq!(comparison["devices"], serde_json::json!(["NVIDIA T4", "NVIDIA H200"]));
    let rows = comparison["rows"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(row("multiprocessors")["values"], serde_json::json!(["40", "132"]));
    assert_eq!(row("multiprocessors")["percent"], 330);
    for (device, column) in [("t4", 0), ("h200", 1)] {
        let plan = json(&["plan", "assets/humanoid.xml", "--envs", "8192", "--device", device, "--json"]);
        assert_eq!(row("waves")["values"][column], plan["kernels"][0]["waves"].to_string());
        assert_eq!(row("largest number of environments")["values"][column], plan["max_num_envs"].to_string());
    }
    let page = text(&phalanx(&diff).stdout);
    assert!(page.lines().any(|line| line.contains("multiprocessors") && line.ends_with("3.30 times")), "{page}");
    let unknown = phalanx(&["plan", "assets/ant.xml", "--envs", "1", "--device", "t4", "--diff", "t5"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn a_plan_makes_room_for_fields_on_request_and_of_each_environment() {
    let plan = ["plan", "assets/ant.xml", "--envs", "1000", "--device", "t4", "--estimate", "--json"];
    let plain = json(&plan)["memory"].clone();
    let more =
        json(&[&plan[..], &["--request", "xpos,xfrc_applied", "--per-env", "body_mass"]].concat())["memory"].clone();
    let grown = |part: &str| more[part].as_u64().unwrap() - plain[part].as_u64().unwrap();
    let nbody = json(&["inspect", "assets/ant.xml", "--json"])["counts"]["nbody"].as_u64().unwrap();
    assert_eq!((grown("outputs"), grown("inputs")), (1000 * 4 * 3 * nbody, 1000 * 4 * 6 * nbody));
    assert!(grown("model") >= 1000 * 4 * nbody);
    let unknown = phalanx(&[&plan[..], &["--request", "xpso"]].concat());
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("did you mean \"xpos\"?"));
}

#[test]
fn limits_of_a_plan_can_be_planned_for_again() {
    let folder = Folder::new();
    let plan =
        |device: &str| json(&["plan", "assets/ant.xml", "--envs", "1000", "--device", device, "--estimate", "--json"]);
    let of_preset = plan("t4");
    let file = folder.write("limits.json", of_preset["device"].to_string());
    assert_eq!(plan(&file), of_preset);
}

#[test]
fn more_environments_than_memory_are_refused_with_the_largest_number() {
    let arguments = |envs: &str| {
        ["plan", "assets/ant.xml", "--device", "t4", "--estimate", "--json", "--envs", envs].map(String::from)
    };
    let run = |envs: &str| phalanx(&arguments(envs).each_ref().map(String::as_str));
    let refused = run("1000000000000");
    let message = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{message}");
    let largest = message.split("largest number that fits is ").nth(1).unwrap().trim();
    assert!(run(largest).status.success(), "{largest} fit");
    let one_more = (largest.parse::<u64>().unwrap() + 1).to_string();
    assert_eq!(run(&one_more).status.code(), Some(1), "{one_more} do not fit");
}

#[test]
fn a_plan_has_the_compilers_numbers_where_there_is_a_compiler() {
    // Kept from test to test: the generic kernel takes its time.
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/plan_cache");
    let folder = Folder::new();
    let nvrtc = json(&["doctor", "--json"])["nvrtc"].is_object();
    let plan = |cache: &str, more: &[&str]| {
        let arguments = ["plan", "assets/cartpole.xml", "--envs", "1000", "--device", "h200", "--json"];
        let mut command = command(&[&arguments[..], more].concat());
        let output = command.env("PHALANX_CACHE_DIR", cache).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let estimate = plan(&folder.path("cache"), &["--estimate"]);
    assert_eq!(estimate["estimated"], true);
    assert_eq!(folder.names(), [""; 0], "nothing is compiled");
    if !nvrtc {
        eprintln!("skipped: no NVRTC on this machine (pip install nvidia-cuda-nvrtc)");
        return;
    }
    let compiled = plan(cache, &[]);
    assert_eq!(compiled["estimated"], false);
    // The compiled kernels are those that the estimate chose.
    for key in ["lanes_per_env", "placement"] {
        assert_eq!(compiled["kernels"][0][key], estimate["kernels"][0][key], "{key}");
    }
    assert!(compiled["memory"]["hidden"]["local_memory"].as_u64().unwrap() > 0, "the generic kernel has local memory");
    let begun = std::time::Instant::now();
    assert_eq!(plan(cache, &[]), compiled);
    assert!(begun.elapsed().as_secs_f64() < 2.0, "the second time it comes from the cache");
}

#[test]
fn a_plan_without_a_compiler_is_an_estimate_and_says_so() {
    let folder = Folder::new();
    let mut command = command(&["plan", "assets/cartpole.xml", "--envs", "10", "--device", "h200", "--json"]);
    let output = command.env("PHALANX_NVRTC", folder.path("none")).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(plan["estimated"], true);
    assert!(text(&output.stderr).contains("the plan is an estimate"), "{}", text(&output.stderr));
}
