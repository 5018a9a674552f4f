//! Plans a model with what the compiler says of its kernels. Needs NVRTC, and no GPU.
//!
//! The first plan, with estimates, says which two kernels to compile; the second takes registers, local memory and static
//! shared memory from them, and never asks for others.
use super::cuda_kernels::{KernelRequest, between_steps_request, kernel_request};
use crate::compile::{Architecture, Cache, CachedCubin, CompileError, Nvrtc, Request, compile_cached};
use crate::planning::{PlanningError, batch_dims};
use crate::shape::Shape;
#[cfg(all(feature = "cuda", target_os = "linux"))]
use phalanx_launch_planner::Capacity;
use phalanx_launch_planner::{
    Demand, DeviceLimits, KernelAttributes, KernelNeeds, KernelPlan, LaunchPlan, ModelDims, PlanError, plan,
};
use phalanx_model::Model;

/// Plans a model for a device, which need not be at hand, with the numbers of its compiled kernels. What is compiled is
/// kept in the cache, where a later run on such a device finds it.
///
/// # Errors
/// If the model has no kernels or does not fit, or there is no NVRTC for such a device.
pub fn plan_compiled(model: &Model, limits: &DeviceLimits, demand: &Demand) -> Result<LaunchPlan, PlanningError> {
    plan_shape_compiled(&Shape::of(model)?, limits, demand)
}

/// [`plan_compiled`] of a shape, which may have fields per environment and requested ones.
///
/// # Errors
/// As [`plan_compiled`].
pub fn plan_shape_compiled(shape: &Shape, limits: &DeviceLimits, demand: &Demand) -> Result<LaunchPlan, PlanningError> {
    let dims = batch_dims(shape, limits, demand.num_envs);
    let estimate = first_plan(limits, &dims, demand)?;
    let nvrtc = Nvrtc::open()?;
    let (major, minor) = limits.compute_capability;
    let arch = nvrtc.architecture_for(Architecture::from_capability(major, minor))?;
    let compiler = Compiler { nvrtc, cache: Cache::from_env(), arch };
    let generic = estimate.stand_in(&dims);
    let (own, between) = compiler.compile_both(
        || compiler.compile_specialised(&estimate, shape),
        || compiler.compile(&between_steps_request(&generic)),
    );
    let others = Others::of(&[&between?]);
    let second = SecondPlan { limits: limits.clone(), dims, demand: demand.clone(), estimate, others };
    Ok(second.compiled(&own?)?)
}

/// The plan with estimates: which kernels to compile. Where so many environments do not fit by the estimates, which are rather
/// too large, it is the plan of as many as do; its kernels will tell how many fit indeed.
pub(super) fn first_plan(limits: &DeviceLimits, dims: &ModelDims, demand: &Demand) -> Result<LaunchPlan, PlanError> {
    let planned = |demand: &Demand| plan(limits, dims, &KernelNeeds::estimate(), demand);
    match planned(demand) {
        Err(PlanError::Memory { largest: num_envs, .. }) if num_envs > 0 => {
            tracing::info!("{num_envs} environments fit by the estimates; the compiled kernels tell how many do");
            planned(&Demand { num_envs, ..demand.clone() })
        }
        other => other,
    }
}

/// The kernels that are specialised for a model.
pub(super) struct Specialised {
    pub(super) step: CachedCubin,
    pub(super) retry: CachedCubin,
}

/// What the compiler said of them, or an estimate.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnAttributes {
    pub(super) step: KernelAttributes,
    pub(super) retry: KernelAttributes,
}

/// NVRTC with its cache, for one architecture.
pub(super) struct Compiler {
    pub(super) nvrtc: Nvrtc,
    pub(super) cache: Cache,
    pub(super) arch: Architecture,
}

/// The outcome of one compilation.
pub(super) type Outcome = Result<CachedCubin, CompileError>;

impl Compiler {
    /// Compiles, or takes what was compiled before.
    pub(super) fn compile(&self, request: &KernelRequest) -> Outcome {
        compile_cached(&self.nvrtc, &self.cache, &self.request(request))
    }

    /// What was compiled before.
    #[cfg(all(feature = "cuda", target_os = "linux"))]
    pub(super) fn cached(&self, request: &KernelRequest) -> Option<CachedCubin> {
        crate::compile::from_cache(&self.nvrtc, &self.cache, &self.request(request))
    }

    /// Compiles a model's own kernels, side by side.
    pub(super) fn compile_specialised(&self, plan: &LaunchPlan, shape: &Shape) -> Result<Specialised, CompileError> {
        let compile = |kernel: &KernelPlan| self.compile(&kernel_request(kernel, Some(shape)));
        let (step, retry) = self.compile_both(|| compile(plan.step()), || compile(plan.retry()));
        Ok(Specialised { step: step?, retry: retry? })
    }

    /// A model's own kernels, if both were compiled before.
    #[cfg(all(feature = "cuda", target_os = "linux"))]
    pub(super) fn cached_specialised(&self, plan: &LaunchPlan, shape: &Shape) -> Option<Specialised> {
        let cached = |kernel: &KernelPlan| self.cached(&kernel_request(kernel, Some(shape)));
        Some(Specialised { step: cached(plan.step())?, retry: cached(plan.retry())? })
    }

    /// Makes two things side by side.
    pub(super) fn compile_both<A, B: Send>(&self, a: impl FnOnce() -> A, b: impl FnOnce() -> B + Send) -> (A, B) {
        std::thread::scope(|scope| {
            let b = scope.spawn(b);
            let a = a();
            (a, b.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    fn request<'a>(&self, request: &'a KernelRequest) -> Request<'a> {
        Request {
            name: &request.name,
            source: request.source,
            headers: &request.headers,
            options: &request.options,
            arch: self.arch,
            keep_ptx: false,
        }
    }
}

/// What it takes to plan again, for the very kernels that the first plan asked for.
#[derive(Clone, Debug)]
pub(super) struct SecondPlan {
    pub(super) limits: DeviceLimits,
    pub(super) dims: ModelDims,
    pub(super) demand: Demand,
    /// The first plan.
    pub(super) estimate: LaunchPlan,
    /// What is loaded beside the model's own kernels.
    pub(super) others: Others,
}

/// What compiled programs take of the device that are loaded beside a model's own.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Others {
    pub(super) local_bytes_per_thread: u32,
    pub(super) code_bytes: u64,
}

impl Others {
    pub(super) fn of(programs: &[&CachedCubin]) -> Others {
        let kernels = programs.iter().flat_map(|program| &program.contents.kernels);
        Others {
            local_bytes_per_thread: kernels.map(|kernel| kernel.local_bytes).max().unwrap_or(0),
            code_bytes: programs.iter().map(|program| program.contents.code_bytes).sum(),
        }
    }
}

impl SecondPlan {
    /// The plan with the compiled kernels.
    pub(super) fn compiled(&self, own: &Specialised) -> Result<LaunchPlan, PlanError> {
        self.with(self.attributes(own))
    }

    /// The plan with the compiled kernels, after `before`, for which memory was taken: it has room for the most contacts only if
    /// that one had.
    #[cfg(all(feature = "cuda", target_os = "linux"))]
    pub(super) fn after(&self, before: &LaunchPlan, own: &Specialised) -> Result<LaunchPlan, PlanError> {
        let capacity = (!before.never_retries()).then_some(before.step().capacity);
        self.of(self.attributes(own), Demand { capacity, ..self.demand.clone() })
    }

    /// What the compiler said of a model's own kernels.
    pub(super) fn attributes(&self, own: &Specialised) -> OwnAttributes {
        OwnAttributes {
            step: compiled_attributes(&own.step, self.estimate.step()),
            retry: compiled_attributes(&own.retry, self.estimate.retry()),
        }
    }

    /// The plan with kernels of these attributes.
    pub(super) fn with(&self, own: OwnAttributes) -> Result<LaunchPlan, PlanError> {
        self.of(own, self.demand.clone())
    }

    /// The same with a fast workspace of another capacity; memory for it was taken before.
    #[cfg(all(feature = "cuda", target_os = "linux"))]
    pub(super) fn resized(&self, own: OwnAttributes, capacity: Capacity) -> Result<LaunchPlan, PlanError> {
        self.of(own, Demand { capacity: Some(capacity), learns: false, ..self.demand.clone() })
    }

    fn of(&self, own: OwnAttributes, demand: Demand) -> Result<LaunchPlan, PlanError> {
        let (OwnAttributes { step, retry }, others) = (own, self.others);
        let retry = KernelAttributes {
            local_bytes_per_thread: retry.local_bytes_per_thread.max(others.local_bytes_per_thread),
            code_bytes: retry.code_bytes + others.code_bytes,
            ..retry
        };
        let needs = KernelNeeds::compiled(self.estimate.step().lanes_per_env, step, retry);
        let mut planned = plan(&self.limits, &self.dims, &needs, &demand.with_kernel_of(&self.estimate))?;
        // What else there was, was considered when the kernel was chosen.
        planned.rejected.splice(..0, self.estimate.rejected.iter().cloned());
        if self.estimate.num_envs == planned.num_envs {
            // Larger batches may get other kernels: for so many there is room whichever they get.
            planned.max_num_envs = planned.max_num_envs.min(self.estimate.max_num_envs);
        }
        Ok(planned)
    }
}

/// What the compiler said of the kernel that was compiled for `kernel`.
pub(super) fn compiled_attributes(cubin: &CachedCubin, kernel: &KernelPlan) -> KernelAttributes {
    let found = cubin.contents.kernel("phalanx_step");
    KernelAttributes {
        registers_per_thread: found.map_or(255, |k| k.registers),
        local_bytes_per_thread: found.map_or(0, |k| k.local_bytes),
        static_shared_bytes: found.map_or(0, |k| k.static_shared_bytes),
        max_threads_per_block: kernel.threads_per_block,
        estimated: false,
        code_bytes: cubin.contents.code_bytes,
    }
}
