//! Measures one rung, in a process of its own: nothing that goes wrong there ends the ladder, and every rung begins with
//! the memory that the last one has given back.

use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use phalanx_model::Model;
use phalanx_sim_core::{DeviceChoice, Options, Simulation};

use crate::arguments::LadderArguments;
use crate::commands::plan::limits_of;
use crate::controls::Controls;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::ladder::rung::{Measured, Rung};
use crate::rollout::Rollout;
use crate::start_state::StartState;

/// How often the ladder looks whether a rung is done or Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(20);

/// Measures `num_envs` environments in another process of this program; `None` if Ctrl-C was pressed.
pub fn in_another_process(num_envs: u64, steps: u64, interrupt: &Interrupt) -> Option<Rung> {
    let mut child = match start(num_envs, steps) {
        Ok(child) => child,
        Err(error) => return Some(Rung::failed(num_envs, format!("no process can be started: {error}"))),
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
            Err(error) => return Some(Rung::failed(num_envs, format!("its process is lost: {error}"))),
        }
    };
    let mut printed = String::new();
    // One rung is far smaller than what a pipe holds, so the child never waited for this.
    if let Some(mut stdout) = child.stdout.take() {
        let _ = stdout.read_to_string(&mut printed);
    }
    match serde_json::from_str(&printed) {
        Ok(rung) => Some(rung),
        Err(_) if status.code() == Some(INTERRUPTED.into()) => None,
        Err(_) => Some(Rung::failed(num_envs, how_it_ended(status))),
    }
}

/// Starts this program with the same arguments and the rung to measure.
fn start(num_envs: u64, steps: u64) -> std::io::Result<Child> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = arguments.iter().position(|word| word == "ladder").map_or(0, |position| position + 1);
    let rung = ["--rung".into(), num_envs.to_string(), "--rung-steps".into(), steps.to_string()];
    arguments.splice(command..command, rung.map(OsString::from));
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

/// Measures one rung here. `None` if Ctrl-C was pressed.
pub fn here(arguments: &LadderArguments, num_envs: u64) -> Option<Rung> {
    let interrupt = Interrupt::listen();
    let (steps, started) = (arguments.rung_steps, Instant::now());
    match try_measure(arguments, num_envs, steps, &interrupt) {
        Ok(Some(mut measured)) => {
            measured.wall_seconds = started.elapsed().as_secs_f64();
            Some(Rung::measured(num_envs, measured))
        }
        Ok(None) => None,
        Err(Failure::Usage(reason) | Failure::Run(reason)) => Some(Rung::failed(num_envs, reason)),
    }
}

fn try_measure(
    arguments: &LadderArguments,
    num_envs: u64,
    steps: u64,
    interrupt: &Interrupt,
) -> Result<Option<Measured>, Failure> {
    let model = Model::from_file(&arguments.model)?;
    let start = StartState::read(&model, arguments.keyframe.as_deref(), None, num_envs)?;
    let mut options = Options::envs(num_envs);
    options.device = arguments.device;
    arguments.forced.apply(&mut options);
    options.limits = arguments.limits.as_deref().map(limits_of).transpose()?;

    let mut simulation = Simulation::new(&model, options)?;
    start.apply(&mut simulation)?;
    let mut measured = Measured::of_plan(simulation.plan());
    measured.device = simulation.device_name().to_string();
    measured.compile_seconds = simulation.compile_seconds();
    let rollout = Rollout { controls: &Controls::Random, steps, decimation: 1, interrupt };
    let outcome = rollout.run(&mut simulation, None)?;
    if outcome.interrupted {
        return Ok(None);
    }
    if !measured.on_cpu {
        measured.device_memory_used_bytes = device_memory_used(arguments.device);
    }
    let statistics = simulation.statistics()?;
    (measured.most_contacts, measured.most_jacobian_entries) = simulation.high_water_marks()?;
    measured.not_finite = statistics.not_finite;
    measured.not_converged = statistics.not_converged;
    measured.retried = statistics.retried;
    (measured.steps, measured.timed_steps, measured.timed_seconds) =
        (outcome.steps, outcome.timed_steps, outcome.seconds);
    measured.env_steps_per_second = outcome.timed_steps as f64 * num_envs as f64 / outcome.seconds.max(1e-9);
    Ok(Some(measured))
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
