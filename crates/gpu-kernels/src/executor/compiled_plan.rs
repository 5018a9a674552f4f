//! Plans a model with what the compiler says of its kernels. Needs NVRTC, and no GPU.
//!
//! The first plan, with estimates, says which two kernels to compile; the second takes registers, local memory and static
//! shared memory from them, and never asks for others.
use super::cuda_kernels::{KernelRequest, kernel_request};
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
    let shape = Shape::of(model)?;
    let dims = batch_dims(&shape, &[], demand.num_envs);
    let estimate = plan(limits, &dims, &KernelNeeds::estimate(), demand)?;
    let nvrtc = Nvrtc::open()?;
    let (major, minor) = limits.compute_capability;
    let arch = nvrtc.architecture_for(Architecture::from_capability(major, minor))?;
    let compiler = Compiler { nvrtc, cache: Cache::from_env(), arch };
    let (step, retry) =
        compiler.compile_both(&kernel_request(estimate.step(), Some(&shape)), &kernel_request(estimate.retry(), None));
    let retry = compiled_attributes(&retry?, estimate.retry());
    let second = SecondPlan { limits: limits.clone(), dims, demand: demand.clone(), estimate, retry };
    Ok(second.compiled(&step?)?)
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

    /// Compiles two kernels side by side: the generic kernel is the same for all models, but the first model on a machine
    /// waits for it.
    pub(super) fn compile_both(&self, step: &KernelRequest, retry: &KernelRequest) -> (Outcome, Outcome) {
        std::thread::scope(|scope| {
            let retry = scope.spawn(|| self.compile(retry));
            let step = self.compile(step);
            (step, retry.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
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
    /// The compiled retry kernel.
    pub(super) retry: KernelAttributes,
}

impl SecondPlan {
    /// The plan with the compiled step kernel.
    pub(super) fn compiled(&self, step: &CachedCubin) -> Result<LaunchPlan, PlanError> {
        self.with(compiled_attributes(step, self.estimate.step()))
    }

    /// The plan with a step kernel of these attributes.
    pub(super) fn with(&self, step: KernelAttributes) -> Result<LaunchPlan, PlanError> {
        self.of(step, self.demand.clone())
    }

    /// The same with a fast workspace of another capacity; memory for it was taken before.
    #[cfg(all(feature = "cuda", target_os = "linux"))]
    pub(super) fn resized(&self, step: KernelAttributes, capacity: Capacity) -> Result<LaunchPlan, PlanError> {
        self.of(step, Demand { capacity: Some(capacity), learns: false, ..self.demand.clone() })
    }

    fn of(&self, step: KernelAttributes, demand: Demand) -> Result<LaunchPlan, PlanError> {
        let needs = KernelNeeds::compiled(self.estimate.step().lanes_per_env, step, self.retry);
        plan(&self.limits, &self.dims, &needs, &demand.with_kernel_of(&self.estimate))
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
