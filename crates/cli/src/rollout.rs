//! The loop of a run: controls, steps, records, until the last step or Ctrl-C.
//!
//! Steps are enqueued and waited for in chunks of about a fifth of a second, so that a GPU never waits for the host while
//! the bar still moves and Ctrl-C is still heard. The first time step is a warm-up: it counts as a step, not as time.

use std::time::{Duration, Instant};

use phalanx_sim_core::{CallTimes, Simulation};

use crate::controls::Controls;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::record::Recorder;

/// How long the host does not look up.
const CHUNK: Duration = Duration::from_millis(200);

/// A chunk is at most this many times as long as the one before: the first times are noisy.
const CHUNK_GROWTH: u64 = 8;

/// What to run.
#[derive(Debug)]
pub struct Rollout<'a> {
    /// Controls of every control step.
    pub controls: &'a Controls,
    /// Control steps.
    pub steps: u64,
    /// Time steps in a control step.
    pub decimation: u64,
    /// Stops the run.
    pub interrupt: &'a Interrupt,
}

/// What was run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Whole control steps.
    pub steps: u64,
    /// Steps of an environment that were timed: all but the first of each, unless there is only one, and none of a frozen
    /// environment.
    pub timed_env_steps: u64,
    /// How long they took.
    pub seconds: f64,
    /// The times of their calls; on a GPU there are none if they were not asked for.
    pub calls: CallTimes,
    /// Whether Ctrl-C ended the run.
    pub interrupted: bool,
}

impl Rollout<'_> {
    /// Runs. A recorder must have been given nothing yet.
    pub fn run(&self, simulation: &mut Simulation, mut recorder: Option<&mut Recorder>) -> Result<Outcome, Failure> {
        self.controls.begin(simulation)?;
        if let Some(recorder) = recorder.as_deref_mut() {
            recorder.add(simulation)?;
        }
        simulation.synchronize()?;

        let total = self.steps.saturating_mul(self.decimation);
        tracing::info!("stepping {} environments {total} times", simulation.num_envs());
        let mut progress = Progress::start(total);
        let (mut done, mut chunk) = (0, 1);
        let (mut untimed, mut seconds) = (0, 0.0);
        while done < total && !self.interrupt.is_pressed() {
            let start = Instant::now();
            let end = total.min(done.saturating_add(chunk));
            let warm_up = done == 0 && total > 1;
            let steps = end - done;
            self.advance(simulation, recorder.as_deref_mut(), done, end)?;
            simulation.synchronize()?;
            let took = start.elapsed().as_secs_f64();
            done = end;
            if warm_up {
                untimed = simulation.statistics()?.env_steps;
                simulation.take_call_times()?;
            } else {
                seconds += took;
            }
            progress.update(done, simulation.num_envs() as f64 * steps as f64 / took.max(1e-9));
            let fitting = (CHUNK.as_secs_f64() / took.max(1e-9) * steps as f64) as u64;
            chunk = fitting.clamp(1, chunk.saturating_mul(CHUNK_GROWTH));
        }
        let timed_env_steps = simulation.statistics()?.env_steps - untimed;
        let calls = simulation.take_call_times()?;
        Ok(Outcome { steps: done / self.decimation, timed_env_steps, seconds, calls, interrupted: done < total })
    }

    /// Enqueues the time steps from `done` to `end`.
    fn advance(
        &self,
        simulation: &mut Simulation,
        mut recorder: Option<&mut Recorder>,
        mut done: u64,
        end: u64,
    ) -> Result<(), Failure> {
        while done < end {
            let within = done % self.decimation;
            if within == 0 {
                self.controls.set(simulation, done / self.decimation)?;
            }
            let substeps = (self.decimation - within).min(end - done);
            simulation.step_many(u32::try_from(substeps).unwrap_or(u32::MAX))?;
            done += substeps;
            let control_steps = done / self.decimation;
            if let Some(recorder) = recorder.as_deref_mut()
                && done.is_multiple_of(self.decimation)
                && recorder.is_due(control_steps)
            {
                recorder.add(simulation)?;
            }
        }
        Ok(())
    }
}
