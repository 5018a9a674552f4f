//! Runs the kernels on CPU cores: the host-compiled build for this processor, rayon over the environments.
use super::checks::{Checks, RETRY, SPARE_WORDS, STEP, bytes_of_checks};
use super::cpu_memory::HostMemory;
use super::cpu_plan::{cpu_limits, cpu_plan, rehearsed};
use super::{CallTimes, Executor, ExecutorError, Memory, Needs, Seen, StepKernels, workspace_slots};
use crate::planning::model_dims;
use crate::ranges::Range;
use crate::shape::Shape;
use crate::view::ArgumentBlock;
use phalanx_launch_planner::{
    Capacity, Demand, DeviceLimits, KernelPlan, LaunchPlan, Learning, Lesson, MemoryPart, ModelDims, Placement,
    WorkArray, layout,
};
use rayon::prelude::*;
use std::ffi::c_void;
use std::time::Instant;

/// The numbers' precision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// float: what the GPU computes, bit for bit.
    #[default]
    F32,
    /// double: the reference, on the CPU only.
    F64,
}

/// How the CPU is used.
#[derive(Clone, Debug, Default)]
pub struct CpuOptions {
    /// float or double.
    pub precision: Precision,
    /// Threads; all cores if `None`.
    pub threads: Option<usize>,
    /// Limits of a device to rehearse: of these its memory counts here, nothing else.
    pub limits: Option<DeviceLimits>,
    /// Runs the checked build of the kernels: slower, and it names the first index out of bounds and the first number that is
    /// not finite.
    pub checked: bool,
}

type StepFunction = unsafe extern "C" fn(*const c_void, *mut c_void, i64, i64);
type RangeFunction = unsafe extern "C" fn(*const c_void, i64, i64);

/// The entry points of one build of the kernels.
#[derive(Clone, Copy)]
struct Build {
    name: &'static str,
    step: StepFunction,
    set_constants: StepFunction,
    reset: RangeFunction,
    random_controls: RangeFunction,
}

macro_rules! builds {
    ($($constant:ident $name:literal $step:ident $constants:ident $reset:ident $random:ident;)*) => {
        unsafe extern "C" {
            $(
                fn $step(arguments: *const c_void, workspace: *mut c_void, begin: i64, end: i64);
                fn $constants(arguments: *const c_void, workspace: *mut c_void, begin: i64, end: i64);
                fn $reset(arguments: *const c_void, begin: i64, end: i64);
                fn $random(arguments: *const c_void, begin: i64, end: i64);
            )*
        }
        $(const $constant: Build = Build { name: $name, step: $step, set_constants: $constants, reset: $reset, random_controls: $random };)*
    };
}

builds! {
    F32_BASE "float" phalanx_step_f32_base phalanx_set_constants_f32_base phalanx_reset_f32_base phalanx_random_controls_f32_base;
    F64_BASE "double" phalanx_step_f64_base phalanx_set_constants_f64_base phalanx_reset_f64_base phalanx_random_controls_f64_base;
    F32_CHECKED "float, checked" phalanx_step_f32_checked phalanx_set_constants_f32_checked phalanx_reset_f32_checked phalanx_random_controls_f32_checked;
    F64_CHECKED "double, checked" phalanx_step_f64_checked phalanx_set_constants_f64_checked phalanx_reset_f64_checked phalanx_random_controls_f64_checked;
}
#[cfg(target_arch = "x86_64")]
builds! {
    F32_V3 "float, x86-64-v3" phalanx_step_f32_v3 phalanx_set_constants_f32_v3 phalanx_reset_f32_v3 phalanx_random_controls_f32_v3;
    F64_V3 "double, x86-64-v3" phalanx_step_f64_v3 phalanx_set_constants_f64_v3 phalanx_reset_f64_v3 phalanx_random_controls_f64_v3;
}

/// The fastest build that this processor runs. `PHALANX_CPU=base` asks for the plain one, to compare their bits.
fn choose_build(precision: Precision) -> Build {
    #[cfg(target_arch = "x86_64")]
    {
        let plain = std::env::var_os("PHALANX_CPU").is_some_and(|v| v == "base");
        let has_v3 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("movbe")
            && is_x86_feature_detected!("f16c");
        if has_v3 && !plain {
            return if precision == Precision::F64 { F64_V3 } else { F32_V3 };
        }
    }
    if precision == Precision::F64 { F64_BASE } else { F32_BASE }
}

/// Threads that this machine runs at a time.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs the kernels on CPU cores.
pub struct CpuExecutor {
    build: Build,
    /// What looks into single passes: as `build`, never checked.
    plain: Build,
    checks: Option<Checks>,
    real_bytes: usize,
    name: String,
    plan: LaunchPlan,
    pool: rayon::ThreadPool,
    /// One workspace of the proven maximum a thread: the fast layout fits in it too.
    workspaces: Vec<HostMemory>,
    /// The argument block of a launch, kept so that a step allocates nothing.
    block: ArgumentBlock,
    fast_slots: Vec<(usize, u64)>,
    retry_slots: Vec<(usize, u64)>,
    seen: Seen,
    times: CallTimes,
    /// `None` where nothing is to be learned.
    learner: Option<Learner>,
}

/// What it takes to re-size the fast workspace.
struct Learner {
    learning: Learning,
    dims: ModelDims,
    demand: Demand,
    host: DeviceLimits,
}

impl CpuExecutor {
    /// Makes workspaces for every thread.
    ///
    /// # Errors
    /// If the threads or their memory cannot be had.
    pub fn new(shape: &Shape, demand: &Demand, options: &CpuOptions) -> Result<CpuExecutor, ExecutorError> {
        let threads = options.threads.unwrap_or_else(available_threads).max(1);
        let plain = choose_build(options.precision);
        let build = match (options.checked, options.precision) {
            (false, _) => plain,
            (true, Precision::F32) => F32_CHECKED,
            (true, Precision::F64) => F64_CHECKED,
        };
        let real_bytes = if options.precision == Precision::F64 { 8 } else { 4 };
        let dims = model_dims(shape);
        let mut host = rehearsed(cpu_limits(threads), options.limits.as_ref())?;
        if options.checked {
            host.total_global_memory = host.total_global_memory.saturating_sub(bytes_of_checks(demand.num_envs));
        }
        let plan = cpu_plan(&dims, demand, host.clone(), threads, real_bytes as u64)?;
        let words = plan.kernels.iter().map(|k| k.layout.global_words_per_env).max().unwrap_or(0) as usize;
        let workspaces = (0..threads)
            .map(|_| HostMemory::zeroed((words + SPARE_WORDS) * real_bytes, "a thread's workspace"))
            .collect::<Result<_, _>>()?;
        let allocate = |bytes: usize, what: &str| Ok(Memory::Host(HostMemory::zeroed(bytes, what)?));
        let checks = options.checked.then(|| Checks::new(shape, &plan, allocate)).transpose()?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("phalanx-{i}"))
            .build()
            .map_err(|e| ExecutorError::Threads { threads, reason: e.to_string() })?;
        let mut name = format!("CPU, {threads} {}, {}", if threads == 1 { "thread" } else { "threads" }, build.name);
        if let Some(limits) = &options.limits {
            name += &format!(", with the memory of {}", limits.name);
        }
        let (mut fast_slots, mut retry_slots) = (workspace_slots(plan.step()), workspace_slots(plan.retry()));
        if let Some(checks) = &checks {
            fast_slots.extend(checks.slots(STEP));
            retry_slots.extend(checks.slots(RETRY));
        }
        let learning = Learning::new(plan.step().capacity);
        // What is checked are the lengths that were reserved at the start.
        let learns = demand.learns && checks.is_none() && !plan.never_retries();
        let learner = learns.then(|| Learner { learning, dims, demand: demand.clone(), host });
        Ok(CpuExecutor {
            build,
            plain,
            checks,
            real_bytes,
            name,
            plan,
            pool,
            workspaces,
            block: ArgumentBlock::default(),
            fast_slots,
            retry_slots,
            seen: Seen::default(),
            times: CallTimes::default(),
            learner,
        })
    }

    /// Runs environment `env` alone in a workspace in which no two arrays share memory and all can be read afterwards:
    /// as the block says, with `arrays` laid out at the proven capacity. Returns the workspace.
    ///
    /// # Errors
    /// If the host has no memory for it.
    pub fn run_open(&self, arguments: &ArgumentBlock, shape: &Shape, env: i64) -> Result<OpenWorkspace, ExecutorError> {
        let dims = model_dims(shape);
        let open = |a: &WorkArray| WorkArray { first_stage: 0, last_stage: u32::MAX, ..a.clone() };
        let arrays: Vec<WorkArray> = dims.arrays.iter().map(open).collect();
        let placed = layout(&arrays, dims.usual, dims.proven, |_| Placement::Global);
        let kernel = KernelPlan { capacity: dims.proven, layout: placed, ..self.plan.retry().clone() };
        let memory =
            HostMemory::zeroed(kernel.layout.global_words_per_env as usize * self.real_bytes, "an open workspace")?;
        let mut block = arguments.clone();
        block.apply(&workspace_slots(&kernel));
        block.set("is_retry", 0);
        // SAFETY: the block's pointers are live for the call, and the workspace is ours.
        unsafe { (self.plain.step)(block.as_slice().as_ptr().cast(), memory.address() as *mut c_void, env, env + 1) };
        Ok(OpenWorkspace { kernel, memory, real_bytes: self.real_bytes })
    }

    /// Re-sizes the fast workspace if earlier calls ask for it; the threads' memory stays as it is.
    fn learn(&mut self, arguments: &ArgumentBlock) {
        let CpuExecutor { plan, workspaces, seen, learner, real_bytes, fast_slots, .. } = self;
        let Some(Learner { learning, dims, demand, host }) = learner else { return };
        let threads = workspaces.len();
        let room = workspaces.first().map_or(0, |workspace| workspace.bytes().len() / *real_bytes) as u64;
        let recent = marks(arguments);
        let replan = |capacity: Capacity| {
            let _range = Range::counting("plan a re-size", u64::from(capacity.contacts));
            let demand = Demand { capacity: Some(capacity), ..demand.clone() };
            let after = cpu_plan(dims, &demand, host.clone(), threads, *real_bytes as u64).ok()?;
            (after.step().layout.global_words_per_env <= room).then_some(after)
        };
        match learning.learn(&seen.observed(recent), seen.calls, plan, replan) {
            Lesson::TooEarly => return,
            Lesson::Stay => {}
            Lesson::Resize(after) => {
                tracing::info!("after {} calls the workspace is re-sized: {}", seen.calls, after.resized(plan));
                *fast_slots = workspace_slots(after.step());
                let before = std::mem::replace(plan, *after);
                plan.memory.keep_growth_of(&before.memory);
                seen.resizes += 1;
            }
        }
        seen.most = seen.most.at_least(recent);
        let marks = arguments.get("marks") as *mut u32;
        // SAFETY: the caller's marks, at least three words; no kernel runs now.
        unsafe { std::slice::from_raw_parts_mut(marks, 3) }.fill(0);
    }

    /// Runs `step` over [0, count) in fast or in retry workspaces.
    fn run(&mut self, arguments: &ArgumentBlock, is_retry: bool, count: i64) {
        let _range = Range::begin(if is_retry { "retry kernel" } else { "step kernel" });
        self.block.copy_from(arguments);
        self.block.apply(if is_retry { &self.retry_slots } else { &self.fast_slots });
        self.block.set("is_retry", u64::from(is_retry));
        let block = &self.block;
        self.over(count, |begin, end, thread| {
            let workspace = self.workspaces[thread].address() as *mut c_void;
            // SAFETY: the block's pointers are live for the call, ranges are disjoint, and the workspace belongs to this thread.
            unsafe { (self.build.step)(block.as_slice().as_ptr().cast(), workspace, begin, end) };
        });
    }

    /// What the checked build found so far; the usual one finds nothing.
    fn judge(&self) -> Result<(), ExecutorError> {
        self.checks.as_ref().map_or(Ok(()), Checks::judge)
    }

    /// Calls f(begin, end, thread) over pieces of [0, count) on all threads.
    fn over(&self, count: i64, f: impl Fn(i64, i64, usize) + Sync) {
        let threads = self.workspaces.len() as i64;
        // Eight pieces a thread even out environments that cost more than others.
        let piece = (count / (threads * 8)).max(1);
        if threads == 1 || count <= 1 {
            return f(0, count, 0);
        }
        let pieces = (count + piece - 1) / piece;
        self.pool.install(|| {
            (0..pieces as usize).into_par_iter().with_max_len(1).for_each(|p| {
                let (p, thread) = (p as i64, rayon::current_thread_index().unwrap_or(0));
                f(p * piece, ((p + 1) * piece).min(count), thread);
            });
        });
    }
}

/// What environments needed since the marks were last cleared.
fn marks(arguments: &ArgumentBlock) -> Needs {
    let marks = arguments.get("marks") as *const u32;
    // SAFETY: the caller's marks, at least three words; no kernel runs now.
    Needs::of(unsafe { std::slice::from_raw_parts(marks, 3) })
}

impl Executor for CpuExecutor {
    fn device_name(&self) -> &str {
        &self.name
    }
    fn plan(&self) -> &LaunchPlan {
        &self.plan
    }
    fn step_kernels(&self) -> StepKernels {
        StepKernels { generic_calls: self.seen.calls, specialised_calls: 0 }
    }
    fn compile_seconds(&self) -> f64 {
        0.0
    }
    fn real_bytes(&self) -> usize {
        self.real_bytes
    }
    fn grow(&mut self, part: MemoryPart, bytes: u64) {
        self.plan.memory.grow(part, bytes);
    }
    fn allocate(&self, bytes: usize, what: &str) -> Result<Memory, ExecutorError> {
        Ok(Memory::Host(HostMemory::zeroed(bytes, what)?))
    }
    fn step(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError> {
        self.learn(arguments);
        let started = Instant::now();
        let retry_count = arguments.get("progress") as *mut u32;
        // SAFETY: the caller's counter; no kernel runs now.
        unsafe { *retry_count = 0 };
        self.run(arguments, false, arguments.get("num_envs") as i64);
        // SAFETY: as above; every job of `run` has ended.
        let waiting = unsafe { *retry_count };
        if waiting > 0 {
            self.run(arguments, true, i64::from(waiting));
        }
        let seen = &mut self.seen;
        seen.calls += 1;
        seen.retried_calls += u64::from(waiting > 0);
        seen.retried += u64::from(waiting);
        seen.most_retried = seen.most_retried.max(waiting);
        self.times.add(started.elapsed().as_secs_f64(), waiting);
        self.judge()
    }
    fn seen(&mut self, arguments: &ArgumentBlock) -> Result<Seen, ExecutorError> {
        Ok(Seen { most: self.seen.most.at_least(marks(arguments)), ..self.seen })
    }
    fn take_call_times(&mut self) -> Result<CallTimes, ExecutorError> {
        Ok(std::mem::take(&mut self.times))
    }
    fn reset(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError> {
        let _range = Range::begin("reset kernel");
        // SAFETY: the block's pointers are live for the call and ranges are disjoint.
        self.over(arguments.get("num_envs") as i64, |b, e, _| unsafe {
            (self.build.reset)(arguments.as_slice().as_ptr().cast(), b, e)
        });
        Ok(())
    }
    fn set_constants(&mut self, arguments: &ArgumentBlock, environments: u64) -> Result<(), ExecutorError> {
        let _range = Range::begin("set_constants kernel");
        let mut block = arguments.clone();
        block.apply(&self.retry_slots);
        self.over(environments as i64, |begin, end, thread| {
            let workspace = self.workspaces[thread].address() as *mut c_void;
            // SAFETY: the block's pointers are live for the call, ranges are disjoint, and the workspace belongs to this thread.
            unsafe { (self.build.set_constants)(block.as_slice().as_ptr().cast(), workspace, begin, end) };
        });
        self.judge()
    }
    fn random_controls(&mut self, arguments: &ArgumentBlock) -> Result<(), ExecutorError> {
        let _range = Range::begin("random_controls kernel");
        self.block.copy_from(arguments);
        self.block.apply(&self.retry_slots);
        let block = &self.block;
        self.over(arguments.get("num_envs") as i64, |b, e, _| {
            // SAFETY: the block's pointers are live for the call and ranges are disjoint.
            unsafe { (self.build.random_controls)(block.as_slice().as_ptr().cast(), b, e) }
        });
        self.judge()
    }
    fn synchronize(&mut self) -> Result<(), ExecutorError> {
        Ok(())
    }
    fn stage_ticks_per_second(&self) -> f64 {
        1e9
    }
}

/// A workspace after a pass, every array readable.
#[derive(Debug)]
pub struct OpenWorkspace {
    kernel: KernelPlan,
    memory: HostMemory,
    real_bytes: usize,
}

impl OpenWorkspace {
    /// The first `count` numbers of an array; fewer if it is shorter.
    pub fn reals(&self, array: &str, count: usize) -> Vec<f64> {
        let size = self.real_bytes;
        let number = |b: &[u8]| match b.len() {
            8 => f64::from_le_bytes(b.try_into().unwrap_or_default()),
            _ => f64::from(f32::from_le_bytes(b.try_into().unwrap_or_default())),
        };
        self.words(array, count).chunks_exact(size).map(number).collect()
    }

    /// The first `count` integers of an array of integers.
    pub fn ints(&self, array: &str, count: usize) -> Vec<i32> {
        let number = |b: &[u8]| i32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        self.words(array, count).chunks_exact(self.real_bytes).map(number).collect()
    }

    fn words(&self, array: &str, count: usize) -> &[u8] {
        let Some(placed) = self.kernel.layout.arrays.iter().find(|a| a.name == array) else { return &[] };
        let start = placed.offset_words as usize * self.real_bytes;
        let length = count.min(placed.words as usize) * self.real_bytes;
        &self.memory.bytes()[start..start + length]
    }
}
