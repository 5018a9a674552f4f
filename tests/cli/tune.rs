//! `phalanx tune`: what it says without a GPU, and how it measures one candidate.

use crate::{json, phalanx, text};

#[test]
fn there_is_nothing_to_tune_on_the_cpu() {
    let output = phalanx(&["tune", "assets/ant.xml", "--envs", "64", "--device", "cpu"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("there is nothing to tune on the CPU"), "{}", text(&output.stdout));
    let report = json(&["tune", "assets/ant.xml", "--envs", "64", "--device", "cpu", "--json"]);
    assert_eq!(report["candidates"], serde_json::json!([]));
    assert!(report["fastest"].is_null());
}

#[test]
fn a_candidate_is_measured_with_the_hash_of_its_final_state() {
    let tune = ["tune", "assets/ant.xml", "--envs", "5", "--device", "cpu", "--steps", "10", "--candidate"];
    let candidate = json(&[&tune[..], &[r#"{"lanes_per_env":16,"envs_per_block":2,"global":[]}"#]].concat());
    let run = ["run", "assets/ant.xml", "--envs", "5", "--device", "cpu", "--steps", "10", "--controls", "random"];
    assert_eq!(candidate["state_hash"], json(&[&run[..], &["--json"]].concat())["state_hash"]);
    assert_eq!((candidate["num_envs"].as_u64(), candidate["timed_env_steps"].as_u64()), (Some(5), Some(45)));
    let wrong = phalanx(&[&tune[..], &["{}"]].concat());
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
}

#[test]
fn a_bad_model_is_refused_before_anything_is_measured() {
    let output = phalanx(&["tune", "no.xml", "--envs", "64"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no.xml"));
}
