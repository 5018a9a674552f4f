//! Runs the kernels on an NVIDIA GPU.
//!
//! Plans with estimates, compiles what the plan chose, plans again with what the compiler said, and takes all memory then:
//! a launch later can neither exceed the device nor allocate.
//!
//! A specialised kernel that was not compiled before is compiled on a thread, unless the caller wants to wait for it; until
//! it is there the generic kernel stands in, with the same bits. It is loaded once, between two steps.
use super::awaited::Awaited;
use super::checks::{Checks, bytes_of_checks};
use super::compiled_plan::{Compiler, SecondPlan, compiled_attributes};
use super::cuda_kernels::kernel_request;
use super::{Executor, ExecutorError, Memory, StepKernels, is_mixed, stand_in, workspace_slots};
use crate::compile::{Cache, CachedCubin, Nvrtc};
use crate::cuda::{
    Buffer, CudaError, Device, DeviceAttributes, Kernel, LaunchShape, Module, Stream, StreamHandle, driver_version,
};
use crate::planning::batch_dims;
use crate::shape::Shape;
use crate::tuning::{TuningKey, TuningStore};
use crate::view::{ArgumentBlock, slot_index};
use phalanx_launch_planner::{Demand, DeviceLimits, KernelNeeds, KernelPlan, LaunchPlan, plan};
use std::sync::Arc;
use std::time::Instant;

/// How a GPU is used.
#[derive(Clone, Debug, Default)]
pub struct CudaOptions {
    /// The device's number.
    pub ordinal: usize,
    /// The caller's stream; one of our own if `None`.
    pub stream: Option<u64>,
    /// Limits of a smaller device to rehearse.
    pub limits: Option<DeviceLimits>,
    /// Runs the generic kernel for the batch too.
    pub generic_only: bool,
    /// Waits for the specialised kernel instead of starting with the generic one.
    pub wait_for_specialised: bool,
    /// Model fields with one value per environment.
    pub per_env: Vec<&'static str>,
    /// Runs the checked build of the generic kernel, for the batch too: see `CpuOptions::checked`. Every call waits.
    pub checked: bool,
}

/// Words of the progress buffer: retries, then the work taken by the step and by the retry kernel.
const PROGRESS_WORDS: u64 = 3;

/// Threads of a block of the small kernels (reset, random controls).
const SMALL_BLOCK: u32 = 256;

/// The plan's kernels.
const STEP: usize = 0;
const RETRY: usize = 1;

/// What the compiler's thread is to make.
const SPECIALISED: &str = "the kernel that is specialised for the model";

/// A kernel with its launch and workspace.
struct Launch {
    kernel: Kernel,
    shape: LaunchShape,
    slots: Vec<(usize, u64)>,
    block: ArgumentBlock,
    workspace: Buffer,
}

/// Runs the kernels on one GPU.
pub struct CudaExecutor {
    name: String,
    plan: LaunchPlan,
    compile_seconds: f64,
    step_kernels: StepKernels,
    generic_only: bool,
    checks: Option<Checks>,
    step: Awaited<CachedCubin, Launch>,
    /// What the step kernel in the making will need.
    coming: Option<Coming>,
    retry: Launch,
    set_constants: Kernel,
    reset: Kernel,
    random_controls: Kernel,
    /// Length of the retry list, and how far each kernel's warps have come: cleared before every step.
    progress: Buffer,
    clock_hz: f64,
    // Declared after everything that lives on them.
    own_stream: Option<Stream>,
    stream: StreamHandle,
    device: Device,
}

/// The step kernel when the executor is made.
enum StepKernel {
    Compiled(CachedCubin),
    Making(Awaited<CachedCubin, Launch>),
}

/// What a step kernel that is not compiled yet is to be launched with.
struct Coming {
    second: SecondPlan,
    workspace: Buffer,
}

/// The planner's limits of a device that answered.
pub fn device_limits(attributes: &DeviceAttributes) -> DeviceLimits {
    DeviceLimits {
        name: attributes.name.clone(),
        compute_capability: attributes.compute_capability,
        multiprocessor_count: attributes.multiprocessor_count,
        warp_size: attributes.warp_size,
        max_threads_per_block: attributes.max_threads_per_block,
        max_threads_per_multiprocessor: attributes.max_threads_per_multiprocessor,
        max_blocks_per_multiprocessor: attributes.max_blocks_per_multiprocessor,
        shared_memory_per_block: attributes.shared_memory_per_block,
        shared_memory_per_block_optin: attributes.shared_memory_per_block_optin,
        shared_memory_per_multiprocessor: attributes.shared_memory_per_multiprocessor,
        reserved_shared_memory_per_block: attributes.reserved_shared_memory_per_block,
        // CUDA's occupancy calculator; there is no attribute for these three.
        shared_memory_allocation_unit: if attributes.compute_capability.0 < 8 { 256 } else { 128 },
        register_allocation_unit: 256,
        max_registers_per_thread: 255,
        registers_per_block: attributes.registers_per_block,
        registers_per_multiprocessor: attributes.registers_per_multiprocessor,
        max_grid_dim_x: attributes.max_grid_dim_x,
        total_global_memory: attributes.total_global_memory,
        // Measured on an H200 (driver 580): the context takes about this before anything is allocated.
        context_bytes: 600 << 20,
        l2_cache_bytes: attributes.l2_cache_bytes,
    }
}

impl CudaExecutor {
    /// Compiles and loads the kernels and takes their workspaces.
    ///
    /// # Errors
    /// If the device or NVRTC does not answer, or the batch does not fit.
    pub fn new(shape: &Shape, demand: &Demand, options: &CudaOptions) -> Result<CudaExecutor, ExecutorError> {
        let started = Instant::now();
        let generic_only = options.generic_only || options.checked;
        let device = Device::open(options.ordinal)?;
        let limits = match &options.limits {
            Some(lower) => {
                device_limits(device.attributes()).lowered_by(lower).map_err(phalanx_launch_planner::PlanError::from)?
            }
            None => device_limits(device.attributes()),
        };
        let mut demand = demand.clone();
        let free = device.memory()?.free + limits.context_bytes;
        let for_checks = if options.checked { bytes_of_checks(demand.num_envs) } else { 0 };
        let limit = demand.memory_limit.map_or(free, |limit| limit.min(free));
        demand.memory_limit = Some(limit.saturating_sub(for_checks));
        let dims = batch_dims(shape, &options.per_env, demand.num_envs);
        let nvrtc = Nvrtc::open_up_to(driver_version()?.major)?;
        let arch = nvrtc.architecture_for(device.attributes().architecture())?;
        let compiler = Arc::new(Compiler { nvrtc, cache: Cache::from_env(), arch });
        // A measured row decides where nothing else was asked for.
        if demand.row.is_none() && demand.lanes.is_none() && options.limits.is_none() && !generic_only {
            let key = TuningKey::of(&limits, driver_version()?, shape, &options.per_env, demand.num_envs);
            demand.row = TuningStore::beside(&compiler.cache).find(&key).map(|tuned| tuned.row);
        }

        let mut estimate = plan(&limits, &dims, &KernelNeeds::estimate(), &demand)?;
        if generic_only && is_mixed(estimate.step()) {
            // A generic kernel's arrays are all in one memory.
            demand.pin_global = dims.arrays.iter().map(|a| a.name.clone()).collect();
            estimate = plan(&limits, &dims, &KernelNeeds::estimate(), &demand)?;
        }
        let specialised = (!generic_only).then_some(shape);
        let mut step_request = kernel_request(estimate.step(), specialised);
        let mut retry_request = kernel_request(estimate.retry(), None);
        if options.checked {
            (step_request, retry_request) = (step_request.checked(), retry_request.checked());
        }
        let (step, retry) = match compiler.cached(&step_request) {
            Some(step) => (StepKernel::Compiled(step), compiler.compile(&retry_request)?),
            None if generic_only || options.wait_for_specialised => {
                let (step, retry) = compiler.compile_both(&step_request, &retry_request);
                (StepKernel::Compiled(step?), retry?)
            }
            None => {
                let beside = Arc::clone(&compiler);
                let making = Awaited::start(SPECIALISED, move || Ok(beside.compile(&step_request)?));
                (StepKernel::Making(making), compiler.compile(&retry_request)?)
            }
        };
        let retry_attributes = compiled_attributes(&retry, estimate.retry());
        let second = SecondPlan { limits, dims, demand, estimate, retry: retry_attributes };
        let plan = match &step {
            StepKernel::Compiled(step) => second.compiled(step)?,
            StepKernel::Making(_) => stand_in::before(&second)?,
        };

        let own_stream = if options.stream.is_none() { Some(Stream::new(&device)?) } else { None };
        let stream =
            options.stream.map_or_else(|| own_stream.as_ref().map_or(StreamHandle(0), Stream::handle), StreamHandle);
        let generic = Module::load(&device, &retry.cubin)?;
        let progress = Buffer::allocate(&device, 4 * PROGRESS_WORDS, "the progress of a step")?;
        let reserve = |plan: &KernelPlan, bytes: u64| -> Result<Buffer, CudaError> {
            let workspace = Buffer::allocate(&device, bytes.max(4), format!("workspaces of the {} kernel", plan.name))?;
            workspace.zero(stream)?;
            Ok(workspace)
        };
        let checks = options.checked.then(|| {
            Checks::new(shape, &plan, |bytes, what| {
                let buffer = Buffer::allocate(&device, bytes as u64, what)?;
                buffer.zero(stream)?;
                Ok(Memory::Device(buffer, stream))
            })
        });
        let checks = checks.transpose()?;
        let retry_workspace = reserve(plan.retry(), plan.memory.retry)?;
        let mut retry = Launch::new(generic.kernel("phalanx_step")?, plan.retry(), retry_workspace, &progress)?;
        retry.slots.extend(checks.iter().flat_map(|checks| checks.slots(RETRY)));
        let (step, coming) = match step {
            StepKernel::Compiled(step) => {
                let kernel = Module::load(&device, &step.cubin)?.kernel("phalanx_step")?;
                let workspace = reserve(plan.step(), plan.memory.workspace)?;
                let mut launch = Launch::new(kernel, plan.step(), workspace, &progress)?;
                launch.slots.extend(checks.iter().flat_map(|checks| checks.slots(STEP)));
                (Awaited::ready(SPECIALISED, launch), None)
            }
            StepKernel::Making(making) => {
                let workspace = reserve(plan.step(), stand_in::reserved_bytes(&plan, &second))?;
                (making, Some(Coming { second, workspace }))
            }
        };
        let name = format!("{} (cuda:{}, {arch})", device.name(), options.ordinal);
        stream.synchronize(&device)?;
        Ok(CudaExecutor {
            name,
            plan,
            compile_seconds: started.elapsed().as_secs_f64(),
            step_kernels: StepKernels::default(),
            generic_only,
            checks,
            step,
            coming,
            retry,
            set_constants: generic.kernel("phalanx_set_constants")?,
            reset: generic.kernel("phalanx_reset")?,
            random_controls: generic.kernel("phalanx_random_controls")?,
            progress,
            clock_hz: f64::from(device.attributes().clock_rate_khz) * 1e3,
            own_stream,
            stream,
            device,
        })
    }

    /// The stream that everything runs in, as a raw handle.
    pub fn stream(&self) -> u64 {
        self.own_stream.as_ref().map_or(self.stream, Stream::handle).0
    }

    /// Takes over the step kernel if it was compiled meanwhile. Loading it is the one thing that a step may do beside
    /// launching, once; not while the stream is captured into a graph, which allows nothing but launches.
    fn take_over(&mut self) -> Result<(), CudaError> {
        if !self.step.is_making() || self.stream.is_capturing(&self.device)? {
            return Ok(());
        }
        let started = Instant::now();
        let CudaExecutor { step, coming, plan, progress, device, .. } = self;
        let ready = step.poll(|cubin| {
            let Some(Coming { second, workspace }) = coming.take() else { unreachable!("it is taken over once") };
            let after = stand_in::within(second.compiled(&cubin)?, plan, workspace.bytes())?;
            let kernel = Module::load(device, &cubin.cubin)?.kernel("phalanx_step")?;
            let launch = Launch::new(kernel, after.step(), workspace, progress)?;
            *plan = after;
            Ok(launch)
        });
        if ready.is_some() {
            self.compile_seconds += started.elapsed().as_secs_f64();
            tracing::info!("{SPECIALISED} takes over after {} calls", self.step_kernels.generic_calls);
        }
        if !self.step.is_making() {
            self.coming = None; // also if the stand-in goes on for good
        }
        Ok(())
    }

    /// Waits for what the checked build found, and refuses the batch if that is something; the usual build neither waits nor finds.
    fn judge(&self) -> Result<(), ExecutorError> {
        self.checks.as_ref().map_or(Ok(()), Checks::judge)
    }

    /// Launches a kernel of one thread per item.
    fn launch_small(&self, kernel: &Kernel, arguments: &ArgumentBlock, items: u64) -> Result<(), ExecutorError> {
        let enough = u64::from(self.plan.device.multiprocessor_count) * 8;
        let blocks = items.div_ceil(u64::from(SMALL_BLOCK)).clamp(1, enough) as u32;
        let shape = LaunchShape { blocks, threads_per_block: SMALL_BLOCK, dynamic_shared_bytes: 0 };
        // SAFETY: the block holds live pointers of this device; the caller keeps them until the stream has passed.
        unsafe { kernel.launch(shape, bytes_of(arguments), self.stream)? };
        Ok(())
    }
}

impl Launch {
    fn new(kernel: Kernel, plan: &KernelPlan, workspace: Buffer, progress: &Buffer) -> Result<Launch, CudaError> {
        if plan.dynamic_shared_bytes > 0 {
            kernel.set_max_dynamic_shared(plan.dynamic_shared_bytes)?;
        }
        let shape = LaunchShape {
            blocks: plan.grid_blocks,
            threads_per_block: plan.threads_per_block,
            dynamic_shared_bytes: plan.dynamic_shared_bytes,
        };
        let is_retry = u64::from(plan.name == "retry");
        let mut slots = workspace_slots(plan);
        slots.push((slot_index("workspace"), workspace.pointer()));
        slots.push((slot_index("is_retry"), is_retry));
        slots.push((slot_index("retry_count"), progress.pointer()));
        slots.push((slot_index("work_count"), progress.pointer() + 4 * (1 + is_retry)));
        Ok(Launch { kernel, shape, slots, block: ArgumentBlock::default(), workspace })
    }

    /// Runs the kernel over what its plan says: the batch, or the retry list.
    fn run(&mut self, arguments: &ArgumentBlock, stream: StreamHandle) -> Result<(), CudaError> {
        self.block.copy_from(arguments);
        self.block.apply(&self.slots);
        self.launch(stream)
    }

    /// Runs the retry kernel over the batch: its workspaces hold whatever an environment needs, so nothing is retried.
    fn stand_in(&mut self, arguments: &ArgumentBlock, stream: StreamHandle) -> Result<(), CudaError> {
        self.block.copy_from(arguments);
        self.block.apply(&self.slots);
        self.block.set("is_retry", 0);
        self.launch(stream)
    }

    fn launch(&self, stream: StreamHandle) -> Result<(), CudaError> {
        debug_assert_eq!(self.block.get("workspace"), self.workspace.pointer());
        // SAFETY: the block holds live pointers of this device; the caller keeps them until the stream has passed.
        unsafe { self.kernel.launch(self.shape, bytes_of(&self.block), stream) }
    }
}

/// The block as bytes.
fn bytes_of(arguments: &ArgumentBlock) -> &[u8] {
    bytemuck::cast_slice(arguments.as_slice())
}

impl Executor for CudaExecutor {
    fn device_name(&self) -> &str {
        &self.name
    }
    fn plan(&self) -> &LaunchPlan {
        &self.plan
    }
    fn step_kernels(&self) -> StepKernels {
        self.step_kernels
    }
    fn compile_seconds(&self) -> f64 {
        self.compile_seconds
    }
    fn real_bytes(&self) -> usize {
        4
    }
    fn allocate(&self, bytes: usize, what: &str) -> Result<Memory, ExecutorError> {
        let buffer = Buffer::allocate(&self.device, bytes.max(4) as u64, what)?;
        buffer.zero(self.stream)?;
        Ok(Memory::Device(buffer, self.stream))
    }
    fn step(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError> {
        self.take_over()?;
        self.progress.fill_words(0, PROGRESS_WORDS, 0, self.stream)?;
        let Some(step) = self.step.get() else {
            self.step_kernels.generic_calls += 1;
            return Ok(self.retry.stand_in(arguments, self.stream)?);
        };
        step.run(arguments, self.stream)?;
        self.retry.run(arguments, self.stream)?;
        match self.generic_only {
            true => self.step_kernels.generic_calls += 1,
            false => self.step_kernels.specialised_calls += 1,
        }
        self.judge()
    }
    fn reset(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError> {
        self.launch_small(&self.reset, arguments, arguments.get("num_envs"))
    }
    fn set_constants(&mut self, arguments: &ArgumentBlock, environments: u64) -> Result<(), ExecutorError> {
        let mut block = arguments.clone();
        block.apply(&self.retry.slots);
        block.set("num_envs", environments);
        // SAFETY: the block holds live pointers of this device; the caller keeps them until the stream has passed.
        unsafe { self.set_constants.launch(self.retry.shape, bytes_of(&block), self.stream)? };
        self.judge()
    }
    fn random_controls(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError> {
        let items = arguments.get("num_envs") * arguments.get("nu").max(1);
        let Some(checks) = &self.checks else { return self.launch_small(&self.random_controls, arguments, items) };
        let mut block = arguments.clone();
        block.apply(&checks.slots(RETRY));
        self.launch_small(&self.random_controls, &block, items)?;
        self.judge()
    }
    fn synchronize(&mut self) -> Result<(), ExecutorError> {
        Ok(self.stream.synchronize(&self.device)?)
    }
    fn stage_ticks_per_second(&self) -> f64 {
        self.clock_hz
    }
}
