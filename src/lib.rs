//! Batched physics of robots for reinforcement learning: thousands to millions of copies of a model, stepped together on
//! one GPU or on CPU cores.
//!
//! The physics is MuJoCo's (4.0.0), so every number can be checked. Four promises are Phalanx's own: a batch that is
//! accepted never exceeds the device; no contact is ever dropped and no capacity is yours to guess; the next state depends
//! on model, state and inputs only, bit for bit, whatever the batch, the device or the run; and an environment that blows
//! up is frozen and flagged while the others go on.
//!
//! ```
//! use phalanx::{Model, Options, Simulation};
//!
//! let model = Model::from_file("assets/ant.xml")?;
//! let mut sim = Simulation::new(&model, Options::envs(16))?;
//!
//! sim.write("ctrl", &[0.5; 8])?; // n numbers for all environments alike, or num_envs * n
//! sim.step_many(10)?;
//!
//! let qpos = sim.read("qpos")?; // the whole batch, one row of nq numbers for each environment
//! assert_eq!(qpos.len(), 16 * model.nq);
//! assert_eq!(sim.statistics()?.not_finite, 0);
//! println!("height of the first ant: {} m", qpos[2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go from here
//!
//! - [`Model`] holds the compiled arrays of an MJCF file, with MuJoCo's names and index order.
//! - [`Simulation`] is the batch. Its fields have MuJoCo's names too: state (`qpos`, `qvel`, `act`, `qacc_warmstart`),
//!   inputs (`ctrl`, `qfrc_applied`, `xfrc_applied`), outputs (`xpos`, `qacc`, ... after [`Simulation::request`]) and
//!   model fields (`body_mass`, `geom_friction`, ...), which are one for all or, named in [`Options::per_env`], one for
//!   each.
//! - [`LaunchPlan`] says how a batch is laid out on a device and why; [`plan_model`] estimates one for a device that you
//!   do not have, [`plan_compiled`] has the compiler's numbers in it.
//!
//! `examples/` has a first step, a rollout with random actions, domain randomisation, and a plan for another device. Units
//! are SI, angles are radians, quaternions are w, x, y, z.
//!
//! # Features
//!
//! `cuda` (on by default): runs on NVIDIA GPUs. The driver and the compiler NVRTC are opened at run time, so one binary
//! serves machines with and without a GPU; `phalanx doctor` says what a machine lacks. Building it needs a CUDA toolkit,
//! or this workspace's `.cargo/config.toml`, which makes do without. Without the feature the crate builds anywhere.

pub use phalanx_gpu_kernels::compile::CompileError;
pub use phalanx_gpu_kernels::cuda::CudaError;
pub use phalanx_gpu_kernels::executor::{ExecutorError, Finding, Wrong, plan_compiled};
pub use phalanx_gpu_kernels::planning::{PlanningError, plan_model};
pub use phalanx_gpu_kernels::shape::ShapeError;
pub use phalanx_launch_planner::{
    Capacity, Demand, DeviceLimits, HiddenMemory, KernelPlan, LaunchPlan, Limiter, LimitsError, MemoryMap, NoRoom,
    Placement, PlanError, Rejected, RowChoice,
};
pub use phalanx_model::{ArrayData, Integrator, LoadError, Model, NamedArray, Names};
pub use phalanx_sim_core::{
    BadQuantity, CallTimes, DetailContact, DetailField, Details, DeviceChoice, Envs, InjectedContact, NOT_FINITE,
    Needs, Options, Precision, RANDOM_ENVIRONMENTS, RANDOM_STEPS, Reset, Seen, SimError, Simulation, Snapshot,
    SolverOptions, Statistics, StepKernels, Target,
};
