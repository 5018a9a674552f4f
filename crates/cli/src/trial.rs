//! One trial of a batch, in a process of its own: nothing that goes wrong there ends the command, and every trial begins
//! with the memory that the last one has given back.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use phalanx_launch_planner::RowChoice;
use phalanx_model::Model;
use phalanx_sim_core::{DeviceChoice, Options, Simulation};

use crate::arguments::ForcedArguments;
use crate::commands::plan::limits_of;
use crate::controls::Controls;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::rollout::Rollout;
use crate::standard_output::print_json;
use crate::start_state::StartState;
use crate::trial_result::{Measured, TrialResult};

/// What to try.
#[derive(Debug)]
pub struct Trial<'a> {
    /// The model's file.
    pub model: &'a Path,
    /// Environments.
    pub num_envs: u64,
    /// Time steps, with random controls.
    pub steps: u64,
    /// Where.
    pub device: DeviceChoice,
    /// The smaller device to rehearse.
    pub limits: Option<&'a str>,
    /// The keyframe to start from.
    pub keyframe: Option<&'a str>,
    /// The row of the plan to ask for.
    pub row: Option<RowChoice>,
    /// Whether to hash the final state.
    pub hash: bool,
    /// Whether to time every call on a GPU too.
    pub time_calls: bool,
    /// Choices that the simulator makes best itself.
    pub forced: &'a ForcedArguments,
}

/// How often the command looks whether a trial is done or Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(20);

/// Runs this program's `command` again with `more` arguments, which make it print one trial of `num_envs` environments;
/// `None` if Ctrl-C was pressed.
pub fn in_another_process(command: &str, more: &[String], num_envs: u64, interrupt: &Interrupt) -> Option<TrialResult> {
    let mut child = match start(command, more) {
        Ok(child) => child,
        Err(error) => return Some(TrialResult::failed(num_envs, format!("no process can be started: {error}"))),
    };
    let status = loop {
        if interrupt.is_pressed() {
            // It may have ended already; either way nothing of it is left.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => std::thread::sleep(LOOK),
            Err(error) => return Some(TrialResult::failed(num_envs, format!("its process is lost: {error}"))),
        }
    };
    let mut printed = String::new();
    // One result is far smaller than what a pipe holds, so the child never waited for this.
    if let Some(mut stdout) = child.stdout.take() {
        let _ = stdout.read_to_string(&mut printed);
    }
    match serde_json::from_str(&printed) {
        Ok(rung) => Some(rung),
        Err(_) if status.code() == Some(INTERRUPTED.into()) => None,
        Err(_) => Some(TrialResult::failed(num_envs, how_it_ended(status))),
    }
}

/// Starts this program with the same arguments and `more` of them right after the command's name.
fn start(command: &str, more: &[String]) -> std::io::Result<Child> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let after = arguments.iter().position(|word| word == command).map_or(0, |position| position + 1);
    arguments.splice(after..after, more.iter().map(OsString::from));
    Command::new(std::env::current_exe()?).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
}

fn how_it_ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let memory = if signal == 9 { "; the machine may have run out of memory" } else { "" };
        return format!("its process was ended by signal {signal}{memory}");
    }
    format!("its process ended without a result ({status}); its messages are above")
}

impl Trial<'_> {
    /// Runs the trial in this process and prints its result: what the other process does.
    pub fn print_result(&self) -> Result<ExitCode, Failure> {
        let interrupt = Interrupt::listen();
        let started = Instant::now();
        let result = match self.run(&interrupt) {
            Ok(Some(measured)) => {
                let wall_seconds = started.elapsed().as_secs_f64();
                TrialResult::measured(self.num_envs, Measured { wall_seconds, ..measured })
            }
            Ok(None) => return Ok(ExitCode::from(INTERRUPTED)),
            Err(Failure::Usage(reason) | Failure::Run(reason)) => TrialResult::failed(self.num_envs, reason),
        };
        print_json(&result).map(|()| ExitCode::SUCCESS)
    }

    /// `None` if Ctrl-C was pressed.
    fn run(&self, interrupt: &Interrupt) -> Result<Option<Measured>, Failure> {
        let model = Model::from_file(self.model)?;
        let start = StartState::read(&model, self.keyframe, None, self.num_envs)?;
        let mut options = Options::envs(self.num_envs);
        // The kernel that the row is about, not the one that stands in for it.
        options.wait_for_specialised = true;
        options.device = self.device;
        self.forced.apply(&mut options);
        options.limits = self.limits.map(limits_of).transpose()?;
        options.row = self.row.clone();
        options.time_calls = self.time_calls;

        let mut simulation = Simulation::new(&model, options)?;
        start.apply(&mut simulation)?;
        let mut measured = Measured::of_plan(simulation.plan());
        measured.device = simulation.device_name().to_string();
        measured.compile_seconds = simulation.compile_seconds();
        let rollout = Rollout { controls: &Controls::Random, steps: self.steps, decimation: 1, interrupt };
        let outcome = rollout.run(&mut simulation, None)?;
        if outcome.interrupted {
            return Ok(None);
        }
        if !measured.on_cpu {
            measured.device_memory_used_bytes = device_memory_used(self.device);
        }
        let statistics = simulation.statistics()?;
        measured.learned(&simulation.seen()?, simulation.plan());
        measured.mean_call_seconds = outcome.calls.mean_seconds();
        measured.slowest_call_seconds = outcome.calls.slowest_seconds;
        measured.retried_in_slowest_call = outcome.calls.retried_in_slowest;
        measured.not_finite = statistics.not_finite;
        measured.not_converged = statistics.not_converged;
        measured.retried = statistics.retried;
        (measured.steps, measured.timed_env_steps) = (outcome.steps, outcome.timed_env_steps);
        measured.timed_seconds = outcome.seconds;
        measured.env_steps_per_second = measured.timed_env_steps as f64 / outcome.seconds.max(1e-9);
        if self.hash {
            measured.state_hash = Some(format!("{:016x}", simulation.state_hash()?));
        }
        Ok(Some(measured))
    }
}

/// Bytes in use on the device that the simulation is on, by the driver's count.
#[cfg(all(feature = "cuda", target_os = "linux"))]
fn device_memory_used(choice: DeviceChoice) -> Option<u64> {
    let ordinal = if let DeviceChoice::Cuda(ordinal) = choice { ordinal } else { 0 };
    let memory = phalanx_gpu_kernels::cuda::Device::open(ordinal).and_then(|device| device.memory()).ok()?;
    Some(memory.total - memory.free)
}

#[cfg(not(all(feature = "cuda", target_os = "linux")))]
fn device_memory_used(_: DeviceChoice) -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_dies_is_a_reason() {
        let ended = |script: &str| how_it_ended(Command::new("sh").args(["-c", script]).status().unwrap());
        assert_eq!(ended("kill -9 $$"), "its process was ended by signal 9; the machine may have run out of memory");
        assert!(ended("exit 101").starts_with("its process ended without a result (exit status: 101)"));
    }
}
