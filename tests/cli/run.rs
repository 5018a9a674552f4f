//! `phalanx run`: what it prints, and what decides the final state.

use std::process::Stdio;

use crate::{Folder, command, json, phalanx, repository, text};

const ANT: &str = "assets/ant.xml";
const RUN_ANT: [&str; 8] = ["run", ANT, "--device", "cpu", "--controls", "random", "--steps", "20"];

/// The run of ant with more arguments.
fn run_ant<'a>(more: &[&'a str]) -> Vec<&'a str> {
    RUN_ANT.iter().chain(more).copied().collect()
}

/// The hashes of the environments' final states.
fn hashes(arguments: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    let file = folder.path("hashes");
    json(&[arguments, &["--json", "--hashes", &file]].concat());
    std::fs::read_to_string(file).unwrap().lines().map(String::from).collect()
}

#[test]
fn json_is_one_object_with_the_promised_keys_in_the_same_order() {
    let keys = |more: &[&str]| -> Vec<String> {
        let output = phalanx(&run_ant(&[&["--json", "--profile"], more].concat()));
        let printed = text(&output.stdout);
        assert_eq!(printed.lines().count(), 1, "{printed}");
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&printed).unwrap();
        let mut keys: Vec<(usize, String)> =
            object.keys().map(|key| (printed.find(&format!("\"{key}\":")).unwrap(), key.clone())).collect();
        keys.sort();
        keys.into_iter().map(|(_, key)| key).collect()
    };
    let one = keys(&["--envs", "1"]);
    for key in [
        "model",
        "device",
        "envs",
        "steps",
        "env_steps_per_second",
        "compile_seconds",
        "generic_calls",
        "specialised_calls",
        "contacts_mean",
        "rows_mean",
        "solver_iterations_mean",
        "workspace",
        "calls",
        "faults",
        "state_hash",
        "stage_seconds",
    ] {
        assert!(one.iter().any(|known| known == key), "{key} is not in {one:?}");
    }
    assert_eq!(one, keys(&["--envs", "3"]));
}

#[test]
fn a_short_run_reports_its_speed_and_no_faults() {
    let summary = json(&run_ant(&["--envs", "8", "--json"]));
    assert_eq!(summary["model"], ANT);
    assert_eq!(summary["envs"], 8);
    assert_eq!(summary["steps"], 20);
    assert_eq!(summary["interrupted"], false);
    assert!(summary["env_steps_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(summary["faults"]["not_finite"], 0);
    assert_eq!(summary["state_hash"].as_str().unwrap().len(), 16);
    assert_eq!((&summary["generic_calls"], &summary["specialised_calls"]), (&20.into(), &0.into()), "on a CPU");
}

#[test]
fn environments_draw_the_same_random_controls_whatever_their_number() {
    let one = hashes(&run_ant(&["--envs", "1"]));
    let many = hashes(&run_ant(&["--envs", "7"]));
    assert_eq!((one.len(), many.len()), (1, 7));
    assert_eq!(one[0], many[0]);
    assert_ne!(many[0], many[1], "two environments draw different controls");
    assert_ne!(one, hashes(&run_ant(&["--envs", "1", "--seed", "1"])), "another seed draws other controls");
}

#[test]
fn a_shard_equals_its_part_of_the_whole_batch() {
    let whole = hashes(&run_ant(&["--envs", "7"]));
    assert_eq!(hashes(&run_ant(&["--envs", "3", "--first-env", "4"])), whole[4..]);
}

#[test]
fn the_hash_of_a_run_is_that_of_its_environments_hashes() {
    let folder = Folder::new();
    let file = folder.path("hashes");
    let summary = json(&run_ant(&["--envs", "3", "--json", "--hashes", &file]));
    let hashes = std::fs::read_to_string(file).unwrap();
    let bytes: Vec<u8> = hashes.lines().flat_map(|line| u64::from_str_radix(line, 16).unwrap().to_le_bytes()).collect();
    assert_eq!(summary["state_hash"], format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes)));
}

#[test]
fn a_control_step_of_two_time_steps_is_two_steps_with_the_same_controls() {
    let run = |steps: &str, decimation: &str| {
        hashes(&["run", ANT, "--device", "cpu", "--keyframe", "home", "--steps", steps, "--decimation", decimation])
    };
    assert_eq!(run("10", "2"), run("20", "1"));
}

#[test]
fn a_workspace_of_one_contact_gives_the_same_states() {
    let run = ["run", ANT, "--device", "cpu", "--keyframe", "home", "--controls", "random", "--steps", "20", "--json"];
    let usual = json(&run);
    let learned = json(&[&run[..], &["--fast-contacts", "1"]].concat());
    let forced = json(&[&run[..], &["--fast-contacts", "1", "--no-learn"]].concat());
    assert_eq!(usual["state_hash"], forced["state_hash"]);
    assert_eq!(usual["state_hash"], learned["state_hash"]);
    let retried = |summary: &serde_json::Value| summary["faults"]["retried"].as_u64().unwrap();
    assert_eq!(retried(&usual), 0);
    assert!(0 < retried(&learned) && retried(&learned) < retried(&forced), "{learned}, {forced}");

    let number = |summary: &serde_json::Value, key: &str| summary["workspace"][key].as_u64().unwrap();
    assert_eq!((number(&forced, "contact_capacity"), number(&forced, "resizes")), (1, 0));
    assert!(number(&learned, "contact_capacity") >= number(&learned, "most_contacts"), "{learned}");
    assert!(number(&learned, "jacobian_entry_capacity") >= number(&learned, "most_jacobian_entries"), "{learned}");
    assert!(number(&learned, "resizes") > 0 && number(&forced, "retried_calls") > number(&learned, "retried_calls"));
    for key in ["most_contacts", "most_jacobian_entries", "most_joint_rows"] {
        assert_eq!(number(&forced, key), number(&usual, key), "{key}");
    }
}

#[test]
fn the_slowest_call_is_told_beside_the_mean() {
    let calls = json(&run_ant(&["--envs", "8", "--json"]))["calls"].take();
    assert_eq!(calls["timed"], 19, "all but the first");
    assert!(calls["slowest_seconds"].as_f64().unwrap() >= calls["mean_seconds"].as_f64().unwrap(), "{calls}");
    assert_eq!(calls["retried_in_slowest"], 0);
    let shown = |more: &[&str]| text(&phalanx(&run_ant(more)).stdout).contains("the slowest");
    assert_eq!((shown(&["--profile"]), shown(&[])), (true, false));
}

#[test]
fn a_keyframe_is_found_by_name_and_by_number() {
    let run = |keyframe: &str| hashes(&["run", ANT, "--device", "cpu", "--steps", "2", "--keyframe", keyframe]);
    assert_eq!(run("home"), run("0"));
}

#[test]
fn a_smaller_device_is_rehearsed_with_the_same_bits_and_its_own_edge() {
    let folder = Folder::new();
    let mut limits = json(&["plan", ANT, "--envs", "1", "--device", "t4", "--json"])["device"].take();
    limits["total_global_memory"] = 300_000_000.into();
    let small = folder.write("small.json", limits.to_string());
    assert_eq!(hashes(&run_ant(&["--envs", "3", "--limits", &small])), hashes(&run_ant(&["--envs", "3"])));

    let refused = phalanx(&run_ant(&["--envs", "10000000", "--limits", &small]));
    let message = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{message}");
    for part in ["10000000 environments", "with the memory of NVIDIA T4 offers 300000000", "largest number that fits"] {
        assert!(message.contains(part), "\"{part}\" is not in: {message}");
    }
}

#[test]
fn a_device_with_more_than_this_machine_has_cannot_be_rehearsed() {
    let folder = Folder::new();
    let mut limits = json(&["plan", ANT, "--envs", "1", "--device", "t4", "--json"])["device"].take();
    limits["total_global_memory"] = (1u64 << 60).into();
    let large = folder.write("large.json", limits.to_string());
    let refused = phalanx(&run_ant(&["--limits", &large]));
    let message = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(message.contains("NVIDIA T4: `total_global_memory` is 1152921504606846976, CPU, "), "{message}");

    let unknown = phalanx(&run_ant(&["--limits", "t5"]));
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("jetson-orin"), "{}", text(&unknown.stderr));
}

#[test]
fn double_precision_runs_on_the_cpu() {
    let summary = json(&run_ant(&["--envs", "2", "--precision", "f64", "--json"]));
    assert_eq!(summary["precision"], "f64");
    assert_ne!(summary["state_hash"], json(&run_ant(&["--envs", "2", "--json"]))["state_hash"]);
}

#[test]
fn the_log_goes_to_standard_error() {
    // The gymnasium-like model asks for the PGS solver, of which the loader makes a note.
    let folder = Folder::new();
    let ant = std::fs::read_to_string(repository().join(ANT)).unwrap();
    let model = folder.write("ant.xml", ant.replace("<option ", "<option solver=\"PGS\" "));
    let output = phalanx(&["run", &model, "--steps", "2", "--device", "cpu", "--json", "--log", "info"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("Newton"), "{}", text(&output.stderr));
    serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
}

#[test]
fn the_log_shows_the_plan_in_one_line_and_in_full_on_demand() {
    let log = |level: &str| text(&phalanx(&run_ant(&["--envs", "4", "--log", level])).stderr);
    let plan = |log: &str| log.lines().filter(|line| line.contains("plan: 1 lane per environment")).count();
    let (info, debug) = (log("info"), log("debug"));
    assert_eq!((plan(&log("warn")), plan(&info), plan(&debug)), (0, 1, 1));
    assert!(!info.contains("lanes per environment") && debug.contains("lanes per environment"), "{debug}");
    assert!(debug.contains("bytes of host memory for the state of all environments"), "{debug}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = command(&["inspect", "assets/humanoid.xml", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_checked_run_ends_in_the_same_state_or_names_the_first_number_that_is_not_finite() {
    let (usual, checked) =
        (json(&run_ant(&["--envs", "3", "--json"])), json(&run_ant(&["--envs", "3", "--json", "--checked"])));
    assert_eq!(checked["state_hash"], usual["state_hash"]);
    assert_eq!((&usual["checked"], &checked["checked"]), (&false.into(), &true.into()));

    let folder = Folder::new();
    let model = folder.write(
        "rocket.xml",
        "<mujoco><worldbody><body><joint name='rail' type='slide'/><geom size='.1' mass='.001'/></body></worldbody>
           <actuator><motor joint='rail' gear='3e38'/></actuator></mujoco>",
    );
    let run = ["run", &model, "--envs", "3", "--steps", "9", "--controls", "random", "--device", "cpu", "--checked"];
    let output = phalanx(&run);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    let start = "error: checked kernels: stage solve_constraints, environment 0 (first of 3), step 0: ";
    assert!(message.starts_with(start) && message.contains("[0] is "), "{message}");
}

#[test]
fn environments_that_blow_up_are_counted_and_end_no_run() {
    let folder = Folder::new();
    let model = folder.write(
        "rocket.xml",
        "<mujoco><option timestep='1'/>
           <worldbody><body><joint name='rail' type='slide'/><geom size='.1' mass='.001'/></body></worldbody>
           <actuator><motor joint='rail' gear='1e9'/></actuator></mujoco>",
    );
    let summary =
        json(&["run", &model, "--envs", "3", "--steps", "100", "--controls", "random", "--device", "cpu", "--json"]);
    assert_eq!(summary["faults"]["not_finite"], 3);
    assert_eq!(summary["steps"], 100);
    // What is frozen is not stepped, and makes no speed.
    let (steps, seconds) = (summary["timed_env_steps"].as_f64().unwrap(), summary["timed_seconds"].as_f64().unwrap());
    assert!(steps < 3.0 * 99.0, "{summary}");
    assert_eq!(summary["env_steps_per_second"], steps / seconds);
}
