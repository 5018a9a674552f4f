//! How wide the retry kernel is: as wide as a small part of the memory allows, and one workspace a multiprocessor where that
//! part is too small for it.

use phalanx_launch_planner::{
    Capacity, Demand, DeviceLimits, KernelNeeds, KernelPlan, LaunchPlan, ModelDims, Placement, WorkArray, plan,
};

/// Bytes of a contact in the workspace.
const CONTACT_BYTES: u64 = 400;

/// A model of which a state may have so many contacts, though 10 are usual.
fn model(proven_contacts: u32) -> ModelDims {
    let capacity = |contacts| Capacity { contacts, jacobian_words: 0 };
    let array =
        WorkArray { name: "contacts".into(), words_per_contact: CONTACT_BYTES / 4, traffic: 1, ..WorkArray::default() };
    ModelDims {
        name: "pile".into(),
        arrays: vec![array],
        state_bytes_per_env: 1000,
        input_bytes_per_env: 0,
        output_bytes_per_env: 0,
        model_bytes: 0,
        model_words_per_block: 0,
        model_bytes_per_env: 0,
        usual: capacity(10),
        proven: capacity(proven_contacts),
        nv: 30,
        preferred_lanes: None,
    }
}

fn retry(device: &str, proven_contacts: u32, memory_limit: Option<u64>) -> KernelPlan {
    retry_of(8192, device, proven_contacts, memory_limit)
}

fn retry_of(num_envs: u64, device: &str, proven_contacts: u32, memory_limit: Option<u64>) -> KernelPlan {
    let demand = Demand { memory_limit, ..Demand::envs(num_envs) };
    planned(device, proven_contacts, &demand).retry().clone()
}

fn planned(device: &str, proven_contacts: u32, demand: &Demand) -> LaunchPlan {
    let device = DeviceLimits::preset(device).unwrap();
    plan(&device, &model(proven_contacts), &KernelNeeds::estimate(), demand).unwrap()
}

#[test]
fn small_workspaces_are_as_many_as_the_device_steps_at_once() {
    let retry = retry("h200", 300, None);
    assert_eq!(retry.resident_envs, u64::from(retry.blocks_per_sm * retry.envs_per_block) * 132);
}

#[test]
fn blocks_are_large_where_many_may_retry_and_leave_one_for_each_multiprocessor() {
    let block = |num_envs| {
        (retry_of(num_envs, "h200", 300, None).envs_per_block, retry_of(num_envs, "h200", 300, None).grid_blocks)
    };
    assert_eq!(block(8192), (16, 132));
    assert_eq!(block(2112), (16, 132));
    assert_eq!(block(2111), (8, 263));
    assert_eq!(block(264), (2, 132));
    assert_eq!(block(200), (1, 200));
    assert_eq!(block(1), (1, 1));
}

#[test]
fn large_workspaces_are_one_for_each_multiprocessor_if_an_eighth_of_the_memory_holds_them() {
    // 52 MB each: a 64th of the H200 would hold 44.
    assert_eq!(retry("h200", 131_072, None).resident_envs, 132);
    // An eighth of a T4 holds 37, and it has 40 multiprocessors.
    let eighth = DeviceLimits::preset("t4").unwrap().total_global_memory / 8;
    assert_eq!(retry("t4", 131_072, None).resident_envs, eighth / (131_072 * CONTACT_BYTES));
}

#[test]
fn where_memory_is_short_one_is_enough() {
    let least = planned("h200", 131_072, &Demand::envs(8192)).memory.least_total;
    let not_two = 131_072 * CONTACT_BYTES / 2;
    assert_eq!(retry("h200", 131_072, Some(least + not_two)).resident_envs, 1);
}

/// 300 contacts are 120 KB: shared memory of an H200 holds them once or twice a multiprocessor, of a T4 never.
#[test]
fn few_environments_have_room_for_the_most_in_shared_memory_and_are_never_stepped_again() {
    let few = planned("h200", 300, &Demand::envs(64));
    assert!(few.never_retries());
    assert_eq!(few.step().capacity.contacts, 300);
    assert_eq!(few.step().placement["contacts"], Placement::Shared);
    for (device, num_envs) in [("h200", 8192), ("t4", 1)] {
        let plan = planned(device, 300, &Demand::envs(num_envs));
        assert!(!plan.never_retries());
        assert_eq!(plan.step().capacity.contacts, 10);
    }
}

#[test]
fn room_for_the_most_lowers_the_largest_number_of_environments_by_none_and_bends_to_what_is_asked_for() {
    let few = Demand::envs(64);
    let usual = planned("h200", 300, &Demand { fast_contacts: Some(10), ..few.clone() });
    assert!(!usual.never_retries());
    assert_eq!(planned("h200", 300, &few).max_num_envs, usual.max_num_envs);
    let learned = planned("h200", 300, &Demand { capacity: Some(usual.step().capacity), ..few });
    assert_eq!(learned.step().capacity, usual.step().capacity);
}
