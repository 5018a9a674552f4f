//! What the run has seen so far: contacts, rows, solver iterations, retries, faults, and the time of each stage.
use crate::SimError;
use crate::pieces::Source;
use crate::simulation::Simulation;
use crate::state_arena::words;
use phalanx_gpu_kernels::executor::{COUNTER_BANKS, COUNTERS, CallTimes, Seen};
use phalanx_gpu_kernels::fields::STAGES;

/// The bits of a fault word that are faults; those above tell the quantity that went bad.
const FAULT_BITS: u32 = 0xff;

/// Sums over all environments and steps since the simulation was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Contacts.
    pub contacts: u64,
    /// Constraint rows, as MuJoCo counts them.
    pub rows: u64,
    /// Solver iterations.
    pub iterations: u64,
    /// Constraint solves.
    pub solves: u64,
    /// Steps of an environment that were taken in the retry pool.
    pub retried: u64,
    /// Steps of an environment whose solver stopped at its bound.
    pub not_converged: u64,
    /// Environments that are frozen because they became NaN or too large.
    pub not_finite: u64,
    /// Steps of the batch.
    pub steps: u64,
    /// Steps of an environment that were taken: a frozen environment takes none.
    pub env_steps: u64,
}

impl Statistics {
    /// Contacts per environment and step.
    pub fn contacts_mean(&self) -> f64 {
        ratio(self.contacts, self.env_steps)
    }
    /// Rows per environment and step.
    pub fn rows_mean(&self) -> f64 {
        ratio(self.rows, self.env_steps)
    }
    /// Iterations per constraint solve.
    pub fn solver_iterations_mean(&self) -> f64 {
        ratio(self.iterations, self.solves)
    }
}

fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

impl Simulation {
    /// The sums so far; waits for what is queued.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn statistics(&mut self) -> Result<Statistics, SimError> {
        let bytes = self.state.read_control("counters", 8 * COUNTER_BANKS * COUNTERS)?;
        let mut sums = [0u64; COUNTERS];
        for (i, word) in bytes.chunks_exact(8).enumerate() {
            sums[i % COUNTERS] += u64::from_le_bytes(word.try_into().unwrap_or_default());
        }
        let mut not_finite = 0;
        self.fault_words().in_pieces(4, |piece| {
            not_finite += words(piece).filter(|fault| fault & crate::NOT_FINITE != 0).count() as u64;
        })?;
        let [contacts, rows, iterations, solves, retried, not_converged, env_steps, _] = sums;
        Ok(Statistics {
            contacts,
            rows,
            iterations,
            solves,
            retried,
            not_converged,
            not_finite,
            steps: self.steps,
            env_steps,
        })
    }

    /// Fault bits of every environment: see [`NOT_FINITE`](crate::NOT_FINITE). What went bad in one of them is told by
    /// [`bad_quantity`](Self::bad_quantity).
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn faults(&mut self) -> Result<Vec<u32>, SimError> {
        let mut faults = Vec::with_capacity(self.options.num_envs as usize);
        self.fault_words().in_pieces(4, |piece| faults.extend(words(piece).map(|word| word & FAULT_BITS)))?;
        Ok(faults)
    }

    pub(crate) fn fault_words(&self) -> Source<'_> {
        self.state.control("fault", 4 * self.options.num_envs as usize)
    }

    /// What the calls so far needed: the most contacts and rows of an environment, how many did not fit the fast workspace, and
    /// how often it was re-sized. Its present capacity is in [`Simulation::plan`]. Waits for what is queued.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn seen(&mut self) -> Result<Seen, SimError> {
        Ok(self.backend.executor_mut().seen(&self.state.arguments)?)
    }

    /// How long the calls took since this was last asked for; waits for what is queued. On a GPU there are none unless
    /// [`Options::time_calls`](crate::Options::time_calls) is set.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn take_call_times(&mut self) -> Result<CallTimes, SimError> {
        Ok(self.backend.executor_mut().take_call_times()?)
    }

    /// Seconds of each stage since the simulation was made, summed over threads on the CPU and over teams on a GPU;
    /// zeros unless `Options::profile` is set.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn stage_seconds(&mut self) -> Result<Vec<(String, f64)>, SimError> {
        let bytes = self.state.read_control("stage_clocks", 8 * STAGES.len())?;
        let per_second = self.backend.executor().stage_ticks_per_second();
        let ticks = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default()));
        Ok(STAGES.iter().zip(ticks).map(|(name, t)| ((*name).to_owned(), t as f64 / per_second)).collect())
    }
}
