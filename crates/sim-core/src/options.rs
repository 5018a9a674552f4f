//! How a batch is to be run.
use phalanx_launch_planner::{DeviceLimits, RowChoice};
use std::fmt;
use std::str::FromStr;

/// Where a batch runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first CUDA device that answers, else the CPU.
    #[default]
    Auto,
    /// CPU cores.
    Cpu,
    /// The CUDA device of that number.
    Cuda(usize),
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(DeviceChoice::Auto),
            "cpu" => Ok(DeviceChoice::Cpu),
            "cuda" => Ok(DeviceChoice::Cuda(0)),
            _ => text
                .strip_prefix("cuda:")
                .and_then(|n| n.parse().ok())
                .map(DeviceChoice::Cuda)
                .ok_or_else(|| format!("\"{text}\" is no device; write auto, cpu, cuda or cuda:I with a number I")),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            DeviceChoice::Auto => f.write_str("auto"),
            DeviceChoice::Cpu => f.write_str("cpu"),
            DeviceChoice::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

/// Precision of the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// float, on every device.
    #[default]
    F32,
    /// double: the reference, on the CPU only.
    F64,
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "f32" => Ok(Precision::F32),
            "f64" => Ok(Precision::F64),
            _ => Err(format!("\"{text}\" is no precision; write f32 or f64")),
        }
    }
}

/// What replaces the model's own solver options.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverOptions {
    /// Scaled gradient below which the solver stops.
    pub tolerance: Option<f64>,
    /// Bound on iterations.
    pub iterations: Option<u32>,
    /// Bound on line-search iterations.
    pub ls_iterations: Option<u32>,
    /// Fraction of the slope below which the line search stops.
    pub ls_tolerance: Option<f64>,
}

/// How a batch is to be run. [`Options::envs`] leaves everything else to the defaults.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Environments.
    pub num_envs: u64,
    /// Where.
    pub device: DeviceChoice,
    /// float or double.
    pub precision: Precision,
    /// Identity of environment 0: random numbers depend on it, so that parts of a batch on several devices agree with the whole.
    /// With `num_envs` at most [`RANDOM_ENVIRONMENTS`](crate::RANDOM_ENVIRONMENTS).
    pub first_env: u64,
    /// Seed of random controls.
    pub seed: u64,
    /// Forces how many contacts the fast workspace holds at first: a test's way to make environments retry.
    pub fast_contacts: Option<u32>,
    /// Keeps the fast workspace as it was planned. Otherwise it is re-sized between steps to what environments were seen to
    /// need, which no bit depends on.
    pub fixed_workspace: bool,
    /// Forces the lanes of a team.
    pub lanes: Option<u32>,
    /// Workspace arrays that a GPU keeps in global memory: a test's way to move them.
    pub pin_global: Vec<String>,
    /// Asks for a row of the plan, if it fits: how `phalanx tune` measures. If `None`, a GPU takes the row that was measured
    /// for this device, model and size of batch, else the planner's own.
    pub row: Option<RowChoice>,
    /// Rehearses a smaller device on the one at hand, for example `DeviceLimits::preset("t4")`: the plan obeys its resources,
    /// the code stays that of the device at hand. On the CPU its memory alone counts. What it has more of is an error.
    pub limits: Option<DeviceLimits>,
    /// Bytes of device memory that may be taken.
    pub memory_limit: Option<u64>,
    /// Model fields that have one value per environment, for example `body_mass`.
    pub per_env: Vec<String>,
    /// Outputs that are requested from the start, so that every step, forward and reset makes them current, and `qfrc_applied` or
    /// `xfrc_applied` where they will be written: the plan makes room for them. What is requested later, by
    /// [`Simulation::request`](crate::Simulation::request), must find it.
    pub requests: Vec<String>,
    /// Times the stages.
    pub profile: bool,
    /// Times every call on a GPU too, with two events each: see
    /// [`Simulation::take_call_times`](crate::Simulation::take_call_times).
    pub time_calls: bool,
    /// Runs a checked build of the kernels, to find mistakes: several times slower, with the same bits. It looks at every index
    /// into the workspace, the state, the inputs, the outputs and the model, and after every stage for numbers that are not
    /// finite. The first finding is the error of the call that met it and of all calls after it, with stage, environment,
    /// array and index; the environment's step is not committed. On a GPU it implies `generic_only`, and each call waits.
    pub checked: bool,
    /// CPU threads; all cores if `None`.
    pub threads: Option<usize>,
    /// Waits until the kernels that are specialised for the model are compiled (CUDA). Otherwise, where they were not compiled
    /// before and the generic kernel was, the first steps are the generic kernel's: the same bits, sooner begun and slower. A
    /// batch that lives a minute compiles the generic kernel for those that follow.
    pub wait_for_specialised: bool,
    /// Runs the generic kernel instead of one specialised for the model (CUDA).
    pub generic_only: bool,
    /// The caller's CUDA stream, as a raw handle; a stream of our own if `None`.
    pub stream: Option<u64>,
    /// What replaces the model's own solver options.
    pub solver: SolverOptions,
}

impl Options {
    /// `num_envs` environments, everything else by default.
    pub fn envs(num_envs: u64) -> Options {
        Options { num_envs, ..Options::default() }
    }
}
