//! The plan while the generic kernel stands in for a step kernel that is still compiling, and the one after it.
//!
//! Memory is taken once, by the first; the second keeps to it. The stand-in runs in the retry kernel's workspaces, which
//! hold everything that an environment can need, so it takes no memory of its own.
use super::ExecutorError;
use super::compiled_plan::{OwnAttributes, SecondPlan};
use phalanx_launch_planner::{KernelAttributes, KernelPlan, LaunchPlan, Limiter, PlanError};

/// The plan before the step kernel is compiled: what it takes is an estimate, its block what it is compiled for.
pub(super) fn before(second: &SecondPlan) -> Result<LaunchPlan, PlanError> {
    let estimate = |kernel: &KernelPlan| KernelAttributes {
        max_threads_per_block: kernel.threads_per_block,
        ..KernelAttributes::estimate()
    };
    let (step, retry) = (estimate(second.estimate.step()), estimate(second.estimate.retry()));
    second.with(OwnAttributes { step, retry })
}

/// Bytes to reserve for the step kernel's workspaces: as `before` has it, and for the largest block that can come of it.
pub(super) fn reserved_bytes(before: &LaunchPlan, second: &SecondPlan) -> u64 {
    before.memory.workspace.max(block_bytes(second.estimate.step()))
}

/// The plan `after`, of the compiled kernels or of another capacity, within the memory that was taken for `before`.
pub(super) fn within(after: LaunchPlan, before: &LaunchPlan, reserved: u64) -> Result<LaunchPlan, ExecutorError> {
    let mut plan = after;
    let num_envs = plan.num_envs;
    for (kernel, bytes) in plan.kernels.iter_mut().zip([reserved, before.memory.retry]) {
        let most =
            bytes.checked_div(block_bytes(kernel)).map_or(u32::MAX, |most| u32::try_from(most).unwrap_or(u32::MAX));
        if most == 0 {
            return Err(ExecutorError::NoRoomForCompiled { need: block_bytes(kernel), limit: bytes });
        }
        if kernel.grid_blocks > most {
            kernel.grid_blocks = most;
            kernel.resident_envs = u64::from(kernel.grid_blocks) * u64::from(kernel.envs_per_block);
            kernel.waves = num_envs.div_ceil(kernel.resident_envs);
            kernel.limiter = Limiter::Memory;
        }
    }
    let memory = &mut plan.memory;
    memory.keep_growth_of(&before.memory);
    let need = memory.total - memory.workspace - memory.retry + reserved + before.memory.retry;
    (memory.workspace, memory.retry, memory.total) = (reserved, before.memory.retry, need);
    match memory.limit {
        limit if need > limit => Err(ExecutorError::NoRoomForCompiled { need, limit }),
        _ => Ok(plan),
    }
}

/// Bytes of global workspace of one block.
fn block_bytes(kernel: &KernelPlan) -> u64 {
    4 * kernel.layout.global_words_per_env * u64::from(kernel.envs_per_block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::compiled_plan::Others;
    use crate::planning::model_dims;
    use crate::shape::Shape;
    use phalanx_launch_planner::{Demand, DeviceLimits, KernelNeeds, plan};
    use phalanx_model::Model;

    /// The first plan of `num_envs` ants on an H200, all arrays in global memory and room for 12 contacts, and a compiled retry
    /// kernel.
    fn second_plan(num_envs: u64) -> SecondPlan {
        let model = Model::from_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/ant.xml")).unwrap();
        let dims = model_dims(&Shape::of(&model).unwrap());
        let limits = DeviceLimits::preset("h200").unwrap();
        let pin_global = dims.arrays.iter().map(|array| array.name.clone()).collect();
        let demand = Demand { pin_global, fast_contacts: Some(12), ..Demand::envs(num_envs) };
        let estimate = plan(&limits, &dims, &KernelNeeds::estimate(), &demand).unwrap();
        let others = Others { local_bytes_per_thread: 1024, code_bytes: 500_000 };
        SecondPlan { limits, dims, demand, estimate, others }
    }

    /// A compiled kernel of so many registers.
    fn step_of(registers_per_thread: u32) -> KernelAttributes {
        KernelAttributes {
            registers_per_thread,
            local_bytes_per_thread: 0,
            static_shared_bytes: 0,
            max_threads_per_block: 1024,
            estimated: false,
            code_bytes: 100_000,
        }
    }

    /// The step kernel of the estimate, compiled to this.
    fn compiled(second: &SecondPlan, kernel: KernelAttributes) -> Result<LaunchPlan, PlanError> {
        let max_threads_per_block = second.estimate.step().threads_per_block;
        let retry =
            KernelAttributes { max_threads_per_block: second.estimate.retry().threads_per_block, ..step_of(128) };
        second.with(OwnAttributes { step: KernelAttributes { max_threads_per_block, ..kernel }, retry })
    }

    #[test]
    fn the_plan_before_the_step_kernel_is_compiled_is_marked_as_an_estimate() {
        let second = second_plan(8192);
        let before = before(&second).unwrap();
        assert!(before.estimated);
        assert_eq!(before.step().lanes_per_env, second.estimate.step().lanes_per_env);
        assert!(before.memory.hidden.local_memory > 0, "the retry kernel is compiled already");
    }

    #[test]
    fn the_plan_after_keeps_to_the_memory_that_was_taken() {
        let mut shrunk = 0;
        for num_envs in [1, 31, 8192, 1 << 20] {
            let second = second_plan(num_envs);
            let before = before(&second).unwrap();
            let reserved = reserved_bytes(&before, &second);
            // Fewer registers allow more resident environments than were planned for, more registers fewer.
            for registers in [32, 64, 128] {
                let compiled = compiled(&second, step_of(registers)).unwrap();
                let wanted = compiled.step().grid_blocks;
                let after = within(compiled, &before, reserved).unwrap();
                let step = after.step();
                assert!(step.grid_blocks > 0 && u64::from(step.grid_blocks) * block_bytes(step) <= reserved);
                assert_eq!(step.resident_envs, u64::from(step.grid_blocks * step.envs_per_block));
                assert_eq!(step.waves, num_envs.div_ceil(step.resident_envs));
                assert_eq!(step.registers_per_thread, registers);
                assert_eq!(after.retry(), before.retry());
                assert!(!after.estimated && after.memory.total <= after.memory.limit);
                shrunk += u32::from(step.grid_blocks < wanted);
            }
        }
        assert!(shrunk > 0, "no case asked for more than was taken");
    }

    #[cfg(all(feature = "cuda", target_os = "linux"))]
    #[test]
    fn a_capacity_whose_workspace_outgrows_the_memory_that_was_taken_is_refused() {
        let second = second_plan(1);
        let before = before(&second).unwrap();
        let own = OwnAttributes { step: step_of(128), retry: step_of(128) };
        let resized = |capacity| within(second.resized(own, capacity).unwrap(), &before, before.memory.workspace);
        assert!(resized(before.step().capacity).is_ok());
        let error = resized(before.retry().capacity).unwrap_err();
        assert!(matches!(error, ExecutorError::NoRoomForCompiled { need, limit } if need > limit), "{error}");
    }

    #[test]
    fn a_step_kernel_whose_local_memory_does_not_fit_is_refused() {
        let mut second = second_plan(8192);
        let before = before(&second).unwrap();
        let reserved = reserved_bytes(&before, &second);
        // The limit is what was planned; the kernel's stack takes more of every thread that the device can hold.
        second.demand.memory_limit = Some(before.memory.total);
        let hungry = KernelAttributes { local_bytes_per_thread: 1040, ..step_of(128) };
        let error = within(compiled(&second, hungry).unwrap(), &before, reserved).unwrap_err();
        assert!(matches!(error, ExecutorError::NoRoomForCompiled { need, limit } if need > limit), "{error}");
    }
}
