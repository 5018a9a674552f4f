//! `phalanx inspect` and `phalanx doctor`: what a model and a machine are made of.

use crate::{json, phalanx, text};

#[test]
fn a_model_is_counted_and_its_maxima_are_proven() {
    let report = json(&["inspect", "assets/ant.xml", "--json"]);
    assert_eq!(report["counts"]["nq"], 15);
    assert_eq!(report["geoms_by_type"], serde_json::json!({"plane": 1, "sphere": 2, "capsule": 8}));
    assert_eq!(report["collision_pairs_by_type"], serde_json::json!({"plane-sphere": 1, "plane-capsule": 8}));
    // A sphere meets a plane in one point, a capsule in two.
    assert_eq!(report["proven_maxima"]["contacts"], 1 + 8 * 2);
    assert!(report["bytes_per_env"]["state"].as_u64().unwrap() >= 4 * (15 + 14 + 14));
}

#[test]
fn every_compiled_array_is_there_in_its_shape() {
    let arrays = json(&["inspect", "assets/ant.xml", "--json"])["arrays"].clone();
    assert_eq!(arrays["body_pos"].as_array().unwrap().len(), 10);
    assert_eq!(arrays["body_pos"][1], serde_json::json!([0.0, 0.0, 0.345]));
    assert_eq!(arrays["jnt_type"][0], 0);
    assert!(arrays["pair_dim"].as_array().unwrap().is_empty());
}

#[test]
fn people_get_a_page_and_not_an_object() {
    let output = phalanx(&["inspect", "assets/humanoid.xml"]);
    let page = text(&output.stdout);
    assert!(page.contains("collision pairs    176: "), "{page}");
}

#[test]
fn doctor_says_what_is_missing_and_how_to_get_it() {
    let report = json(&["doctor", "--json"]);
    for key in ["cpu", "host_compiler", "driver", "nvrtc", "devices", "missing", "gpu_usable"] {
        assert!(report.get(key).is_some(), "{key} is not in {report}");
    }
    for lack in report["missing"].as_array().unwrap() {
        assert!(lack["how_to_get_it"].as_str().unwrap().len() > 10, "{lack}");
    }
    assert!(phalanx(&["doctor"]).status.success());
}
