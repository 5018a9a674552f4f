//! Whatever the device, the model and the number of environments: a plan launches, or there is an error.

mod models;

use models::{any_device, any_model, any_needs, any_num_envs};
use phalanx_launch_planner::{
    Demand, DeviceLimits, KernelNeeds, KernelPlan, LaunchPlan, ModelDims, PlanError, RowChoice, candidates, occupancy,
    plan,
};
use proptest::prelude::*;

fn check_kernel(device: &DeviceLimits, needs: &KernelNeeds, kernel: &KernelPlan) {
    let attributes = if kernel.name == "step" { &needs.fast[&kernel.lanes_per_env] } else { &needs.retry };
    assert_eq!(kernel.threads_per_block, kernel.envs_per_block * kernel.lanes_per_env);
    assert_eq!(kernel.threads_per_block % 32, 0);
    assert!(kernel.threads_per_block <= device.max_threads_per_block);
    assert!(kernel.threads_per_block <= attributes.max_threads_per_block);
    let shared = u64::from(kernel.static_shared_bytes) + u64::from(kernel.dynamic_shared_bytes);
    assert!(shared <= u64::from(device.shared_memory_per_block_optin));
    let workspaces = kernel.layout.shared_words_per_env * 4 * u64::from(kernel.envs_per_block);
    assert_eq!(workspaces + kernel.model_words_per_block * 4, u64::from(kernel.dynamic_shared_bytes));

    // All resident blocks of a multiprocessor together.
    let blocks = u64::from(kernel.blocks_per_sm);
    assert!(blocks >= 1 && blocks <= u64::from(device.max_blocks_per_multiprocessor));
    assert!(blocks * u64::from(kernel.threads_per_block) <= u64::from(device.max_threads_per_multiprocessor));
    let shared_of_block = shared + u64::from(device.reserved_shared_memory_per_block);
    assert!(blocks * shared_of_block <= u64::from(device.shared_memory_per_multiprocessor));
    let registers = u64::from(kernel.registers_per_thread) * u64::from(kernel.threads_per_block);
    assert!(registers <= u64::from(device.registers_per_block));
    assert!(blocks * registers <= u64::from(device.registers_per_multiprocessor));
    let again = occupancy(device, kernel.threads_per_block, kernel.registers_per_thread, shared);
    assert_eq!(again.blocks_per_sm, kernel.blocks_per_sm);

    // The grid.
    assert!(kernel.grid_blocks >= 1 && kernel.grid_blocks <= device.max_grid_dim_x);
    assert!(u64::from(kernel.grid_blocks) <= blocks * u64::from(device.multiprocessor_count));
    assert_eq!(kernel.resident_envs, u64::from(kernel.grid_blocks) * u64::from(kernel.envs_per_block));
    for array in &kernel.layout.arrays {
        assert_eq!(kernel.placement[&array.name], array.placement);
    }
}

fn check_memory(plan: &LaunchPlan, demand: &Demand) {
    let memory = &plan.memory;
    let hidden = &memory.hidden;
    let parts = [
        memory.state,
        memory.inputs,
        memory.outputs,
        memory.model,
        memory.workspace,
        memory.retry,
        hidden.context,
        hidden.local_memory,
        hidden.code,
        hidden.reserve,
    ];
    assert_eq!(parts.iter().map(|&part| u128::from(part)).sum::<u128>(), u128::from(memory.total));
    assert!(memory.total <= plan.device.total_global_memory);
    assert!(memory.total <= demand.memory_limit.unwrap_or(u64::MAX));
    assert!(memory.least_total <= memory.total);
    assert_eq!(hidden.reserve, demand.reserve_bytes);
    for (kernel, bytes) in plan.kernels.iter().zip([memory.workspace, memory.retry]) {
        let workspaces = kernel.resident_envs * kernel.layout.global_words_per_env * 4;
        let may_grow = demand.learns && kernel.name == "step";
        assert!(bytes == workspaces || (may_grow && bytes > workspaces), "{bytes} bytes for {workspaces}");
    }
}

prop_compose! {
    fn any_demand(model: &ModelDims)(
        num_envs in any_num_envs(),
        fast_contacts in prop::option::of(1u32..50),
        learns in any::<bool>(),
        pinned in prop::collection::vec(prop::option::weighted(0.2, any::<bool>()), model.arrays.len()),
        memory_limit in prop::option::of(1_000_000u64..100_000_000_000),
        reserve_bytes in prop_oneof![Just(0u64), 0u64..1_000_000_000],
        generic_retry in any::<bool>(),
        names in Just(model.arrays.iter().map(|array| array.name.clone()).collect::<Vec<_>>()),
    ) -> Demand {
        let pins = |wanted: bool| {
            let pinned = names.iter().zip(&pinned).filter(|&(_, &pin)| pin == Some(wanted));
            pinned.map(|(name, _)| name.clone()).collect()
        };
        Demand { num_envs, fast_contacts, learns, pin_shared: pins(true), pin_global: pins(false), generic_retry, memory_limit, reserve_bytes, ..Demand::default() }
    }
}

fn any_case() -> impl Strategy<Value = (DeviceLimits, ModelDims, KernelNeeds, Demand)> {
    (any_device(), any_model(), any_needs()).prop_flat_map(|(device, model, needs)| {
        let demand = any_demand(&model);
        (Just(device), Just(model), Just(needs), demand)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn no_limit_is_ever_exceeded((device, model, needs, demand) in any_case()) {
        if let Ok(plan) = plan(&device, &model, &needs, &demand) {
            plan.kernels.iter().for_each(|kernel| check_kernel(&device, &needs, kernel));
            check_memory(&plan, &demand);
            let step = plan.step();
            for pin in &demand.pin_shared {
                prop_assert_eq!(step.placement[pin], phalanx_launch_planner::Placement::Shared);
            }
            for pin in &demand.pin_global {
                prop_assert_eq!(step.placement[pin], phalanx_launch_planner::Placement::Global);
            }
            prop_assert_eq!(step.waves, demand.num_envs.div_ceil(step.resident_envs));
            let _ = plan.to_string();
        }
    }

    #[test]
    fn the_same_limits_give_the_same_plan((device, model, needs, demand) in any_case()) {
        let first = plan(&device, &model, &needs, &demand);
        prop_assert_eq!(&first, &plan(&device, &model, &needs, &demand));
        if let Ok(first) = first {
            let json = serde_json::to_string(&first).unwrap();
            prop_assert_eq!(&first, &serde_json::from_str::<LaunchPlan>(&json).unwrap());
        }
    }

    #[test]
    fn the_largest_number_of_environments_is_exact((device, model, needs, demand) in any_case()) {
        let largest = match plan(&device, &model, &needs, &demand) {
            Ok(plan) => plan.max_num_envs,
            Err(PlanError::Memory { message, largest: 0 }) => {
                prop_assert!(message.contains("not even one environment fits"));
                let one = plan(&device, &model, &needs, &Demand { num_envs: 1, ..demand });
                prop_assert!(one.is_err());
                return Ok(());
            }
            Err(PlanError::Memory { message, largest }) => {
                let ends = format!(" {largest}");
                prop_assert!(message.ends_with(&ends));
                largest
            }
            Err(_) => return Ok(()),
        };
        let at = |num_envs| plan(&device, &model, &needs, &Demand { num_envs, ..demand.clone() });
        prop_assert_eq!(at(largest).unwrap().max_num_envs, largest);
        if let Some(more) = largest.checked_add(1) {
            let refused = matches!(at(more), Err(PlanError::Memory { .. }));
            prop_assert!(refused);
        }
    }

    #[test]
    fn more_environments_never_need_less_memory(
        (device, model, needs, demand) in any_case(),
        more in 1u64..1_000_000,
    ) {
        let larger = Demand { num_envs: demand.num_envs.saturating_add(more), ..demand.clone() };
        if let Ok(large) = plan(&device, &model, &needs, &larger) {
            let small = plan(&device, &model, &needs, &demand).expect("fewer environments fit too");
            prop_assert_eq!(small.max_num_envs, large.max_num_envs);
            prop_assert!(small.memory.state <= large.memory.state);
            // The same kernel, so that only the number of environments differs.
            let demand = demand.with_kernel_of(&small);
            let larger = larger.with_kernel_of(&small);
            let small = plan(&device, &model, &needs, &demand);
            let large = plan(&device, &model, &needs, &larger);
            if let (Ok(small), Ok(large)) = (small, large) && small.step().envs_per_block == large.step().envs_per_block {
                prop_assert!(small.memory.least_total <= large.memory.least_total);
            }
        }
    }

    #[test]
    fn every_environment_is_stepped_exactly_once(
        (device, model, needs, demand) in any_case(),
        num_envs in 1u64..20_000,
    ) {
        if let Ok(plan) = plan(&device, &model, &needs, &Demand { num_envs, ..demand }) {
            // As `claim_next` in kernels/entry_step.cu: teams step one environment each, then warps take the next that are left.
            let (teams, per_warp) = (plan.step().resident_envs, u64::from(32 / plan.step().lanes_per_env));
            let mut stepped = vec![0u32; num_envs as usize];
            let mut step = |env: u64| if let Some(times) = stepped.get_mut(env as usize) { *times += 1 };
            (0..teams).for_each(&mut step);
            for taken in (0..num_envs).step_by(per_warp as usize) {
                (0..per_warp).for_each(|team| step(teams + taken + team));
            }
            prop_assert!(stepped.iter().all(|&times| times == 1));
            prop_assert_eq!(plan.step().waves, num_envs.div_ceil(teams));
        }
    }

    #[test]
    fn a_row_that_was_planned_once_can_be_asked_for_again(
        (device, model, needs, demand) in any_case(),
        lanes in prop::sample::select(vec![1u32, 2, 4, 8, 16, 32]),
    ) {
        let forced = Demand { lanes: Some(lanes), ..demand.clone() };
        if let Ok(other) = plan(&device, &model, &needs, &forced) {
            let asked = Demand { row: Some(RowChoice::of(&other)), ..demand };
            let again = plan(&device, &model, &needs, &asked).expect("the row fits");
            prop_assert!(again.tuned);
            prop_assert_eq!(&again.kernels, &other.kernels);
            prop_assert_eq!(&again.memory, &other.memory);
        }
    }

    #[test]
    fn candidates_launch_differ_and_begin_with_the_planners_own((device, model, needs, demand) in any_case()) {
        match (candidates(&device, &model, &needs, &demand), plan(&device, &model, &needs, &demand)) {
            (Ok(found), Ok(own)) => {
                prop_assert_eq!(&found[0], &own);
                for (index, plan) in found.iter().enumerate() {
                    plan.kernels.iter().for_each(|kernel| check_kernel(&device, &needs, kernel));
                    check_memory(plan, &demand);
                    prop_assert!(!found[..index].iter().any(|other| RowChoice::of(other) == RowChoice::of(plan)));
                }
            }
            (Err(error), Err(own)) => prop_assert_eq!(error, own),
            (found, own) => prop_assert!(false, "{found:?} {own:?}"),
        }
    }

    #[test]
    fn a_plan_for_a_compiled_kernel_keeps_its_lanes_and_placement(
        (device, model, needs, demand) in any_case(),
        contacts in 1u32..100,
    ) {
        if let Ok(before) = plan(&device, &model, &needs, &demand) {
            let learned = Demand { fast_contacts: Some(contacts), ..demand }.with_kernel_of(&before);
            if let Ok(after) = plan(&device, &model, &needs, &learned) {
                prop_assert_eq!(after.step().lanes_per_env, before.step().lanes_per_env);
                prop_assert_eq!(&after.step().placement, &before.step().placement);
                for (index, array) in model.arrays.iter().enumerate().filter(|(_, array)| !array.depends_on_capacity()) {
                    let offset = |plan: &LaunchPlan| plan.step().layout.arrays[index].offset_words;
                    prop_assert_eq!(offset(&after), offset(&before), "{} moved", array.name);
                }
            }
        }
    }
}
