//! `phalanx ladder`: rungs to the edge of the device, whatever happens on the way.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Folder, command, json, phalanx, text};

const LADDER: [&str; 7] = ["ladder", "assets/cartpole.xml", "--device", "cpu", "--steps", "3", "--json"];

/// The ladder of cartpole on the CPU with more arguments.
fn ladder(more: &[&str]) -> Value {
    json(&[&LADDER[..], more].concat())
}

/// The environments of every rung, and whether it was measured.
fn rungs(report: &Value) -> Vec<(u64, bool)> {
    let rungs = report["rungs"].as_array().unwrap();
    rungs.iter().map(|rung| (rung["num_envs"].as_u64().unwrap(), rung["failed"].is_null())).collect()
}

#[test]
fn environments_double_up_to_what_was_asked_for() {
    let report = ladder(&["--from", "8", "--max-envs", "40"]);
    assert_eq!(rungs(&report), [(8, true), (16, true), (32, true), (40, true)]);
    assert_eq!(report["max_num_envs"], 40);
    assert_eq!(report["max_num_envs_was_run"], true);
    assert_eq!(report["max_num_envs_is_edge"], false);
    for rung in report["rungs"].as_array().unwrap() {
        assert!(rung["env_steps_per_second"].as_f64().unwrap() > 0.0, "{rung}");
        assert_eq!(rung["steps"], 3);
        assert_eq!(rung["timed_env_steps"].as_u64(), rung["num_envs"].as_u64().map(|num_envs| 2 * num_envs));
        for key in [
            "memory_bytes",
            "occupancy_percent",
            "retried",
            "not_finite",
            "most_contacts",
            "contact_capacity",
            "resizes",
        ] {
            assert!(rung[key].is_u64(), "{key} is not in {rung}");
        }
        assert!(rung["slowest_call_seconds"].as_f64() >= rung["mean_call_seconds"].as_f64(), "{rung}");
    }
}

#[test]
fn the_edge_of_a_small_device_is_planned_and_run_and_one_more_is_refused() {
    let folder = Folder::new();
    let mut limits = json(&["plan", "assets/ant.xml", "--envs", "1", "--device", "t4", "--json"])["device"].take();
    limits["total_global_memory"] = 200_000.into();
    let limits = folder.write("small.json", limits.to_string());
    let report = ladder(&["--limits", &limits]);
    let largest = report["max_num_envs"].as_u64().unwrap();
    let tried = rungs(&report);
    assert!(tried.contains(&(128, true)) && tried.contains(&(256, true)), "{tried:?}");
    assert_eq!(tried[tried.len() - 2..], [(largest, true), (largest + 1, false)]);
    assert_eq!(report["max_num_envs_was_run"], true);
    let reason = report["rungs"].as_array().unwrap().last().unwrap()["failed"].as_str().unwrap();
    assert!(reason.contains(&format!("the largest number that fits is {largest}")), "{reason}");
}

#[test]
fn a_device_too_small_for_one_environment_is_a_ladder_without_rungs() {
    let output = phalanx(&[&LADDER[..], &["--memory-limit", "100"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rungs(&report), [(1, false), (128, false)]);
    assert_eq!(report["max_num_envs"], Value::Null);
    assert_eq!(report["ended"], "not even one environment runs");
}

#[test]
fn a_slow_rung_ends_the_ladder_and_says_so() {
    let report = ladder(&["--max-seconds", "0.000001"]);
    assert_eq!(rungs(&report), [(128, true)]);
    assert_eq!(report["max_num_envs_was_run"], false);
    assert!(report["max_num_envs"].as_u64().unwrap() > 128);
    assert!(report["ended"].as_str().unwrap().contains("--max-seconds"), "{report}");
}

#[test]
fn files_have_every_rung() {
    let folder = Folder::new();
    let (csv, plot) = (folder.path("ladder.csv"), folder.path("ladder.svg"));
    let files = ["--from", "8", "--max-envs", "16", "--csv", &csv, "--plot", &plot];
    let arguments = [&LADDER[..LADDER.len() - 1], &files].concat();
    let output = phalanx(&arguments);
    let table = text(&output.stdout);
    assert!(table.lines().any(|line| line.trim_start().starts_with("16 ")), "{table}");
    assert!(table.contains("largest number of environments that was run: 16; more may fit"), "{table}");

    let csv = std::fs::read_to_string(csv).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3, "{csv}");
    assert!(lines[0].starts_with("num_envs,failed,device,"), "{csv}");
    assert!(lines[1].starts_with("8,,") && lines[2].starts_with("16,,"), "{csv}");
    let svg = std::fs::read_to_string(plot).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("environment steps per second") && svg.contains("cartpole"));
    assert_eq!(folder.names().len(), 2);
}

#[test]
fn bad_arguments_are_refused_before_the_first_rung() {
    for (more, code, word) in [
        (["--max-envs", "5"], 2, "--from"),
        (["--max-seconds", "0"], 2, "seconds"),
        (["--limits", "t5"], 2, "jetson-orin"),
        (["--keyframe", "flying"], 2, "flying"),
        (["--csv", "no/such/folder.csv"], 1, "folder.csv"),
    ] {
        let output = phalanx(&[&LADDER[..], &more].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{more:?}: {message}");
        assert!(message.contains(word), "{more:?}: {message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn ctrl_c_prints_what_was_measured() {
    let endless = ["--from", "1", "--max-seconds", "1000000", "--log", "info"];
    let arguments = [&LADDER[..3], &["cpu", "--json"], &endless].concat();
    let mut child =
        command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let measured = log.any(|line| line.unwrap().contains("2 environments: "));
    assert!(measured, "the ladder ended before its second rung");

    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    // The log is read to its end, so that nobody waits for a full pipe.
    log.for_each(drop);
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["interrupted"], true);
    assert_eq!(rungs(&report)[..2], [(1, true), (2, true)]);
}
