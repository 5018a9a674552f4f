//! Numbers of environments that no block, team or grid divides: each is planned, and every environment is stepped once.

mod models;

use models::{ant, half_cheetah, humanoid, preset};
use phalanx_launch_planner::{Demand, DeviceLimits, KernelNeeds, ModelDims, occupancy, plan};

fn is_prime(n: u64) -> bool {
    (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

/// Around 8192 every number, every prime up to a thousand, and primes between powers of two.
fn numbers() -> Vec<u64> {
    let small = (2..1000).filter(|n| is_prime(*n));
    let large = (10..24).flat_map(|k| {
        let after = |n: u64| (n..).find(|n| is_prime(*n)).unwrap();
        [after(1 << k), after(3 << (k - 1)), (1 << k) - 1, 1 << k, (1 << k) + 1]
    });
    (8160..=8210).chain(small).chain(large).chain([1]).collect()
}

#[test]
fn every_number_of_environments_has_a_plan_that_launches_and_steps_each_once() {
    for name in DeviceLimits::preset_names() {
        let device = preset(name);
        let preferred = ModelDims { preferred_lanes: Some(32), ..humanoid() };
        for (model, num_envs) in [humanoid(), preferred, ant(), half_cheetah()]
            .iter()
            .flat_map(|model| numbers().into_iter().map(move |n| (model, n)))
        {
            let context = format!("{num_envs} of {} on {name}", model.name);
            let plan = plan(&device, model, &KernelNeeds::estimate(), &Demand::envs(num_envs));
            let plan = plan.unwrap_or_else(|error| panic!("{context}: {error}"));
            for kernel in &plan.kernels {
                let shared = u64::from(kernel.static_shared_bytes) + u64::from(kernel.dynamic_shared_bytes);
                let fits = occupancy(&device, kernel.threads_per_block, kernel.registers_per_thread, shared);
                assert!(fits.blocks_per_sm >= kernel.blocks_per_sm && kernel.blocks_per_sm > 0, "{context}");
                assert!(kernel.threads_per_block <= device.max_threads_per_block, "{context}");
                assert!(shared <= u64::from(device.shared_memory_per_block_optin), "{context}");
                let most = u64::from(kernel.blocks_per_sm) * u64::from(device.multiprocessor_count);
                assert!(kernel.grid_blocks > 0 && u64::from(kernel.grid_blocks) <= most, "{context}");
            }
            assert!(plan.memory.total <= device.total_global_memory, "{context}");
            let (teams, waves) = (plan.step().resident_envs, plan.step().waves);
            assert!(
                teams * waves >= num_envs && teams * (waves - 1) < num_envs,
                "{context}: {teams} teams, {waves} waves"
            );
        }
    }
}
