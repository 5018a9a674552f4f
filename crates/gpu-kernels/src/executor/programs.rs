//! The compiled programs that a batch on a GPU starts with, and what is compiled while it runs.
//!
//! A model's own kernels compile in less time than the generic one, which has code for everything. So the generic kernel stands
//! in for them only where it is in the cache; a batch that lives long puts it there.
use std::sync::Arc;
use std::time::{Duration, Instant};

use phalanx_launch_planner::{KernelPlan, LaunchPlan};

use super::ExecutorError;
use super::awaited::Awaited;
use super::compiled_plan::{Compiler, Specialised};
use super::cuda_kernels::{KernelRequest, between_steps_request, kernel_request};
use super::launch::Launches;
use crate::compile::CachedCubin;
use crate::shape::Shape;

/// What the compiler's thread makes for the batch.
pub(super) const SPECIALISED: &str = "the kernels that are specialised for the model";
/// What it makes for batches to come, and how long a batch has lived before it does: short runs would wait for it at their end.
const STAND_IN: &str = "the generic kernel, which will stand in while models' own are compiled";
const LONG: Duration = Duration::from_secs(60);

/// The programs of a batch.
pub(super) struct Programs {
    /// What is done between steps.
    pub(super) between_steps: CachedCubin,
    /// Steps the batch while its own kernels are in the making.
    pub(super) stand_in: Option<CachedCubin>,
    /// The kernels of a step.
    pub(super) own: Own,
    /// Compiled for batches to come, if anything is.
    pub(super) for_later: Option<ForLater>,
}

/// The generic kernel that batches to come will start with.
pub(super) struct ForLater {
    compiler: Arc<Compiler>,
    request: KernelRequest,
    since: Instant,
    making: Option<Awaited<CachedCubin, ()>>,
}

impl ForLater {
    /// Starts the compiler if the batch has lived long enough.
    pub(super) fn poll(&mut self) {
        if self.making.is_none() && self.since.elapsed() > LONG {
            let (compiler, request) = (Arc::clone(&self.compiler), self.request.clone());
            self.making = Some(Awaited::start(STAND_IN, move || Ok(compiler.compile(&request)?)));
        }
    }
}

/// The kernels of a step when the executor is made.
pub(super) enum Own {
    Compiled(Specialised),
    Making(Awaited<Specialised, Launches>),
}

impl Programs {
    /// Those of the generic kernel alone; `generic` is its plan in retry workspaces.
    pub(super) fn generic(
        compiler: &Compiler,
        step: &KernelPlan,
        generic: &KernelPlan,
        checked: bool,
    ) -> Result<Programs, ExecutorError> {
        let compile = |request: KernelRequest| compiler.compile(&if checked { request.checked() } else { request });
        let (step, retry) =
            compiler.compile_both(|| compile(kernel_request(step, None)), || compile(kernel_request(generic, None)));
        let (step, retry) = (step?, retry?);
        let between_steps = compile(between_steps_request(generic))?;
        Ok(Programs { between_steps, stand_in: None, own: Own::Compiled(Specialised { step, retry }), for_later: None })
    }

    /// Those of a model. Where `may_start_early`, the generic kernel may stand in while the model's own are compiled.
    pub(super) fn specialised(
        compiler: &Arc<Compiler>,
        plan: &LaunchPlan,
        shape: &Shape,
        generic: &KernelPlan,
        may_start_early: bool,
    ) -> Result<Programs, ExecutorError> {
        let between_steps = || compiler.compile(&between_steps_request(generic));
        let generic = kernel_request(generic, None);
        if let Some(own) = compiler.cached_specialised(plan, shape) {
            let between_steps = between_steps()?;
            return Ok(Programs { between_steps, stand_in: None, own: Own::Compiled(own), for_later: None });
        }
        let stand_in = if may_start_early { compiler.cached(&generic) } else { None };
        if stand_in.is_some() {
            let (beside, plan, shape) = (Arc::clone(compiler), plan.clone(), shape.clone());
            let making = Awaited::start(SPECIALISED, move || Ok(beside.compile_specialised(&plan, &shape)?));
            return Ok(Programs {
                between_steps: between_steps()?,
                stand_in,
                own: Own::Making(making),
                for_later: None,
            });
        }
        tracing::info!("compiling {SPECIALISED}: some seconds, once");
        let (own, between_steps) = compiler.compile_both(|| compiler.compile_specialised(plan, shape), between_steps);
        let for_later = may_start_early.then(|| ForLater {
            compiler: Arc::clone(compiler),
            request: generic,
            since: Instant::now(),
            making: None,
        });
        Ok(Programs { between_steps: between_steps?, stand_in: None, own: Own::Compiled(own?), for_later })
    }
}
