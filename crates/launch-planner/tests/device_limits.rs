//! Limits come from presets or a file, and a user may lower them.

mod models;

use models::{ant, humanoid, preset};
use phalanx_launch_planner::{Demand, DeviceLimits, KernelNeeds, occupancy, plan};

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
fn every_limit_beyond_the_device_is_refused_by_its_name() {
    let device = preset("h200");
    let own = serde_json::to_value(&device).unwrap();
    for field in [
        "multiprocessor_count",
        "max_threads_per_block",
        "max_threads_per_multiprocessor",
        "max_blocks_per_multiprocessor",
        "shared_memory_per_block",
        "shared_memory_per_block_optin",
        "shared_memory_per_multiprocessor",
        "registers_per_block",
        "registers_per_multiprocessor",
        "max_registers_per_thread",
        "max_grid_dim_x",
        "total_global_memory",
    ] {
        let has = own[field].as_u64().unwrap();
        let mut wanted = own.clone();
        wanted["name"] = "a wish".into();
        wanted[field] = (has + 1).into();
        let error = device.lowered_by(&serde_json::from_value(wanted).unwrap()).unwrap_err().to_string();
        let said = format!("a wish: `{field}` is {}, NVIDIA H200 has {has}; ", has + 1);
        assert!(error.starts_with(&said), "{error}");
    }
}

#[test]
fn a_rehearsed_plan_launches_on_both_devices_and_takes_no_more_than_the_smaller() {
    let real = preset("h200");
    for name in ["t4", "rtx3060", "jetson-orin", "rtx4090", "a100", "h100"] {
        let small = preset(name);
        let rehearsal = real.lowered_by(&small).unwrap();
        for model in [humanoid(), ant()] {
            for num_envs in [1, 8192, 1_000_000] {
                let plan = plan(&rehearsal, &model, &KernelNeeds::estimate(), &Demand::envs(num_envs)).unwrap();
                for kernel in &plan.kernels {
                    let shared = u64::from(kernel.static_shared_bytes) + u64::from(kernel.dynamic_shared_bytes);
                    for device in [&small, &real] {
                        let (threads, registers) = (kernel.threads_per_block, kernel.registers_per_thread);
                        let held = occupancy(device, threads, registers, shared).blocks_per_sm;
                        assert!(held >= kernel.blocks_per_sm, "{name}: {} holds {held} blocks", device.name);
                    }
                    assert!(kernel.grid_blocks <= kernel.blocks_per_sm * small.multiprocessor_count, "{name}");
                }
                assert!(plan.memory.total <= small.total_global_memory, "{name}");
            }
        }
    }
}

#[test]
fn impossible_limits_are_refused() {
    let error = DeviceLimits { warp_size: 64, ..preset("t4") }.validate().unwrap_err().to_string();
    assert_eq!(error, "NVIDIA T4: `warp_size` is 64; teams are parts of a 32-lane warp: write 32");
    let error = DeviceLimits { multiprocessor_count: 0, ..preset("t4") }.validate().unwrap_err().to_string();
    assert_eq!(error, "NVIDIA T4: `multiprocessor_count` is 0; write at least 1");
    let error = DeviceLimits { compute_capability: (5, 0), ..preset("t4") }.validate().unwrap_err().to_string();
    assert_eq!(error, "NVIDIA T4 has compute capability 5.0; Phalanx needs 7.5 (Turing) or newer: use the CPU");
    let optin = DeviceLimits { shared_memory_per_block_optin: 65537, ..preset("t4") };
    assert_eq!(
        optin.validate().unwrap_err().to_string(),
        "NVIDIA T4: `shared_memory_per_block_optin` is 65537; `shared_memory_per_multiprocessor` is 65536: write 65536 or less"
    );
}
