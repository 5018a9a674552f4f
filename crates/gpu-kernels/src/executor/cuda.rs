//! Runs the kernels on an NVIDIA GPU.
//!
//! Plans with estimates, compiles what the plan chose, plans again with what the compiler said, and takes all memory then:
//! a launch later can neither exceed the device nor allocate.
//!
//! Specialised kernels that were not compiled before are waited for; or, where the generic kernel is in the cache and the caller
//! does not want to wait, they are compiled on a thread and the generic one stands in, with the same bits. Then they are loaded
//! once, between two steps.
//!
//! The fast workspace is re-sized between calls, in the memory that was taken at the start: its capacity, offsets and grid are
//! arguments of a launch. Launches that are queued keep theirs, and a workspace holds nothing from one launch to the next.
use super::awaited::Awaited;
use super::checks::{Checks, RETRY, STEP, bytes_of_checks};
use super::compiled_plan::{Compiler, Others, OwnAttributes, SecondPlan, Specialised, first_plan};
use super::launch::{Common, Launch, Launches, bytes_of, kernel_of};
use super::news::{News, catch_up, needs};
use super::programs::{ForLater, Own, Programs, SPECIALISED};
use super::{
    CallTimes, Executor, ExecutorError, MARK_WORDS, Memory, PROGRESS_WORDS, Seen, StepKernels, is_mixed, stand_in,
};
use crate::compile::{Cache, Nvrtc};
use crate::cuda::{
    Buffer, CudaError, Device, DeviceAttributes, Kernel, LaunchShape, Module, Stream, StreamHandle, driver_version,
};
use crate::planning::batch_dims;
use crate::ranges::Range;
use crate::shape::Shape;
use crate::tuning::{TuningKey, TuningStore};
use crate::view::ArgumentBlock;
use phalanx_launch_planner::{Capacity, Demand, DeviceLimits, KernelPlan, LaunchPlan, Learning, Lesson, MemoryPart};
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
    /// Times every call, with two events each.
    pub time_calls: bool,
    /// Runs the checked build of the generic kernel, for the batch too: see `CpuOptions::checked`. Every call waits.
    pub checked: bool,
}

/// Bytes of the marks that the teams raise, which are moved as far to count anew.
const MARKS_BEFORE: u64 = 16;

/// Of so many calls without retries one is told to the host, where calls are not timed: it takes some microseconds.
const UNTIMED_NEWS_PERIOD: u64 = 32;

/// Threads of a block of the small kernels (reset, random controls).
const SMALL_BLOCK: u32 = 256;

/// What it takes to re-size the fast workspace.
struct Learner {
    learning: Learning,
    second: SecondPlan,
    own: OwnAttributes,
}

/// Runs the kernels on one GPU.
pub struct CudaExecutor {
    name: String,
    plan: LaunchPlan,
    compile_seconds: f64,
    step_kernels: StepKernels,
    generic_only: bool,
    checks: Option<Checks>,
    launches: Awaited<Specialised, Launches>,
    /// What the kernels in the making will need.
    coming: Option<Coming>,
    /// The generic kernel, in the retry kernel's workspaces: where it stands in, or did.
    stand_in: Option<Launch>,
    /// What is compiled for batches to come.
    for_later: Option<ForLater>,
    /// In the retry kernel's workspaces too.
    set_constants: Launch,
    reset: Kernel,
    random_controls: Kernel,
    common: Common,
    /// Where the host finds the marks.
    news: News,
    seen: Seen,
    /// What the news alone said, for lessons: `seen` may be ahead of the marks that came with them.
    told: Seen,
    /// `None` where nothing is to be learned, and until the step kernel is there.
    learner: Option<Learner>,
    clock_hz: f64,
    // Declared after everything that lives on them.
    own_stream: Option<Stream>,
    stream: StreamHandle,
    device: Device,
}

/// What kernels that are not compiled yet are to be launched with.
struct Coming {
    second: SecondPlan,
    workspace: Arc<Buffer>,
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
        demand.learns &= !options.checked; // what is checked are the lengths that were reserved at the start
        let mut dims = batch_dims(shape, &limits, demand.num_envs);
        if generic_only {
            dims.model_words_per_block = 0; // the generic kernel reads the model where it lies
            demand.generic_retry = true;
        }
        let nvrtc = Nvrtc::open_up_to(driver_version()?.major)?;
        let arch = nvrtc.architecture_for(device.attributes().architecture())?;
        let compiler = Arc::new(Compiler { nvrtc, cache: Cache::from_env(), arch });
        // A measured row decides where nothing else was asked for.
        if demand.row.is_none() && demand.lanes.is_none() && options.limits.is_none() && !generic_only {
            let key = TuningKey::of(&limits, driver_version()?, shape, demand.num_envs);
            demand.row = TuningStore::beside(&compiler.cache).find(&key).map(|tuned| tuned.row);
        }

        let mut estimate = first_plan(&limits, &dims, &demand)?;
        if generic_only && is_mixed(estimate.step()) {
            // A generic kernel's arrays are all in one memory.
            demand.pin_global = dims.arrays.iter().map(|a| a.name.clone()).collect();
            estimate = first_plan(&limits, &dims, &demand)?;
        }
        // Whether the batch fits is known once its kernels are compiled.
        let is_tight = estimate.num_envs < demand.num_envs;
        let generic = estimate.stand_in(&dims);
        let second_plan = |programs: &Programs| {
            let others =
                Others::of(&std::iter::once(&programs.between_steps).chain(&programs.stand_in).collect::<Vec<_>>());
            SecondPlan {
                limits: limits.clone(),
                dims: dims.clone(),
                demand: demand.clone(),
                estimate: estimate.clone(),
                others,
            }
        };
        let may_start_early = !options.wait_for_specialised && !is_tight;
        let mut programs = match generic_only {
            true => Programs::generic(&compiler, estimate.step(), &generic, options.checked)?,
            false => Programs::specialised(&compiler, &estimate, shape, &generic, may_start_early)?,
        };
        let mut second = second_plan(&programs);
        if programs.stand_in.is_some() && stand_in::before(&second).is_err() {
            // The stand-in takes memory that the batch needs.
            drop(programs);
            programs = Programs::specialised(&compiler, &estimate, shape, &generic, false)?;
            second = second_plan(&programs);
        }
        let Programs { between_steps, stand_in, own, for_later } = programs;
        let plan = match &own {
            Own::Compiled(own) => second.compiled(own)?,
            Own::Making(_) => stand_in::before(&second)?,
        };

        let own_stream = if options.stream.is_none() { Some(Stream::new(&device)?) } else { None };
        let stream =
            options.stream.map_or_else(|| own_stream.as_ref().map_or(StreamHandle(0), Stream::handle), StreamHandle);
        let between_steps = Module::load(&device, &between_steps.cubin)?;
        let progress = Buffer::allocate(&device, 4 * PROGRESS_WORDS, "the progress of a step")?;
        let reserve = |plan: &KernelPlan, bytes: u64| -> Result<Arc<Buffer>, CudaError> {
            let workspace = Buffer::allocate(&device, bytes.max(4), format!("workspaces of the {} kernel", plan.name))?;
            workspace.zero(stream)?;
            Ok(Arc::new(workspace))
        };
        progress.zero(stream)?;
        let marks = Buffer::allocate(&device, 4 * MARK_WORDS as u64, "the marks of the calls")?;
        marks.zero(stream)?;
        let news = News::new(&device, options.time_calls)?;
        let common = Common { progress, marks };
        let checks = options.checked.then(|| {
            Checks::new(shape, &plan, |bytes, what| {
                let buffer = Buffer::allocate(&device, bytes as u64, what)?;
                buffer.zero(stream)?;
                Ok(Memory::Device(buffer, stream))
            })
        });
        let checks = checks.transpose()?;
        let retry_workspace = reserve(plan.retry(), plan.memory.retry)?;
        let generic = plan.stand_in(&second.dims);
        let in_retry_workspaces = |kernel: Kernel| {
            let mut launch = Launch::new(kernel, &generic, retry_workspace.clone(), &common)?;
            launch.also_set(checks.iter().flat_map(|checks| checks.slots(RETRY)));
            Ok::<_, CudaError>(launch)
        };
        let set_constants = in_retry_workspaces(kernel_of(&between_steps, "phalanx_set_constants")?)?;
        let stand_in = stand_in
            .map(|cubin| in_retry_workspaces(kernel_of(&Module::load(&device, &cubin.cubin)?, "phalanx_step")?));
        let stand_in = stand_in.transpose()?;
        let mut learner = None;
        let (launches, coming) = match own {
            Own::Compiled(own) => {
                let workspace = reserve(plan.step(), plan.memory.workspace)?;
                let workspaces = [workspace, retry_workspace.clone()];
                let mut launches = Launches::load(&device, &own, &plan, workspaces, &common)?;
                if let Some(checks) = &checks {
                    launches.step.also_set(checks.slots(STEP));
                    launches.retry.also_set(checks.slots(RETRY));
                }
                learner = Learner::new(&plan, second, &own);
                (Awaited::ready(SPECIALISED, launches), None)
            }
            Own::Making(making) => {
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
            launches,
            coming,
            stand_in,
            for_later,
            set_constants,
            reset: kernel_of(&between_steps, "phalanx_reset")?,
            random_controls: kernel_of(&between_steps, "phalanx_random_controls")?,
            common,
            news,
            seen: Seen::default(),
            told: Seen::default(),
            learner,
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

    /// Takes over the specialised kernels if they were compiled meanwhile. Loading them is the one thing that a step may do
    /// beside launching, once; not while the stream is captured into a graph, which allows nothing but launches.
    fn take_over(&mut self) -> Result<(), CudaError> {
        if !self.launches.is_making() || self.stream.is_capturing(&self.device)? {
            return Ok(());
        }
        let started = Instant::now();
        let CudaExecutor { launches, coming, plan, common, learner, device, set_constants, .. } = self;
        let ready = launches.poll(|own| {
            let _range = Range::begin("take over compiled kernels");
            let Some(Coming { second, workspace }) = coming.take() else { unreachable!("they are taken over once") };
            let after = stand_in::within(second.after(plan, &own)?, plan, workspace.bytes())?;
            let launches = Launches::load(device, &own, &after, [workspace, set_constants.workspace.clone()], common)?;
            *plan = after;
            *learner = Learner::new(plan, second, &own);
            Ok(launches)
        });
        if ready.is_some() {
            self.compile_seconds += started.elapsed().as_secs_f64();
            tracing::info!("{SPECIALISED} take over after {} calls", self.step_kernels.generic_calls);
        }
        if !self.launches.is_making() {
            self.coming = None; // also if the stand-in goes on for good
        }
        Ok(())
    }

    /// Re-sizes the fast workspace if earlier calls ask for it. Plans on the host and launches nothing but a copy and a fill of
    /// some bytes (and may raise the kernel's limit of shared memory); not while the stream is captured: a graph replays its
    /// launches as they were.
    fn learn(&mut self) -> Result<(), CudaError> {
        let launched = self.step_kernels.calls();
        let CudaExecutor { launches, plan, news, seen, told, learner, common, stream, device, .. } = self;
        let (Some(Learner { learning, second, own }), Some(Launches { step, .. })) = (learner, launches.get()) else {
            return Ok(());
        };
        if stream.is_capturing(device)? {
            return Ok(());
        }
        let words = news.latest();
        catch_up(seen, &words);
        catch_up(told, &words);
        let replan = |capacity: Capacity| {
            let _range = Range::counting("plan a re-size", u64::from(capacity.contacts));
            let after = second.resized(*own, capacity).map_err(ExecutorError::from);
            let after = after.and_then(|after| stand_in::within(after, plan, step.workspace.bytes()));
            after.inspect_err(|why| tracing::debug!("no workspace of {} contacts: {why}", capacity.contacts)).ok()
        };
        let lesson = learning.learn(&told.observed(needs(&words).0), launched, plan, replan);
        if lesson == Lesson::TooEarly {
            return Ok(());
        }
        if let Lesson::Resize(after) = lesson {
            step.resize(after.step())?;
            tracing::info!("after {launched} calls the workspace is re-sized: {}", after.resized(plan));
            *plan = *after;
            seen.resizes += 1;
        }
        // From here on the marks are raised anew; what they were is published with the next call.
        let marks = &common.marks;
        marks.copy_from_device(MARKS_BEFORE, marks, 0, MARKS_BEFORE, *stream)?;
        marks.fill_words(0, MARKS_BEFORE / 4, 0, *stream)
    }

    /// Waits for what the checked build found, and refuses the batch if that is something; the usual build neither waits nor
    /// finds.
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

impl Learner {
    /// For the compiled kernels, where the demand says so.
    fn new(plan: &LaunchPlan, second: SecondPlan, own: &Specialised) -> Option<Learner> {
        let own = second.attributes(own);
        let learning = Learning::new(plan.step().capacity);
        (second.demand.learns && !plan.never_retries()).then_some(Learner { learning, second, own })
    }
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
    fn grow(&mut self, part: MemoryPart, bytes: u64) {
        self.plan.memory.grow(part, bytes);
    }
    fn allocate(&self, bytes: usize, what: &str) -> Result<Memory, ExecutorError> {
        let buffer = Buffer::allocate(&self.device, bytes.max(4) as u64, what)?;
        buffer.zero(self.stream)?;
        Ok(Memory::Device(buffer, self.stream))
    }
    fn step(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError> {
        self.take_over()?;
        self.for_later.iter_mut().for_each(ForLater::poll);
        self.learn()?;
        let is_timed = self.news.is_timed() && !self.stream.is_capturing(&self.device)?;
        let place = if is_timed { self.news.begin(self.stream)? } else { 0 };
        let news = (self.news.address(place), if place > 0 { 1 } else { UNTIMED_NEWS_PERIOD });
        let by_generic = match self.launches.get() {
            Some(launches) if self.plan.never_retries() => {
                launches.step.run("step kernel", arguments, news, self.stream)?;
                self.generic_only
            }
            Some(launches) => {
                launches.step.run("step kernel", arguments, (0, 1), self.stream)?;
                launches.retry.run("retry kernel", arguments, news, self.stream)?;
                self.generic_only
            }
            None => {
                let Some(stand_in) = &mut self.stand_in else { unreachable!("own kernels or the stand-in") };
                stand_in.run("stand-in kernel", arguments, news, self.stream)?;
                // Its workspaces hold whatever is needed: no retry kernel follows that would clear what this one leaves.
                self.common.progress.zero(self.stream)?;
                true
            }
        };
        self.news.end(place, self.stream)?;
        match by_generic {
            true => self.step_kernels.generic_calls += 1,
            false => self.step_kernels.specialised_calls += 1,
        }
        self.judge()
    }
    fn seen(&mut self, _: &ArgumentBlock) -> Result<Seen, ExecutorError> {
        let mut words = [0u32; MARK_WORDS];
        self.common.marks.copy_to_host(0, bytemuck::cast_slice_mut(&mut words), self.stream)?;
        catch_up(&mut self.seen, &words);
        Ok(self.seen)
    }
    fn take_call_times(&mut self) -> Result<CallTimes, ExecutorError> {
        self.synchronize()?;
        Ok(self.news.take_times()?)
    }
    fn reset(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError> {
        let _range = Range::begin("reset kernel");
        self.launch_small(&self.reset, arguments, arguments.get("num_envs"))
    }
    fn set_constants(&mut self, arguments: &ArgumentBlock, environments: u64) -> Result<(), ExecutorError> {
        let _range = Range::begin("set_constants kernel");
        self.set_constants.run_over(environments, arguments, self.stream)?;
        self.judge()
    }
    fn random_controls(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError> {
        let _range = Range::begin("random_controls kernel");
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
