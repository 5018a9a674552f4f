//! `phalanx run`: steps a batch and sums up how fast it went, what the physics did and which faults there were.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use phalanx_launch_planner::Capacity;
use phalanx_model::Model;
use phalanx_sim_core::{
    CallTimes, DeviceChoice, Options, Precision, RANDOM_ENVIRONMENTS, RANDOM_STEPS, Seen, Simulation,
};
use serde::Serialize;

use crate::arguments::{ControlsChoice, RunArguments};
use crate::commands::plan::limits_of;
use crate::controls::Controls;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::json_shape::Pairs;
use crate::progress::{duration, with_unit};
use crate::record::Recorder;
use crate::rollout::{Outcome, Rollout};
use crate::same_file::refuse_overwriting;
use crate::standard_output::{print, print_json};
use crate::start_state::StartState;
use crate::trial_result::jacobian_entries;
use crate::whole_file::WholeFile;

/// Runs the command.
pub fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    // Whatever can be wrong with the input is found before anything is allocated or compiled.
    let options = options(arguments)?;
    refuse_overwriting(&arguments.inputs(), &arguments.outputs())?;
    let model = Model::from_file(&arguments.model)?;
    let start = StartState::read(&model, arguments.keyframe.as_deref(), arguments.state.as_deref(), arguments.envs)?;
    let controls = Controls::read(arguments.controls.as_ref(), &model, arguments.steps, arguments.envs)?;
    for file in [&arguments.record, &arguments.hashes].into_iter().flatten() {
        WholeFile::try_out(file)?;
    }

    let interrupt = Interrupt::listen();
    let mut simulation = Simulation::new(&model, options)?;
    start.apply(&mut simulation)?;
    let record = arguments.record.as_deref();
    let often = (arguments.steps, arguments.record_every);
    let start_recorder = |target| Recorder::start(target, often, arguments.precision, &simulation);
    let mut recorder = record.map(start_recorder).transpose()?;

    let (steps, decimation) = (arguments.steps, u64::from(arguments.decimation));
    let rollout = Rollout { controls: &controls, steps, decimation, interrupt: &interrupt };
    let outcome = rollout.run(&mut simulation, recorder.as_mut())?;

    let summary = Summary::of(arguments, &mut simulation, outcome)?;
    if outcome.interrupted {
        recorder.map(keep_interrupted).transpose()?;
        if arguments.hashes.is_some() {
            tracing::warn!("interrupted: the hashes are not written, since they would be of another state");
        }
    } else {
        recorder.map(Recorder::finish).transpose()?;
        arguments.hashes.as_deref().map(|path| write_hashes(path, &mut simulation)).transpose()?;
    }
    if summary.faults.not_finite > 0 {
        let first = simulation.first_bad_quantity()?.map_or(String::new(), |bad| format!("; the first is {bad}"));
        tracing::warn!("{} environments became NaN or too large and are frozen{first}", summary.faults.not_finite);
    }
    if arguments.json {
        print_json(&summary)?
    } else {
        print(&summary.text())?
    }
    Ok(if outcome.interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// What is recorded of a run that Ctrl-C ended, under a name that says so.
fn keep_interrupted(recorder: Recorder) -> Result<(), Failure> {
    let records = recorder.records();
    match recorder.finish_interrupted()? {
        Some(path) => tracing::warn!("interrupted: {records} records are in {}", path.display()),
        None => tracing::warn!("interrupted: the record is not written, since it would look whole"),
    }
    Ok(())
}

/// Writes the hash of every environment's state, 16 hexadecimal digits a line.
fn write_hashes(path: &Path, simulation: &mut Simulation) -> Result<(), Failure> {
    let mut file = WholeFile::create(path)?;
    for hash in simulation.env_hashes()? {
        writeln!(file, "{hash:016x}").map_err(|error| Failure::file(path, error))?;
    }
    file.finish()
}

fn options(arguments: &RunArguments) -> Result<Options, Failure> {
    if arguments.precision == Precision::F64 && matches!(arguments.device, DeviceChoice::Cuda(_)) {
        let message = "--precision f64 runs on the CPU; write --device cpu, or leave --device out";
        return Err(Failure::Usage(message.into()));
    }
    if arguments.steps.checked_mul(arguments.decimation.into()).is_none() {
        return Err(Failure::Usage("--steps times --decimation is more than can be counted; write fewer".into()));
    }
    if arguments.first_env.checked_add(arguments.envs).is_none_or(|end| end > RANDOM_ENVIRONMENTS) {
        let message = format!("--first-env and --envs together are more than {RANDOM_ENVIRONMENTS}; write fewer");
        return Err(Failure::Usage(message));
    }
    if arguments.controls == Some(ControlsChoice::Random) && arguments.steps > RANDOM_STEPS {
        let message =
            format!("random controls are drawn for at most {RANDOM_STEPS} control steps; write fewer --steps");
        return Err(Failure::Usage(message));
    }
    let mut options = Options::envs(arguments.envs);
    options.device = if arguments.precision == Precision::F64 { DeviceChoice::Cpu } else { arguments.device };
    options.precision = arguments.precision;
    options.seed = arguments.seed;
    options.first_env = arguments.first_env;
    options.profile = arguments.profile;
    options.time_calls = arguments.profile; // two events and a message to the host for each call
    options.checked = arguments.checked;
    options.wait_for_specialised = arguments.wait_compile;
    arguments.forced.apply(&mut options);
    options.limits = arguments.limits.as_deref().map(limits_of).transpose()?;
    Ok(options)
}

/// What a run prints. The fields are the keys of the JSON, in this order; times are seconds.
#[derive(Debug, Serialize)]
struct Summary {
    model: String,
    device: String,
    precision: &'static str,
    envs: u64,
    first_env: u64,
    seed: u64,
    steps: u64,
    decimation: u32,
    timestep: f64,
    interrupted: bool,
    env_steps_per_second: f64,
    timed_seconds: f64,
    timed_env_steps: u64,
    compile_seconds: f64,
    generic_calls: u64,
    specialised_calls: u64,
    checked: bool,
    contacts_mean: f64,
    rows_mean: f64,
    solver_iterations_mean: f64,
    workspace: Workspace,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Calls>,
    faults: Faults,
    state_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage_seconds: Option<Pairs<String, f64>>,
}

/// What environments needed at most, and the fast workspace that came of it.
#[derive(Clone, Copy, Debug, Serialize)]
struct Workspace {
    most_contacts: u32,
    contact_capacity: u32,
    most_jacobian_entries: u32,
    jacobian_entry_capacity: u32,
    most_joint_rows: u32,
    resizes: u32,
    retried_calls: u64,
    most_retried_in_a_call: u32,
}

/// Times of the timed calls; environments, not their steps, are counted as retried.
#[derive(Clone, Copy, Debug, Serialize)]
struct Calls {
    timed: u64,
    mean_seconds: f64,
    slowest_seconds: f64,
    retried_in_slowest: u32,
}

/// Faults of a run: environments that are frozen, and environment steps that were done twice or ended early.
#[derive(Clone, Copy, Debug, Serialize)]
struct Faults {
    not_finite: u64,
    retried: u64,
    not_converged: u64,
}

impl Summary {
    fn of(arguments: &RunArguments, simulation: &mut Simulation, outcome: Outcome) -> Result<Summary, Failure> {
        let statistics = simulation.statistics()?;
        let kernels = simulation.step_kernels();
        let (timed_env_steps, seconds) = (outcome.timed_env_steps, outcome.seconds);
        Ok(Summary {
            model: arguments.model.display().to_string(),
            device: simulation.device_name().to_string(),
            precision: if arguments.precision == Precision::F64 { "f64" } else { "f32" },
            envs: arguments.envs,
            first_env: arguments.first_env,
            seed: arguments.seed,
            steps: outcome.steps,
            decimation: arguments.decimation,
            timestep: simulation.model().opt.timestep,
            interrupted: outcome.interrupted,
            // A run that Ctrl-C ended in its first step has no speed.
            env_steps_per_second: if seconds > 0.0 { timed_env_steps as f64 / seconds } else { 0.0 },
            timed_seconds: seconds,
            timed_env_steps,
            compile_seconds: simulation.compile_seconds(),
            generic_calls: kernels.generic_calls,
            specialised_calls: kernels.specialised_calls,
            checked: arguments.checked,
            contacts_mean: statistics.contacts_mean(),
            rows_mean: statistics.rows_mean(),
            solver_iterations_mean: statistics.solver_iterations_mean(),
            workspace: Workspace::of(&simulation.seen()?, simulation.plan().step().capacity),
            // On a GPU calls are timed for --profile only.
            calls: (outcome.calls.calls > 0 && (arguments.profile || arguments.json))
                .then(|| Calls::of(&outcome.calls)),
            faults: Faults {
                not_finite: statistics.not_finite,
                retried: statistics.retried,
                not_converged: statistics.not_converged,
            },
            state_hash: format!("{:016x}", simulation.state_hash()?),
            stage_seconds: if arguments.profile { Some(Pairs(simulation.stage_seconds()?)) } else { None },
        })
    }

    fn text(&self) -> String {
        let (steps, envs) = (self.steps, self.envs);
        let times = if self.decimation == 1 { String::new() } else { format!("{} x ", self.decimation) };
        let interrupted = if self.interrupted { ", interrupted" } else { "" };
        let mut lines = vec![
            format!(
                "{}: {envs} x {steps} steps of {times}{} s on {}{interrupted}",
                self.model, self.timestep, self.device
            ),
            format!(
                "speed       {} environment steps/s ({} after the first step)",
                with_unit(self.env_steps_per_second),
                duration(self.timed_seconds)
            ),
            format!("compile     {}", duration(self.compile_seconds)),
            format!("kernel      {}", self.kernel_text()),
            format!(
                "a step      {:.2} contacts, {:.2} rows, {:.2} solver iterations",
                self.contacts_mean, self.rows_mean, self.solver_iterations_mean
            ),
            format!("workspace   {}", self.workspace.text()),
            format!("faults      {}", self.faults.text()),
            format!("state hash  {}", self.state_hash),
        ];
        if let Some(calls) = self.calls {
            lines.push(format!(
                "a call      {:.3} ms on average; the slowest {:.3} ms, with {} environments retried",
                1e3 * calls.mean_seconds,
                1e3 * calls.slowest_seconds,
                calls.retried_in_slowest
            ));
        }
        if self.stage_seconds.is_some() {
            lines.push("stages, summed over the threads or teams that work side by side".into());
        }
        let stages = || self.stage_seconds.iter().flat_map(|stages| &stages.0);
        let all = stages().map(|(_, seconds)| seconds).sum::<f64>().max(f64::MIN_POSITIVE);
        for (stage, seconds) in stages() {
            lines.push(format!("  {stage:<20} {:>5.1} %  {:>10}", 100.0 * seconds / all, duration(*seconds)));
        }
        lines.join("\n") + "\n"
    }
}

impl Summary {
    /// Which kernel stepped the batch.
    fn kernel_text(&self) -> String {
        match (self.generic_calls, self.specialised_calls) {
            _ if self.checked => "generic, checked: nothing was found".into(),
            (_, 0) => "generic".into(),
            (0, _) => "specialised for the model".into(),
            (n, _) => format!("generic for {n} calls, then specialised for the model (--wait-compile waits for it)"),
        }
    }
}

impl Workspace {
    fn of(seen: &Seen, capacity: Capacity) -> Workspace {
        Workspace {
            most_contacts: seen.most.contacts,
            contact_capacity: capacity.contacts,
            most_jacobian_entries: seen.most.jacobian_entries,
            jacobian_entry_capacity: jacobian_entries(capacity),
            most_joint_rows: seen.most.joint_rows,
            resizes: seen.resizes,
            retried_calls: seen.retried_calls,
            most_retried_in_a_call: seen.most_retried,
        }
    }

    fn text(self) -> String {
        let resized = match self.resizes {
            0 => String::new(),
            1 => "; re-sized once".to_string(),
            n => format!("; re-sized {n} times"),
        };
        format!(
            "at most {} contacts and {} Jacobian entries, of {} and {} that it holds{resized}",
            self.most_contacts, self.most_jacobian_entries, self.contact_capacity, self.jacobian_entry_capacity
        )
    }
}

impl Calls {
    fn of(times: &CallTimes) -> Calls {
        Calls {
            timed: times.calls,
            mean_seconds: times.mean_seconds(),
            slowest_seconds: times.slowest_seconds,
            retried_in_slowest: times.retried_in_slowest,
        }
    }
}

impl Faults {
    fn text(self) -> String {
        let frozen = match self.not_finite {
            0 => "0 environments not finite".to_string(),
            n => format!("{n} environments not finite (frozen at their last finite state)"),
        };
        let Faults { retried, not_converged, .. } = self;
        format!("{frozen}; environment steps: {retried} retried, {not_converged} not converged")
    }
}
