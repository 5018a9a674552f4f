//! Limits come from presets or a file, and a user may lower them.

mod models;

use models::preset;
use phalanx_launch_planner::DeviceLimits;

#[test]
fn every_preset_has_its_name_and_is_possible() {
    let names = ["rtx3060", "rtx4090", "rtx5090", "a100", "h100", "h200", "l40s", "t4", "jetson-orin"];
    assert_eq!(DeviceLimits::preset_names(), names);
    names.iter().for_each(|name| preset(name).validate().unwrap());
    assert_eq!(DeviceLimits::preset("cpu"), None);
}

#[test]
fn limits_survive_json_and_errors_name_the_field() {
    let limits = preset("h200");
    let json = serde_json::to_value(&limits).unwrap();
    assert_eq!(serde_json::from_value::<DeviceLimits>(json.clone()).unwrap(), limits);

    let mut unknown = json.clone();
    unknown["max_thread_per_block"] = 1024.into();
    let error = serde_json::from_value::<DeviceLimits>(unknown).unwrap_err().to_string();
    assert!(error.contains("unknown field `max_thread_per_block`"), "{error}");

    let mut missing = json;
    missing.as_object_mut().unwrap().remove("warp_size");
    let error = serde_json::from_value::<DeviceLimits>(missing).unwrap_err().to_string();
    assert!(error.contains("missing field `warp_size`"), "{error}");
}

#[test]
fn a_smaller_device_can_be_rehearsed_on_a_larger_one() {
    let rehearsal = preset("h200").lowered_by(&preset("t4")).unwrap();
    assert_eq!(rehearsal.name, "NVIDIA T4 on NVIDIA H200");
    assert_eq!(rehearsal.compute_capability, (9, 0));
    assert_eq!(rehearsal.shared_memory_per_block_optin, 64 * 1024);
    assert_eq!(rehearsal.reserved_shared_memory_per_block, 1024);
    assert_eq!(preset("h200").lowered_by(&preset("h200")).unwrap(), preset("h200"));
}

#[test]
fn a_limit_cannot_be_raised() {
    let error = preset("t4").lowered_by(&preset("h200")).unwrap_err().to_string();
    assert_eq!(
        error,
        "NVIDIA H200: `multiprocessor_count` is 132, NVIDIA T4 has 40; a rehearsal can only lower a limit: write 40 or less"
    );
}

#[test]
fn impossible_limits_are_refused() {
    let error = DeviceLimits { warp_size: 64, ..preset("t4") }.validate().unwrap_err().to_string();
    assert_eq!(error, "NVIDIA T4: `warp_size` is 64; teams are parts of a 32-lane warp: write 32");
    let error = DeviceLimits { multiprocessor_count: 0, ..preset("t4") }.validate().unwrap_err().to_string();
    assert_eq!(error, "NVIDIA T4: `multiprocessor_count` is 0; write at least 1");
}
