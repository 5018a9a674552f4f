//! `phalanx ladder`: doubles the number of environments to the edge of the device and reports every rung.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use phalanx_model::Model;
use serde::Serialize;

use crate::arguments::{LadderArguments, limits_file};
use crate::commands::plan::limits_of;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::ladder::climb::{Climb, Climbed, Try};
use crate::ladder::{plot, report};
use crate::same_file::refuse_overwriting;
use crate::standard_output::{print, print_json};
use crate::start_state::StartState;
use crate::trial::{Trial, in_another_process};
use crate::trial_result::TrialResult as Rung;
use crate::whole_file::WholeFile;

/// Time steps at the edge: enough to know that so many environments run.
const EDGE_STEPS: u64 = 2;

/// A rung on the CPU takes at most about twice as long as this, if the user says nothing else.
const CPU_SECONDS: f64 = 10.0;

/// Runs the command.
pub fn ladder(arguments: &LadderArguments) -> Result<ExitCode, Failure> {
    if let Some(num_envs) = arguments.rung {
        return Trial {
            model: &arguments.model,
            num_envs,
            steps: arguments.rung_steps,
            device: arguments.device,
            limits: arguments.limits.as_deref(),
            keyframe: arguments.keyframe.as_deref(),
            row: None,
            hash: false,
            time_calls: arguments.json || arguments.csv.is_some(),
            forced: &arguments.forced,
        }
        .print_result();
    }
    // Whatever can be wrong with the input is found before the first rung.
    if let Some(most) = arguments.max_envs.filter(|most| *most < arguments.from) {
        let message = format!("--max-envs {most} is less than --from {}; write at least as much", arguments.from);
        return Err(Failure::Usage(message));
    }
    let (model, limits) = (Some(arguments.model.as_path()), limits_file(arguments.limits.as_deref()));
    let outputs = [("--csv", arguments.csv.as_deref()), ("--plot", arguments.plot.as_deref())];
    refuse_overwriting(&[("MODEL", model), ("--limits", limits)], &outputs)?;
    let model = Model::from_file(&arguments.model)?;
    StartState::read(&model, arguments.keyframe.as_deref(), None, 1)?;
    arguments.limits.as_deref().map(limits_of).transpose()?;
    for file in [&arguments.csv, &arguments.plot].into_iter().flatten() {
        WholeFile::try_out(file)?;
    }

    let interrupt = Interrupt::listen();
    let cpu_seconds = arguments.max_seconds.unwrap_or(CPU_SECONDS);
    let gpu_seconds = arguments.max_seconds.unwrap_or(f64::INFINITY);
    let climb = Climb { from: arguments.from, max_envs: arguments.max_envs, max_seconds: (cpu_seconds, gpu_seconds) };
    let climbed = climb.climb(|next| {
        let (num_envs, steps) = match next {
            Try::Rung(num_envs) => (num_envs, arguments.steps),
            Try::Edge(num_envs) => (num_envs, arguments.steps.min(EDGE_STEPS)),
        };
        let more = ["--rung".into(), num_envs.to_string(), "--rung-steps".into(), steps.to_string()];
        let rung = in_another_process("ladder", &more, num_envs, &interrupt);
        rung.iter().for_each(log);
        rung
    });
    write_reports(arguments, &climbed)?;
    Ok(match climbed {
        _ if climbed.interrupted => ExitCode::from(INTERRUPTED),
        _ if climbed.largest.is_none() => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

fn log(rung: &Rung) {
    match (&rung.measured, &rung.failed) {
        (Some(measured), _) => {
            tracing::info!("{} environments: {:.0} steps/s", rung.num_envs, measured.env_steps_per_second);
        }
        (None, Some(reason)) => tracing::info!("{} environments: {reason}", rung.num_envs),
        (None, None) => {}
    }
}

/// What a ladder prints as JSON.
#[derive(Debug, Serialize)]
struct Report<'a> {
    model: String,
    rungs: &'a [Rung],
    max_num_envs: Option<u64>,
    max_num_envs_was_run: bool,
    max_num_envs_is_edge: bool,
    ended: &'a str,
    interrupted: bool,
}

fn write_reports(arguments: &LadderArguments, climbed: &Climbed) -> Result<(), Failure> {
    let model = arguments.model.display().to_string();
    // First what was measured, then the files: a full disk must not take the numbers along.
    if arguments.json {
        print_json(&Report {
            model: model.clone(),
            rungs: &climbed.rungs,
            max_num_envs: climbed.largest.map(|largest| largest.num_envs),
            max_num_envs_was_run: climbed.largest.is_some_and(|largest| largest.run),
            max_num_envs_is_edge: climbed.largest.is_some_and(|largest| largest.is_edge),
            ended: &climbed.ended,
            interrupted: climbed.interrupted,
        })?;
    } else {
        print(&report::table(&model, climbed))?;
    }
    if let Some(path) = &arguments.csv {
        write(path, &report::csv(climbed))?;
    }
    if let Some(path) = &arguments.plot {
        match plot::svg(&model, climbed) {
            Ok(text) => write(path, &text)?,
            Err(reason) => tracing::warn!("{}: {reason}", path.display()),
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file = WholeFile::create(path)?;
    file.write_all(text.as_bytes()).map_err(|error| Failure::file(path, error))?;
    file.finish()
}
