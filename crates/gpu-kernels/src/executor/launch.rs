//! Kernels with their launches and workspaces: what a call puts into the stream.
use super::compiled_plan::Specialised;
use super::workspace_slots;
use crate::cuda::{Buffer, CudaError, Device, Kernel, LaunchShape, Module, StreamHandle};
use crate::ranges::Range;
use crate::view::{ArgumentBlock, slot_index};
use phalanx_launch_planner::{KernelPlan, LaunchPlan};
use std::sync::Arc;

/// A kernel with its launch and workspace.
pub(super) struct Launch {
    kernel: Kernel,
    shape: LaunchShape,
    slots: Vec<(usize, u64)>,
    /// The slots that do not depend on the plan.
    fixed_slots: Vec<(usize, u64)>,
    /// Shared memory that the kernel was allowed so far: never less again, since a captured launch may ask for it.
    allowed_shared: u32,
    block: ArgumentBlock,
    pub(super) workspace: Arc<Buffer>,
}

/// The launches of a step: the second is left out where nothing is ever retried.
pub(super) struct Launches {
    pub(super) step: Launch,
    pub(super) retry: Launch,
}

/// What all launches of a step share.
pub(super) struct Common {
    /// What the step and the retry kernel tell each other.
    pub(super) progress: Buffer,
    /// The marks and the ledger of the calls, as in `kernels/run.h`.
    pub(super) marks: Buffer,
}

impl Launches {
    /// Loads the kernels of a step into workspaces of their own.
    pub(super) fn load(
        device: &Device,
        own: &Specialised,
        plan: &LaunchPlan,
        workspaces: [Arc<Buffer>; 2],
        common: &Common,
    ) -> Result<Launches, CudaError> {
        let load = |cubin: &[u8]| kernel_of(&Module::load(device, cubin)?, "phalanx_step");
        let [step, retry] = workspaces;
        Ok(Launches {
            step: Launch::new(load(&own.step.cubin)?, plan.step(), step, common)?,
            retry: Launch::new(load(&own.retry.cubin)?, plan.retry(), retry, common)?,
        })
    }
}

impl Launch {
    pub(super) fn new(
        kernel: Kernel,
        plan: &KernelPlan,
        workspace: Arc<Buffer>,
        common: &Common,
    ) -> Result<Launch, CudaError> {
        let fixed_slots = vec![
            (slot_index("workspace"), workspace.pointer()),
            (slot_index("is_retry"), u64::from(plan.name == "retry")),
            (slot_index("progress"), common.progress.pointer()),
            (slot_index("marks"), common.marks.pointer()),
        ];
        let shape = LaunchShape { blocks: 0, threads_per_block: 0, dynamic_shared_bytes: 0 };
        let (slots, block) = (Vec::new(), ArgumentBlock::default());
        let mut launch = Launch { kernel, shape, slots, fixed_slots, allowed_shared: 0, block, workspace };
        launch.resize(plan)?;
        Ok(launch)
    }

    /// Sets more slots in every launch to come.
    pub(super) fn also_set(&mut self, more: impl IntoIterator<Item = (usize, u64)>) {
        let first = self.fixed_slots.len();
        self.fixed_slots.extend(more);
        self.slots.extend_from_slice(&self.fixed_slots[first..]);
    }

    /// Lets the launches to come follow `plan`, of the same kernel and in the same memory.
    pub(super) fn resize(&mut self, plan: &KernelPlan) -> Result<(), CudaError> {
        if plan.dynamic_shared_bytes > self.allowed_shared {
            self.kernel.set_max_dynamic_shared(plan.dynamic_shared_bytes)?;
            self.allowed_shared = plan.dynamic_shared_bytes;
        }
        self.shape = LaunchShape {
            blocks: plan.grid_blocks,
            threads_per_block: plan.threads_per_block,
            dynamic_shared_bytes: plan.dynamic_shared_bytes,
        };
        self.slots = workspace_slots(plan);
        self.slots.extend(&self.fixed_slots);
        Ok(())
    }

    /// Runs the kernel over what its plan says: the batch, or the retry list. `news` is null for all but a call's last launch,
    /// and comes with its period. A profiler sees it under `name`.
    pub(super) fn run(
        &mut self,
        name: &str,
        arguments: &ArgumentBlock,
        news: (u64, u64),
        stream: StreamHandle,
    ) -> Result<(), CudaError> {
        let _range = Range::begin(name);
        self.block.copy_from(arguments);
        self.block.apply(&self.slots);
        self.block.set("news", news.0);
        self.block.set("news_period", news.1);
        self.launch(stream)
    }

    /// Runs a kernel that counts environments itself over the first `environments`.
    pub(super) fn run_over(
        &mut self,
        environments: u64,
        arguments: &ArgumentBlock,
        stream: StreamHandle,
    ) -> Result<(), CudaError> {
        self.block.copy_from(arguments);
        self.block.apply(&self.slots);
        self.block.set("num_envs", environments);
        self.launch(stream)
    }

    fn launch(&self, stream: StreamHandle) -> Result<(), CudaError> {
        debug_assert_eq!(self.block.get("workspace"), self.workspace.pointer());
        // SAFETY: the block holds live pointers of this device; the caller keeps them until the stream has passed.
        unsafe { self.kernel.launch(self.shape, bytes_of(&self.block), stream) }
    }
}

/// A kernel of `kernels/entry_step.cu` or `kernels/entry_between_steps.cu`.
pub(super) fn kernel_of(module: &Module, name: &str) -> Result<Kernel, CudaError> {
    // SAFETY: each of them begins with `begin_after_earlier_kernels`.
    Ok(unsafe { module.kernel(name)?.overlapping() })
}

/// The block as bytes.
pub(super) fn bytes_of(arguments: &ArgumentBlock) -> &[u8] {
    bytemuck::cast_slice(arguments.as_slice())
}
