//! What can be typed: the commands and their options.
//!
//! Everything that can be refused without looking at a file or a device is refused here, with exit code 2.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, value_parser};
use phalanx_sim_core::{DeviceChoice, Options, Precision};
use tracing_subscriber::filter::LevelFilter;

use crate::same_file::Named;

/// Batched physics of robots for reinforcement learning, on a GPU or on CPU cores.
#[derive(Debug, Parser)]
#[command(name = "phalanx", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Arguments {
    /// What goes to standard error: off, error, warn, info, debug or trace.
    #[arg(long, global = true, value_name = "LEVEL", env = "PHALANX_LOG", default_value = "warn")]
    pub log: LevelFilter,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 a file, the machine or the run failed; 2 the command line is wrong; \
                          130 interrupted by Ctrl-C.";

/// A trillion: the state of as many cartpoles would take the memory of all GPUs ever made.
const MAX_ENVS: u64 = 1 << 40;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Steps many environments of a model and says how fast, and whether all went well.
    Run(RunArguments),
    /// Computes one forward pass of one environment and prints the derived fields by MuJoCo's names.
    Forward(ForwardArguments),
    /// Tells what a model is made of and what one environment of it can need.
    Inspect(InspectArguments),
    /// Shows how a batch would be launched on a device, which need not be at hand.
    Plan(PlanArguments),
    /// Runs a model with more and more environments, up to the edge of the device, and reports each rung.
    Ladder(LadderArguments),
    /// Measures which mapping onto the GPU is the fastest for a model and keeps it for the runs to come.
    Tune(TuneArguments),
    /// Reports what this machine has for running on a GPU, what is missing and how to get it.
    Doctor(DoctorArguments),
}

/// Options of `phalanx run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The model, an MJCF file.
    pub model: PathBuf,
    /// Environments.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = environments, allow_negative_numbers = true)]
    pub envs: u64,
    /// Control steps; each is D time steps with the same controls.
    #[arg(long, value_name = "K", default_value_t = 1000, value_parser = at_least_one, allow_negative_numbers = true)]
    pub steps: u64,
    /// Time steps in a control step.
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    pub decimation: u32,
    /// Where to run: auto, cpu or cuda:I. auto takes CUDA if a device answers.
    #[arg(long, value_name = "auto|cpu|cuda:I", default_value = "auto", value_parser = device)]
    pub device: DeviceChoice,
    /// Precision of the numbers: f32 or f64. f64 runs on the CPU.
    #[arg(long, value_name = "f32|f64", default_value = "f32", value_parser = precision)]
    pub precision: Precision,
    /// Key of the random controls.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Number of the first environment; environment I + k draws the same controls in every batch.
    #[arg(long, value_name = "I", default_value_t = 0)]
    pub first_env: u64,
    /// Controls: zero, random (uniform in ctrlrange, else in [-1, 1]), or a float32 or float64 FILE.npy of shape (K, nu)
    /// or (K, N, nu). Left out, the controls of the keyframe or the state file stay.
    #[arg(long, value_name = "zero|random|FILE.npy", value_parser = controls)]
    pub controls: Option<ControlsChoice>,
    /// Keyframe to start from, by name or number.
    #[arg(long, value_name = "NAME|I", conflicts_with = "state")]
    pub keyframe: Option<String>,
    /// State to start from: any of qpos, qvel, act, qacc_warmstart, ctrl, qfrc_applied, xfrc_applied, eq_active,
    /// mocap_pos, mocap_quat and time, each of shape (n) or (N, n). What is absent comes from the model.
    #[arg(long, value_name = "FILE.npz")]
    pub state: Option<PathBuf>,
    /// File for qpos (K/R+1, N, nq), qvel, act and time, in the run's precision. What there is of it after Ctrl-C gets a name
    /// that says so: FILE.interrupted.npz.
    #[arg(long, value_name = "FILE.npz")]
    pub record: Option<PathBuf>,
    /// Control steps from one record to the next.
    #[arg(long, value_name = "R", default_value_t = 1, requires = "record", value_parser = at_least_one, allow_negative_numbers = true)]
    pub record_every: u64,
    /// File for the hash of every environment's final state, one a line. Ctrl-C leaves none.
    #[arg(long, value_name = "FILE")]
    pub hashes: Option<PathBuf>,
    /// Waits until the kernel for this model is compiled. Otherwise, where it was not compiled before, the first steps are the
    /// generic kernel's: the same states, later.
    #[arg(long)]
    pub wait_compile: bool,
    /// A smaller device to rehearse on this one: a well-known one or a file, as for `plan --device`. The plan obeys its
    /// memory, multiprocessors, registers and shared memory; on the CPU its memory counts.
    #[arg(long, value_name = "PRESET|LIMITS.json")]
    pub limits: Option<String>,
    /// Also measures the time of every stage.
    #[arg(long)]
    pub profile: bool,
    /// Looks for mistakes: runs kernels that check every index and, after each stage, every number. Slower, with the same
    /// states; the first finding ends the run and is named with stage, environment, array and index.
    #[arg(long)]
    pub checked: bool,
    /// Prints the summary as one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Choices that the simulator makes best itself.
    #[command(flatten)]
    pub forced: ForcedArguments,
}

/// Options for tests, the oracle and benchmarks: choices that the simulator makes best itself.
#[derive(Clone, Debug, Default, Args)]
pub struct ForcedArguments {
    /// Contacts that the fast workspace holds at first, so that environments with more are retried.
    #[arg(long, value_name = "N", hide = true)]
    pub fast_contacts: Option<u32>,
    /// Keeps the workspaces as they were planned. Otherwise they are re-sized between steps to what environments turn out to
    /// need, which changes speed and memory, and no state.
    #[arg(long)]
    pub no_learn: bool,
    /// Lanes that step one environment.
    #[arg(long, value_name = "T", hide = true)]
    pub lanes: Option<u32>,
    /// Workspace arrays that a GPU keeps in global memory.
    #[arg(long, value_name = "ARRAYS", hide = true, value_delimiter = ',')]
    pub pin_global: Vec<String>,
    /// Threads of the CPU executor.
    #[arg(long, value_name = "N", hide = true, value_parser = threads)]
    pub threads: Option<usize>,
    /// Uses the kernel that reads the model at run time, never a specialised one.
    #[arg(long, hide = true)]
    pub generic_only: bool,
    /// Device memory that may be taken, bytes.
    #[arg(long, value_name = "BYTES", hide = true)]
    pub memory_limit: Option<u64>,
    /// The solver's tolerance, instead of the model's.
    #[arg(long, value_name = "X", hide = true, value_parser = tolerance)]
    pub tolerance: Option<f64>,
    /// The solver's bound on iterations, instead of the model's.
    #[arg(long, value_name = "N", hide = true)]
    pub iterations: Option<u32>,
    /// Fraction of the slope below which the line search stops, instead of the model's.
    #[arg(long, value_name = "X", hide = true, value_parser = tolerance)]
    pub ls_tolerance: Option<f64>,
    /// The line search's bound on iterations, instead of the model's.
    #[arg(long, value_name = "N", hide = true)]
    pub ls_iterations: Option<u32>,
}

/// Options of `phalanx forward`.
#[derive(Debug, Args)]
pub struct ForwardArguments {
    /// The model, an MJCF file.
    pub model: PathBuf,
    /// Keyframe, by name or number.
    #[arg(long, value_name = "NAME|I", conflicts_with = "state")]
    pub keyframe: Option<String>,
    /// State: the fields that `phalanx run --state` reads, of one environment.
    #[arg(long, value_name = "FILE.npz")]
    pub state: Option<PathBuf>,
    /// Controls of shape (nu).
    #[arg(long, value_name = "FILE.npy")]
    pub controls: Option<PathBuf>,
    /// Contacts to use instead of those that are found: dist (n), pos (n, 3), frame (n, 9), geoms (n, 2).
    #[arg(long, value_name = "FILE.npz")]
    pub contacts: Option<PathBuf>,
    /// Precision of the numbers: f32 or f64.
    #[arg(long, value_name = "f32|f64", default_value = "f64", value_parser = precision)]
    pub precision: Precision,
    /// Prints every number as one JSON object; otherwise a summary.
    #[arg(long)]
    pub json: bool,
    /// Choices that the simulator makes best itself.
    #[command(flatten)]
    pub forced: ForcedArguments,
}

/// Options of `phalanx inspect`.
#[derive(Debug, Args)]
pub struct InspectArguments {
    /// The model, an MJCF file.
    pub model: PathBuf,
    /// Prints one JSON object, with every compiled array.
    #[arg(long)]
    pub json: bool,
}

/// Options of `phalanx plan`.
#[derive(Debug, Args)]
pub struct PlanArguments {
    /// The model, an MJCF file.
    pub model: PathBuf,
    /// Environments.
    #[arg(long, value_name = "N", value_parser = environments, allow_negative_numbers = true)]
    pub envs: u64,
    /// A device of this machine, a well-known one (rtx3060, rtx4090, rtx5090, a100, h100, h200, l40s, t4, jetson-orin),
    /// or a file of limits as `plan --json` writes them under "device".
    #[arg(long, value_name = "cuda:I|PRESET|LIMITS.json", default_value = "cuda:0")]
    pub device: String,
    /// A second device, written as the first: shows both plans side by side.
    #[arg(long, value_name = "cuda:I|PRESET|LIMITS.json")]
    pub diff: Option<String>,
    /// Outputs that are requested, and qfrc_applied or xfrc_applied where they are written: the plan makes room for them.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub request: Vec<String>,
    /// Model fields of which every environment has its own, such as body_mass.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub per_env: Vec<String>,
    /// Estimates what the kernels take from their launch bounds, without compiling them.
    #[arg(long)]
    pub estimate: bool,
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Contacts that the fast workspace holds.
    #[arg(long, value_name = "N", hide = true)]
    pub fast_contacts: Option<u32>,
    /// Lanes that step one environment.
    #[arg(long, value_name = "T", hide = true)]
    pub lanes: Option<u32>,
    /// Workspace arrays in global memory.
    #[arg(long, value_name = "ARRAYS", hide = true, value_delimiter = ',')]
    pub pin_global: Vec<String>,
    /// Device memory that may be taken, bytes.
    #[arg(long, value_name = "BYTES", hide = true)]
    pub memory_limit: Option<u64>,
}

/// Options of `phalanx ladder`.
#[derive(Debug, Args)]
pub struct LadderArguments {
    /// The model, an MJCF file.
    pub model: PathBuf,
    /// Environments of the first rung; every next one has twice as many.
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = environments, allow_negative_numbers = true)]
    pub from: u64,
    /// Environments of the last rung; left out, as many as fit.
    #[arg(long, value_name = "N", value_parser = environments, allow_negative_numbers = true)]
    pub max_envs: Option<u64>,
    /// Time steps of a rung. The first is a warm-up and not timed.
    #[arg(long, value_name = "K", default_value_t = 20, value_parser = at_least_one, allow_negative_numbers = true)]
    pub steps: u64,
    /// Stops after a rung that took longer; left out, 10 seconds on the CPU and no bound on a GPU.
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub max_seconds: Option<f64>,
    /// Where to run: auto, cpu or cuda:I. auto takes CUDA if a device answers.
    #[arg(long, value_name = "auto|cpu|cuda:I", default_value = "auto", value_parser = device)]
    pub device: DeviceChoice,
    /// A smaller device to rehearse on this one, as for `run --limits`.
    #[arg(long, value_name = "PRESET|LIMITS.json")]
    pub limits: Option<String>,
    /// Keyframe to start from, by name or number.
    #[arg(long, value_name = "NAME|I")]
    pub keyframe: Option<String>,
    /// File for a table of the rungs with every number. On a GPU calls are timed for it, some microseconds each.
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
    /// File for a plot of speed and memory over the number of environments.
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Measures one rung of so many environments in this process and prints it: how the ladder runs each of its rungs.
    #[arg(long, value_name = "N", hide = true)]
    pub rung: Option<u64>,
    /// Time steps of that rung.
    #[arg(long, value_name = "K", hide = true, requires = "rung", default_value_t = 1)]
    pub rung_steps: u64,
    /// Choices that the simulator makes best itself.
    #[command(flatten)]
    pub forced: ForcedArguments,
}

/// Options of `phalanx tune`.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// The model, an MJCF file.
    pub model: PathBuf,
    /// Environments. What is found holds for batches up to the next power of two.
    #[arg(long, value_name = "N", value_parser = environments, allow_negative_numbers = true)]
    pub envs: u64,
    /// Time steps to measure of every candidate. The first is a warm-up and not timed.
    #[arg(long, value_name = "K", default_value_t = 500, value_parser = value_parser!(u64).range(2..))]
    pub steps: u64,
    /// Where to run: auto, cpu or cuda:I. auto takes CUDA if a device answers.
    #[arg(long, value_name = "auto|cpu|cuda:I", default_value = "auto", value_parser = device)]
    pub device: DeviceChoice,
    /// Keyframe to start from, by name or number.
    #[arg(long, value_name = "NAME|I")]
    pub keyframe: Option<String>,
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Measures one row in this process and prints it: how each candidate is measured.
    #[arg(long, value_name = "ROW", hide = true)]
    pub candidate: Option<String>,
    /// Choices that the simulator makes best itself.
    #[command(flatten)]
    pub forced: ForcedArguments,
}

/// Options of `phalanx doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Where a run's controls come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlsChoice {
    /// All zero.
    Zero,
    /// Drawn by the simulator.
    Random,
    /// Read from a file.
    File(PathBuf),
}

/// The file of limits, unless they are those of a well-known device.
pub fn limits_file(limits: Option<&str>) -> Option<&Path> {
    limits.filter(|limits| limits.ends_with(".json")).map(Path::new)
}

impl RunArguments {
    /// The files that are read.
    pub fn inputs(&self) -> [Named<'_>; 4] {
        let controls = if let Some(ControlsChoice::File(path)) = &self.controls { Some(path.as_path()) } else { None };
        let limits = limits_file(self.limits.as_deref());
        let model = Some(self.model.as_path());
        [("MODEL", model), ("--controls", controls), ("--state", self.state.as_deref()), ("--limits", limits)]
    }

    /// The files that are written.
    pub fn outputs(&self) -> [Named<'_>; 2] {
        [("--record", self.record.as_deref()), ("--hashes", self.hashes.as_deref())]
    }
}

impl ForcedArguments {
    /// Puts the forced choices into the options of a simulation.
    pub fn apply(&self, options: &mut Options) {
        options.fast_contacts = self.fast_contacts;
        options.fixed_workspace = self.no_learn;
        options.lanes = self.lanes;
        options.pin_global.clone_from(&self.pin_global);
        options.threads = self.threads;
        options.generic_only = self.generic_only;
        options.memory_limit = self.memory_limit;
        options.solver.tolerance = self.tolerance;
        options.solver.ls_tolerance = self.ls_tolerance;
        options.solver.iterations = self.iterations;
        options.solver.ls_iterations = self.ls_iterations;
    }
}

fn device(text: &str) -> Result<DeviceChoice, String> {
    text.parse::<DeviceChoice>().map_err(|error| error.to_string())
}

fn precision(text: &str) -> Result<Precision, String> {
    text.parse::<Precision>().map_err(|error| error.to_string())
}

fn controls(text: &str) -> Result<ControlsChoice, String> {
    match text {
        "zero" => Ok(ControlsChoice::Zero),
        "random" => Ok(ControlsChoice::Random),
        file if file.ends_with(".npy") => Ok(ControlsChoice::File(file.into())),
        _ => Err("write zero, random or the name of a .npy file".into()),
    }
}

fn environments(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_ENVS).contains(number));
    number.ok_or_else(|| format!("write a whole number from 1 to {MAX_ENVS}"))
}

fn at_least_one(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "write a whole number, at least 1".into())
}

fn threads(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&threads| threads > 0).ok_or_else(|| "write a whole number, at least 1".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "write a number of seconds, more than 0".into())
}

fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "write a number, at least 0".into())
}
