//! `phalanx tune`: measures the rows of the plan that are worth it and keeps the fastest for the runs to come.
//!
//! A row changes no bits, and here that is checked: all candidates must end in the same state, or nothing is kept.

use std::process::ExitCode;

use phalanx_gpu_kernels::compile::Cache;
use phalanx_gpu_kernels::cuda;
use phalanx_gpu_kernels::planning::candidate_plans;
use phalanx_gpu_kernels::shape::Shape;
use phalanx_gpu_kernels::tuning::{Tuned, TuningKey, TuningStore};
use phalanx_launch_planner::{Demand, DeviceLimits, RowChoice};
use phalanx_model::Model;
use phalanx_sim_core::DeviceChoice;
use serde::Serialize;

use crate::arguments::TuneArguments;
use crate::commands::plan::limits_of;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::progress::with_unit;
use crate::standard_output::{print, print_json};
use crate::start_state::StartState;
use crate::trial::{Trial, in_another_process};
use crate::trial_result::TrialResult;

/// A row replaces the planner's own if it is faster by this factor: less is noise.
const WORTH_IT: f64 = 1.02;

/// What a machine without a GPU is told.
const NOTHING_TO_TUNE: &str = "there is nothing to tune on the CPU: every thread steps one environment at a time";

/// Runs the command.
pub fn tune(arguments: &TuneArguments) -> Result<ExitCode, Failure> {
    if let Some(row) = &arguments.candidate {
        let row = serde_json::from_str(row).map_err(|error| Failure::Usage(format!("--candidate: {error}")))?;
        return Trial {
            model: &arguments.model,
            num_envs: arguments.envs,
            steps: arguments.steps,
            device: arguments.device,
            limits: None,
            keyframe: arguments.keyframe.as_deref(),
            row: Some(row),
            hash: true,
            time_calls: false,
            forced: &arguments.forced,
        }
        .print_result();
    }
    let model = Model::from_file(&arguments.model)?;
    StartState::read(&model, arguments.keyframe.as_deref(), None, 1)?;
    let Some(ordinal) = ordinal(arguments.device) else {
        let report = Report { ended: NOTHING_TO_TUNE.into(), ..Report::new(arguments, "CPU") };
        return report.print(arguments.json).map(|()| ExitCode::SUCCESS);
    };
    let limits = limits_of(&format!("cuda:{ordinal}"))?;
    let demand = Demand {
        lanes: arguments.forced.lanes,
        memory_limit: arguments.forced.memory_limit,
        fast_contacts: arguments.forced.fast_contacts,
        ..Demand::envs(arguments.envs)
    };
    let rows = candidate_plans(&model, &limits, &demand)?.iter().map(RowChoice::of).collect::<Vec<_>>();

    let interrupt = Interrupt::listen();
    let mut report = Report::new(arguments, &limits.name);
    for row in rows {
        let more = ["--candidate".to_string(), serde_json::to_string(&row).unwrap_or_default()];
        let Some(result) = in_another_process("tune", &more, arguments.envs, &interrupt) else {
            report.ended = "interrupted; nothing was kept".into();
            report.print(arguments.json)?;
            return Ok(ExitCode::from(INTERRUPTED));
        };
        let candidate = Candidate { row, result };
        tracing::info!("{}", candidate.text(None));
        report.candidates.push(candidate);
    }
    let outcome = match fastest(&report.candidates) {
        Ok(index) => {
            report.fastest = Some(index);
            keep(&report.candidates, index, &model, &limits, arguments.envs)
        }
        Err(reason) => Err(reason),
    };
    let code = if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    report.ended = outcome.unwrap_or_else(|reason| format!("{reason}; nothing was kept"));
    report.print(arguments.json)?;
    Ok(code)
}

/// The number of the GPU to tune; `None` for the CPU.
fn ordinal(device: DeviceChoice) -> Option<usize> {
    match device {
        DeviceChoice::Cpu => None,
        DeviceChoice::Cuda(ordinal) => Some(ordinal),
        DeviceChoice::Auto => cuda::device_count().is_ok_and(|count| count > 0).then_some(0),
    }
}

/// A row and how it did.
#[derive(Clone, Debug, Serialize)]
struct Candidate {
    row: RowChoice,
    #[serde(flatten)]
    result: TrialResult,
}

impl Candidate {
    fn speed(&self) -> Option<f64> {
        self.result.measured.as_ref().map(|measured| measured.env_steps_per_second)
    }

    /// One line: speed, that in terms of the planner's own row, the row.
    fn text(&self, own: Option<f64>) -> String {
        let row = &self.row;
        match (self.speed(), &self.result.failed) {
            (Some(speed), _) => {
                let times = own.map_or(String::new(), |own| format!("{:.2} times", speed / own));
                format!("{:>8} steps/s  {times:>10}   {row}", with_unit(speed))
            }
            (None, reason) => format!("failed   {row}: {}", reason.as_deref().unwrap_or("nothing was measured")),
        }
    }
}

/// The index of the row to use: the fastest, or the planner's own, which is the first, where nothing is clearly faster.
/// Refuses candidates that end in different states.
fn fastest(candidates: &[Candidate]) -> Result<usize, String> {
    let measured = || candidates.iter().enumerate().filter_map(|(index, candidate)| Some((index, candidate.speed()?)));
    let Some((first, _)) = measured().next() else { return Err("no candidate ran".into()) };
    let hash = |index: usize| candidates[index].result.measured.as_ref().and_then(|m| m.state_hash.as_deref());
    if let Some((other, _)) = measured().find(|(index, _)| hash(*index) != hash(first)) {
        return Err(format!(
            "the final states differ, which they must not: {} has {}, {} has {}; please report it with the model",
            candidates[first].row,
            hash(first).unwrap_or("no hash"),
            candidates[other].row,
            hash(other).unwrap_or("no hash"),
        ));
    }
    let best = measured().max_by(|(_, one), (_, other)| one.total_cmp(other)).map_or(first, |(index, _)| index);
    let clearly = |own: f64| candidates[best].speed().is_some_and(|speed| speed >= own * WORTH_IT);
    Ok(if candidates[0].speed().is_none_or(clearly) { best } else { 0 })
}

/// Stores the row and says where.
fn keep(
    candidates: &[Candidate],
    index: usize,
    model: &Model,
    limits: &DeviceLimits,
    num_envs: u64,
) -> Result<String, String> {
    let driver = cuda::driver_version().map_err(|error| error.to_string())?;
    let shape = Shape::of(model).map_err(|error| error.to_string())?;
    let tuned = Tuned {
        key: TuningKey::of(limits, driver, &shape, num_envs),
        model: shape.name.clone(),
        num_envs,
        row: candidates[index].row.clone(),
        env_steps_per_second: candidates[index].speed().unwrap_or(0.0),
        planners_own: candidates[0].speed(),
    };
    let path = TuningStore::beside(&Cache::from_env()).put(&tuned).map_err(|error| error.to_string())?;
    Ok(format!("the next runs use the fastest row; kept in {}", path.display()))
}

/// What is printed. The first candidate is the planner's own row.
#[derive(Debug, Serialize)]
struct Report {
    model: String,
    device: String,
    envs: u64,
    candidates: Vec<Candidate>,
    fastest: Option<usize>,
    ended: String,
}

impl Report {
    fn new(arguments: &TuneArguments, device: &str) -> Report {
        Report {
            model: arguments.model.display().to_string(),
            device: device.to_string(),
            envs: arguments.envs,
            candidates: Vec::new(),
            fastest: None,
            ended: String::new(),
        }
    }

    fn print(&self, json: bool) -> Result<(), Failure> {
        if json { print_json(self) } else { print(&self.text()) }
    }

    fn text(&self) -> String {
        let mut lines = vec![format!("{} x {} on {}", self.model, self.envs, self.device)];
        let own = self.candidates.first().and_then(Candidate::speed);
        for (index, candidate) in self.candidates.iter().enumerate() {
            let mark = if self.fastest == Some(index) { "*" } else { " " };
            let note = if index == 0 { " (the planner's own)" } else { "" };
            lines.push(format!("{mark} {}{note}", candidate.text(own)));
        }
        lines.push(self.ended.clone());
        lines.join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial_result::Measured;
    use phalanx_gpu_kernels::planning::plan_model;

    /// A candidate for each speed; `None` failed.
    fn candidates(speeds: &[Option<f64>]) -> Vec<Candidate> {
        let xml = "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>";
        let model = Model::from_xml(xml, "pendulum.xml").unwrap();
        let plan = plan_model(&model, &DeviceLimits::preset("h200").unwrap(), &Demand::envs(8)).unwrap();
        let candidate = |speed: &Option<f64>| {
            let result = match speed {
                Some(speed) => {
                    let state_hash = Some("00ff".to_string());
                    let measured = Measured { env_steps_per_second: *speed, state_hash, ..Measured::of_plan(&plan) };
                    TrialResult::measured(8, measured)
                }
                None => TrialResult::failed(8, "out of memory"),
            };
            Candidate { row: RowChoice::of(&plan), result }
        };
        speeds.iter().map(candidate).collect()
    }

    #[test]
    fn the_fastest_row_wins_if_it_is_clearly_faster() {
        assert_eq!(fastest(&candidates(&[Some(100.0), Some(150.0), Some(120.0)])), Ok(1));
        assert_eq!(fastest(&candidates(&[Some(100.0), Some(101.0), Some(90.0)])), Ok(0));
        assert_eq!(fastest(&candidates(&[None, Some(10.0), None, Some(11.0)])), Ok(3));
        assert_eq!(fastest(&candidates(&[None, None])), Err("no candidate ran".into()));
    }

    #[test]
    fn rows_that_end_in_different_states_are_refused() {
        let mut found = candidates(&[Some(100.0), None, Some(150.0)]);
        if let Some(measured) = &mut found[2].result.measured {
            measured.state_hash = Some("ff00".to_string());
        }
        let reason = fastest(&found).unwrap_err();
        assert!(reason.contains("00ff") && reason.contains("ff00") && reason.contains("must not"), "{reason}");
    }

    #[test]
    fn the_table_marks_the_fastest_and_keeps_the_reason_of_a_failure() {
        let mut report = Report {
            model: "ant.xml".into(),
            device: "a GPU".into(),
            envs: 8,
            candidates: candidates(&[Some(100.0), None, Some(150.0)]),
            fastest: Some(2),
            ended: "kept".into(),
        };
        let text = report.text();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("  ") && lines[1].ends_with("(the planner's own)"), "{text}");
        assert!(lines[2].contains("out of memory"), "{text}");
        assert!(lines[3].starts_with("* ") && lines[3].contains("1.50 times"), "{text}");
        report.candidates.clear();
        assert_eq!(report.text(), "ant.xml x 8 on a GPU\nkept\n");
    }
}
