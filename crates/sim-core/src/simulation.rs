//! The batch: made, stepped, synchronised.
use crate::state_arena::{StateArena, width};
use crate::{DeviceChoice, Options, Precision, SimError};
use phalanx_gpu_kernels::executor::{CpuExecutor, CpuOptions, Executor, Precision as KernelPrecision, StepKernels};
#[cfg(all(feature = "cuda", target_os = "linux"))]
use phalanx_gpu_kernels::executor::{CudaExecutor, CudaOptions};
use phalanx_gpu_kernels::fields::{FIELDS, Field, Owner, STAGES};
use phalanx_gpu_kernels::ranges::Range;
use phalanx_gpu_kernels::shape::Shape;
use phalanx_launch_planner::{Demand, LaunchPlan, MemoryPart};
use phalanx_model::Model;
use xxhash_rust::xxh3::xxh3_64;

/// What computes outputs up to which stage.
const POSITIONS: u64 = 1;
const VELOCITIES: u64 = 2;
const ACCELERATIONS: u64 = 3;

/// Environments that random numbers tell apart: `first_env + num_envs` is at most this.
pub const RANDOM_ENVIRONMENTS: u64 = 1 << 56;
/// Steps that random numbers tell apart.
pub const RANDOM_STEPS: u64 = 1 << 48;
/// Actuators that random numbers tell apart, four for each of 2^16 counters.
const RANDOM_ACTUATORS: u64 = 1 << 18;

/// The executor of a batch. The CPU's is kept by its type, since it offers more than the common interface.
pub(crate) enum Backend {
    Cpu(Box<CpuExecutor>),
    #[cfg(all(feature = "cuda", target_os = "linux"))]
    Cuda(Box<CudaExecutor>),
}

impl Backend {
    pub(crate) fn executor(&self) -> &dyn Executor {
        match self {
            Backend::Cpu(e) => e.as_ref(),
            #[cfg(all(feature = "cuda", target_os = "linux"))]
            Backend::Cuda(e) => e.as_ref(),
        }
    }

    pub(crate) fn executor_mut(&mut self) -> &mut dyn Executor {
        match self {
            Backend::Cpu(e) => e.as_mut(),
            #[cfg(all(feature = "cuda", target_os = "linux"))]
            Backend::Cuda(e) => e.as_mut(),
        }
    }
}

/// A batch of environments of one model.
///
/// ```
/// # use phalanx_sim_core::{DeviceChoice, Options, Simulation};
/// let xml = "<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='.1' pos='0 0 -1'/></body></worldbody></mujoco>";
/// let model = phalanx_model::Model::from_xml(xml, "pendulum.xml")?;
/// let mut sim = Simulation::new(&model, Options { device: DeviceChoice::Cpu, ..Options::envs(4) })?;
/// sim.write("qpos", &[0.5])?;
/// sim.step_many(10)?;
/// assert!(sim.read("qpos")?.iter().all(|q| *q < 0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation {
    pub(crate) model: Model,
    pub(crate) shape: Shape,
    pub(crate) options: Options,
    pub(crate) state: StateArena,
    // Declared after the memory that it allocated, so that it is dropped last.
    pub(crate) backend: Backend,
    /// Of the model as it was loaded.
    pub(crate) model_hash: u64,
    pub(crate) steps: u64,
    /// Time at which each environment's step count was zero.
    pub(crate) time_base: Vec<f64>,
    pub(crate) outputs: Vec<&'static str>,
}

impl Simulation {
    /// Makes a batch; compiles and loads kernels and takes all memory that stepping needs. On a GPU a kernel that was not
    /// compiled before may be compiled while the generic one steps; dropping the batch waits for the compiler.
    ///
    /// # Errors
    /// If the model has no kernels, the device does not answer, or the batch does not fit; nothing is kept then.
    pub fn new(model: &Model, options: Options) -> Result<Simulation, SimError> {
        if options.num_envs == 0 {
            return Err(SimError::NoEnvironments);
        }
        let mut shape = Shape::of(model)?;
        let model_hash = xxh3_64(format!("{:?} {:?}", shape.baked(), shape.values).as_bytes());
        override_solver(&mut shape, &options);
        options.add_fields(&mut shape)?;
        let demand = Demand {
            num_envs: options.num_envs,
            lanes: options.lanes,
            pin_global: options.pin_global.clone(),
            fast_contacts: options.fast_contacts,
            learns: !options.fixed_workspace,
            memory_limit: options.memory_limit,
            row: options.row.clone(),
            ..Demand::default()
        };
        let backend = make_backend(&shape, &demand, &options)?;
        let last = options.first_env.saturating_add(options.num_envs - 1);
        check_random("environment", last, RANDOM_ENVIRONMENTS)?;
        let state = StateArena::new(backend.executor(), &shape, options.num_envs, STAGES.len())?;
        let time_base = vec![0.0; options.num_envs as usize];
        let mut sim = Simulation {
            model: model.clone(),
            shape,
            options,
            state,
            backend,
            model_hash,
            steps: 0,
            time_base,
            outputs: Vec::new(),
        };
        sim.fill_arguments();
        for name in sim.shape.per_env.clone() {
            sim.make_per_env(name)?;
        }
        for name in sim.shape.requested.clone() {
            sim.take_memory(name)?;
        }
        sim.write_defaults()?;
        tracing::info!("{} environments of {} on {}", sim.options.num_envs, sim.shape.name, sim.device_name());
        tracing::info!("plan: {}", sim.plan().summary());
        tracing::debug!("the plan in full:\n{}", sim.plan());
        Ok(sim)
    }

    /// Advances every environment by one time step; returns when the work is queued, on the CPU when it is done.
    ///
    /// # Errors
    /// If the launch is refused.
    pub fn step(&mut self) -> Result<(), SimError> {
        self.step_many(1)
    }

    /// Advances every environment by `substeps` time steps under the same controls.
    ///
    /// # Errors
    /// If the launch is refused.
    pub fn step_many(&mut self, substeps: u32) -> Result<(), SimError> {
        let _range = Range::counting("step", u64::from(substeps));
        self.run(substeps, self.output_level())?;
        self.steps += u64::from(substeps);
        Ok(())
    }

    /// Makes every requested output current without moving anything.
    ///
    /// # Errors
    /// If the launch is refused.
    pub fn forward(&mut self) -> Result<(), SimError> {
        let _range = Range::begin("forward");
        self.run(0, self.output_level())
    }

    /// Waits until everything that was queued is done.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn synchronize(&mut self) -> Result<(), SimError> {
        Ok(self.backend.executor_mut().synchronize()?)
    }

    /// Asks for an output: from now on it is current after every step, forward and reset.
    ///
    /// # Errors
    /// If there is no such output or no memory for it.
    pub fn request(&mut self, output: &str) -> Result<(), SimError> {
        let field = crate::field_access::find(output)?;
        if field.owner != Owner::Output {
            let advice = "it needs no request".to_owned();
            return Err(SimError::WrongUse { name: output.into(), what: "not an output", advice });
        }
        self.ensure_memory(field)
    }

    /// Memory for a field that has it on request, unless it was taken before.
    pub(crate) fn ensure_memory(&mut self, field: &'static Field) -> Result<(), SimError> {
        if self.state.extra.contains_key(field.name) {
            return Ok(());
        }
        let part = if field.owner == Owner::Output { MemoryPart::Outputs } else { MemoryPart::Inputs };
        let bytes = self.options.num_envs * (width(&self.shape, field) * self.real_bytes()) as u64;
        let refuse = |why| SimError::NoRoom { name: field.name.into(), why };
        self.plan().memory.check_room(bytes).map_err(refuse)?;
        self.take_memory(field.name)?;
        self.backend.executor_mut().grow(part, bytes);
        Ok(())
    }

    /// Takes memory that the plan counts already.
    fn take_memory(&mut self, name: &'static str) -> Result<(), SimError> {
        self.state.request(self.backend.executor(), &self.shape, name, self.options.num_envs)?;
        if crate::field_access::find(name)?.owner == Owner::Output {
            self.outputs.push(name);
        }
        Ok(())
    }

    /// Draws a control for every actuator, uniformly in its range or in [-1, 1): the same for environment k whatever the
    /// size of the batch.
    ///
    /// # Errors
    /// If the step is not below [`RANDOM_STEPS`], the model has more than 262,144 actuators, or the launch is refused.
    pub fn draw_random_controls(&mut self, step: u64) -> Result<(), SimError> {
        check_random("step", step, RANDOM_STEPS)?;
        check_random("actuator", self.model.nu.saturating_sub(1) as u64, RANDOM_ACTUATORS)?;
        self.state.arguments.set("random_step", step);
        Ok(self.backend.executor_mut().random_controls(&self.state.arguments)?)
    }

    /// How the batch is mapped onto the device.
    pub fn plan(&self) -> &LaunchPlan {
        self.backend.executor().plan()
    }

    /// The device, for people.
    pub fn device_name(&self) -> &str {
        self.backend.executor().device_name()
    }

    /// Which kernels have stepped the batch so far. On a GPU the generic kernel may stand in while those that are specialised for
    /// the model are compiled; see [`Options::wait_for_specialised`].
    pub fn step_kernels(&self) -> StepKernels {
        self.backend.executor().step_kernels()
    }

    /// Seconds that the caller waited for kernels to be compiled and loaded.
    pub fn compile_seconds(&self) -> f64 {
        self.backend.executor().compile_seconds()
    }

    /// Environments of the batch.
    pub fn num_envs(&self) -> u64 {
        self.options.num_envs
    }

    /// The model that all environments are copies of.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Bytes of one number: 4, or 8 in double.
    pub fn real_bytes(&self) -> usize {
        self.backend.executor().real_bytes()
    }

    fn run(&mut self, substeps: u32, level: u64) -> Result<(), SimError> {
        let arguments = &mut self.state.arguments;
        arguments.set("substeps", u64::from(substeps));
        arguments.set("output_level", level);
        Ok(self.backend.executor_mut().step(arguments)?)
    }

    /// Runs the masked environments to their outputs only.
    pub(crate) fn forward_masked(&mut self, mask: u64) -> Result<(), SimError> {
        let level = self.output_level();
        if level == 0 {
            return Ok(());
        }
        self.state.arguments.set("mask", mask);
        let result = self.run(0, level);
        self.state.arguments.set("mask", 0);
        result
    }

    /// How far a pass must go for the requested outputs.
    fn output_level(&self) -> u64 {
        let level = |name: &str| match name {
            "xpos" | "xquat" | "xipos" | "geom_xpos" | "geom_xmat" | "site_xpos" | "site_xmat" | "subtree_com" => {
                POSITIONS
            }
            "cvel" => VELOCITIES,
            _ => ACCELERATIONS,
        };
        self.outputs.iter().map(|name| level(name)).max().unwrap_or(0)
    }

    fn fill_arguments(&mut self) {
        let arguments = &mut self.state.arguments;
        arguments.set("num_envs", self.options.num_envs);
        arguments.set("first_env", self.options.first_env);
        arguments.set("seed", self.options.seed);
        arguments.set_signed("opt_integrator", self.shape.integrator);
        arguments.set_signed("opt_disableflags", self.shape.disableflags);
        arguments.set_signed("opt_iterations", self.shape.iterations);
        arguments.set_signed("opt_ls_iterations", self.shape.ls_iterations);
        if self.options.profile {
            arguments.set("stage_clocks", self.state.control.address() + self.state.control_offsets["stage_clocks"]);
        }
    }

    /// The state at the start: qpos0, at rest, motion-capture bodies where the model has them.
    fn write_defaults(&mut self) -> Result<(), SimError> {
        let qpos0 = self.model.qpos0.clone();
        self.write("qpos", &qpos0)?;
        let (mut positions, mut orientations) = (Vec::new(), Vec::new());
        for body in 0..self.model.nbody {
            if self.model.body_mocapid[body] >= 0 {
                positions.extend_from_slice(&self.model.body_pos[3 * body..3 * body + 3]);
                orientations.extend_from_slice(&self.model.body_quat[4 * body..4 * body + 4]);
            }
        }
        if !positions.is_empty() {
            self.write("mocap_pos", &positions)?;
            self.write("mocap_quat", &orientations)?;
        }
        Ok(())
    }
}

/// Refuses a number that does not fit its bits of the random numbers' counter: see `control_words` in `kernels/reset.h`.
fn check_random(what: &'static str, number: u64, limit: u64) -> Result<(), SimError> {
    if number < limit { Ok(()) } else { Err(SimError::BeyondRandom { what, number, limit }) }
}

fn override_solver(shape: &mut Shape, options: &Options) {
    let solver = &options.solver;
    if let Some(tolerance) = solver.tolerance {
        shape.values.insert("opt_tolerance", vec![tolerance]);
    }
    if let Some(tolerance) = solver.ls_tolerance {
        shape.values.insert("opt_ls_tolerance", vec![tolerance]);
    }
    shape.iterations = solver.iterations.map_or(shape.iterations, i64::from);
    shape.ls_iterations = solver.ls_iterations.map_or(shape.ls_iterations, i64::from);
}

fn make_backend(shape: &Shape, demand: &Demand, options: &Options) -> Result<Backend, SimError> {
    debug_assert!(FIELDS.iter().any(|f| f.name == "qpos"));
    let double = options.precision == Precision::F64;
    if double && matches!(options.device, DeviceChoice::Cuda(_)) {
        return Err(SimError::DoubleOnCuda { device: options.device.to_string() });
    }
    let cpu = || {
        let precision = if double { KernelPrecision::F64 } else { KernelPrecision::F32 };
        let executor = CpuExecutor::new(
            shape,
            demand,
            &CpuOptions {
                precision,
                threads: options.threads,
                limits: options.limits.clone(),
                checked: options.checked,
            },
        )?;
        Ok::<_, SimError>(Backend::Cpu(Box::new(executor)))
    };
    match options.device {
        DeviceChoice::Cpu => cpu(),
        DeviceChoice::Auto if double || !cuda_answers() => cpu(),
        DeviceChoice::Auto => make_cuda(shape, demand, options, 0),
        DeviceChoice::Cuda(ordinal) => make_cuda(shape, demand, options, ordinal),
    }
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
fn cuda_answers() -> bool {
    phalanx_gpu_kernels::cuda::device_count().is_ok_and(|n| n > 0)
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
fn make_cuda(shape: &Shape, demand: &Demand, options: &Options, ordinal: usize) -> Result<Backend, SimError> {
    let cuda = CudaOptions {
        ordinal,
        stream: options.stream,
        limits: options.limits.clone(),
        generic_only: options.generic_only,
        wait_for_specialised: options.wait_for_specialised,
        time_calls: options.time_calls,
        checked: options.checked,
    };
    Ok(Backend::Cuda(Box::new(CudaExecutor::new(shape, demand, &cuda)?)))
}

#[cfg(not(all(feature = "cuda", target_os = "linux")))]
fn cuda_answers() -> bool {
    false
}

#[cfg(not(all(feature = "cuda", target_os = "linux")))]
fn make_cuda(_: &Shape, _: &Demand, options: &Options, _: usize) -> Result<Backend, SimError> {
    Err(SimError::NoCuda { device: options.device.to_string() })
}
