//! What cannot be planned says what, where, how much, and what to do.

mod models;

use models::{ant, humanoid, preset};
use phalanx_launch_planner::{
    Capacity, Demand, DeviceLimits, KernelAttributes, KernelNeeds, ModelDims, PlanError, WorkArray, plan,
};

fn message(device: &DeviceLimits, model: &ModelDims, needs: &KernelNeeds, demand: &Demand) -> String {
    plan(device, model, needs, demand).unwrap_err().to_string()
}

fn message_for(demand: &Demand) -> String {
    message(&preset("h200"), &humanoid(), &KernelNeeds::estimate(), demand)
}

/// 400 contacts and 160000 Jacobian words: 640000 bytes of efc_J.
fn crowded() -> ModelDims {
    let arrays = vec![
        WorkArray { name: "qM".to_string(), words: 4000, traffic: 500, last_stage: 9, ..WorkArray::default() },
        WorkArray {
            name: "efc_J".to_string(),
            words_per_jacobian_word: 1,
            traffic: 100,
            last_stage: 9,
            ..WorkArray::default()
        },
    ];
    let capacity = Capacity { contacts: 400, jacobian_words: 160_000 };
    ModelDims { name: "crowd".to_string(), arrays, usual: capacity, proven: capacity, ..humanoid() }
}

#[test]
fn no_environments_is_an_error_with_advice() {
    assert_eq!(message_for(&Demand::envs(0)), "num_envs is 0; ask for at least 1 environment");
}

#[test]
fn a_pinned_array_that_does_not_fit_is_named_with_the_remedy() {
    let demand = Demand { pin_shared: vec!["efc_J".to_string()], ..Demand::envs(64) };
    let error = plan(&preset("h200"), &crowded(), &KernelNeeds::estimate(), &demand).unwrap_err();
    assert_eq!(
        error.to_string(),
        "step kernel needs 640000 bytes of shared memory for one environment, this device offers 232448; the largest \
         part is `efc_J` (640000 bytes); it can live in global memory: remove `pin_shared`"
    );
    assert!(matches!(error, PlanError::SharedMemory { need: 640_000, limit: 232_448, .. }));
}

#[test]
fn without_pins_the_array_with_most_words_for_its_accesses_moves_to_global_memory() {
    let plan = plan(&preset("h200"), &crowded(), &KernelNeeds::estimate(), &Demand::envs(64)).unwrap();
    let moved: Vec<&str> = plan
        .step()
        .placement
        .iter()
        .filter(|(_, placement)| **placement == phalanx_launch_planner::Placement::Global)
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(moved, ["efc_J"]);
}

#[test]
fn too_many_environments_say_how_many_fit() {
    let model = ModelDims { output_bytes_per_env: 48_000, ..humanoid() };
    let needs = KernelNeeds::estimate();
    let text = message(&preset("t4"), &model, &needs, &Demand::envs(1 << 20));
    let largest: u64 = text.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(
        text.starts_with("1048576 environments of humanoid need 50.9 GB, NVIDIA T4 has 15.7 GB (15.5 GB free after"),
        "{text}"
    );
    assert!(text.contains("41.9 MB of local memory, 655.4 kB of code): 35.5 GB too little; the largest"), "{text}");
    assert!(text.ends_with(&format!("; the largest number that fits is {largest}")));
    assert!(plan(&preset("t4"), &model, &needs, &Demand::envs(largest)).is_ok());
    assert!(plan(&preset("t4"), &model, &needs, &Demand::envs(largest + 1)).is_err());
}

#[test]
fn the_users_memory_limit_is_named_when_it_rules() {
    let text = message_for(&Demand { memory_limit: Some(1_000_000_000), ..Demand::envs(1 << 24) });
    assert!(text.contains("the memory limit on NVIDIA H200 is 1.0 GB"), "{text}");
}

#[test]
fn a_model_whose_proven_workspace_does_not_fit_is_refused() {
    let mut model = humanoid();
    model.proven = Capacity { contacts: u32::MAX, jacobian_words: u32::MAX };
    let text = message(&preset("rtx3060"), &model, &KernelNeeds::estimate(), &Demand::envs(1));
    assert!(
        text.contains("not even one environment fits: one workspace of the model's proven maximum takes"),
        "{text}"
    );
}

#[test]
fn the_largest_demand_of_all_does_not_overflow() {
    let mut model = humanoid();
    let text = message(&preset("h200"), &model, &KernelNeeds::estimate(), &Demand::envs(u64::MAX));
    assert!(text.contains("the largest number that fits is"), "{text}");
    for bytes in [
        &mut model.state_bytes_per_env,
        &mut model.input_bytes_per_env,
        &mut model.output_bytes_per_env,
        &mut model.model_bytes_per_env,
        &mut model.model_bytes,
    ] {
        *bytes = u64::MAX;
    }
    let demand = Demand { reserve_bytes: u64::MAX, ..Demand::envs(u64::MAX) };
    let text = message(&preset("h200"), &model, &KernelNeeds::estimate(), &demand);
    assert!(text.contains("not even one environment fits"), "{text}");
}

#[test]
fn team_sizes_that_do_not_exist_are_refused() {
    let lanes = |lanes| message_for(&Demand { lanes: Some(lanes), ..Demand::envs(1) });
    assert_eq!(lanes(3), "3 lanes per environment were asked for; write 1, 2, 4, 8, 16 or 32");
    let attributes = KernelAttributes::estimate();
    let needs = KernelNeeds::compiled(32, attributes, attributes);
    let demand = Demand { lanes: Some(8), ..Demand::envs(1) };
    assert_eq!(
        message(&preset("h200"), &humanoid(), &needs, &demand),
        "8 lanes per environment were asked for; step kernels exist for 32"
    );
}

#[test]
fn pins_that_name_nothing_are_refused() {
    let text = message_for(&Demand { pin_shared: vec!["efc_K".to_string()], ..Demand::envs(1) });
    assert!(text.starts_with("`pin_shared` names `efc_K`; humanoid has no such workspace array; it has qpos, qvel"));
    let both = vec!["qM".to_string()];
    let text = message_for(&Demand { pin_shared: both.clone(), pin_global: both, ..Demand::envs(1) });
    assert_eq!(text, "`pin_global` names `qM`; `pin_shared` names it too; remove it from one of them");
}

#[test]
fn kernels_that_no_block_can_hold_are_refused() {
    let good = KernelAttributes::estimate();
    let needs = |attributes| KernelNeeds { retry: good, ..KernelNeeds::same_for_all(attributes, good) };
    let refuse = |attributes| message(&preset("h200"), &ant(), &needs(attributes), &Demand::envs(1));
    let registers = refuse(KernelAttributes { registers_per_thread: 300, ..good });
    assert!(registers.starts_with("step kernel needs 300 registers per thread, NVIDIA H200 offers 255; "));
    let threads = refuse(KernelAttributes { max_threads_per_block: 16, ..good });
    assert!(threads.starts_with("step kernel needs 32 threads in a block, NVIDIA H200 offers 16; "), "{threads}");
    let shared = refuse(KernelAttributes { static_shared_bytes: 300_000, ..good });
    assert!(shared.contains("this device offers 232448; all of it is static (300000 bytes)"), "{shared}");
    let retry = KernelNeeds::same_for_all(good, KernelAttributes { static_shared_bytes: 300_000, ..good });
    let retry = message(&preset("h200"), &ant(), &retry, &Demand::envs(1));
    assert!(retry.starts_with("retry kernel needs 300000 bytes of shared memory for one block"), "{retry}");
}
