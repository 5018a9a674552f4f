//! Plans a model with what the compiler says of its kernels. Needs NVRTC, and no GPU.
//!
//! The first plan, with estimates, says which two kernels to compile; the second takes registers, local memory and static
//! shared memory from them, and never asks for others.
use super::cuda_kernels::{KernelRequest, kernel_request};
use crate::compile::{Architecture, Cache, CachedCubin, CompileError, Nvrtc, Request, compile_cached};
use crate::planning::{PlanningError, model_dims, preferred_lanes};
use crate::shape::Shape;
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
    let mut dims = model_dims(&shape, &[], &[]);
    dims.preferred_lanes = preferred_lanes(dims.nv, demand.num_envs);
    let estimate = plan(limits, &dims, &KernelNeeds::estimate(dims.nv), demand)?;
    let nvrtc = Nvrtc::open()?;
    let (major, minor) = limits.compute_capability;
    let arch = nvrtc.architecture_for(Architecture::from_capability(major, minor))?;
    let compiler = Compiler { nvrtc, cache: Cache::from_env(), arch };
    let (fast, retry) =
        compiler.compile_both(&kernel_request(estimate.step(), Some(&shape)), &kernel_request(estimate.retry(), None));
    let fast = compiled_attributes(&fast?, estimate.step());
    let retry = compiled_attributes(&retry?, estimate.retry());
    Ok(replan(limits, &dims, demand, &estimate, fast, retry)?)
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

    /// Compiles two kernels side by side: the generic kernel is the same for all models, but the first model on a machine
    /// waits for it.
    pub(super) fn compile_both(&self, fast: &KernelRequest, retry: &KernelRequest) -> (Outcome, Outcome) {
        std::thread::scope(|scope| {
            let retry = scope.spawn(|| self.compile(retry));
            let fast = self.compile(fast);
            (fast, retry.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    pub(super) fn request<'a>(&self, request: &'a KernelRequest) -> Request<'a> {
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

/// Plans again for the very kernels that were compiled for `estimate`.
pub(super) fn replan(
    limits: &DeviceLimits,
    dims: &ModelDims,
    demand: &Demand,
    estimate: &LaunchPlan,
    fast: KernelAttributes,
    retry: KernelAttributes,
) -> Result<LaunchPlan, PlanError> {
    let needs = KernelNeeds::compiled(estimate.step().lanes_per_env, fast, retry);
    plan(limits, dims, &needs, &demand.clone().with_kernel_of(estimate))
}
