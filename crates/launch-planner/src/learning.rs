//! Re-sizes the fast workspace to what environments were seen to need: larger when calls keep having environments that do
//! not fit, smaller after a long time of needing less, and only where a step is then estimated to take less time.
//!
//! Pure arithmetic like the rest: what was observed goes in, a plan comes out, and whoever launches decides when to look.
//! A plan is made by the caller, for the kernel and the memory that it has, so a lesson can exceed neither. It never decides
//! bits.

use crate::cost::{sixteenths, turns_time};
use crate::layout::{Placement, layout};
use crate::{Capacity, DeviceLimits, KernelPlan, LaunchPlan, ModelDims, occupancy};

/// Calls with retries that teach something: one may be a robot that falls once.
const FEW_RETRIED_CALLS: u64 = 2;

/// The workspace grows if at least one of so many calls has retries.
const CALLS_FOR_ONE_RETRIED: u64 = 16;

/// Calls without retries after which a smaller workspace is considered.
const FIRST_SHRINK_AFTER: u64 = 1024;

/// Calls after which growing is considered anew where it did not pay.
const NEXT_GROW_AFTER: u64 = 64;

/// No lesson is waited for longer, in calls.
const LONGEST_WAIT: u64 = 1 << 14;

/// The largest of growth's targets holds all that was seen, each next one half as much more than there is.
const TARGETS: u32 = 4;

/// Workspaces in global memory grow to at most so many times what they take at first: the proven maximum may be far above
/// what happens, and memory for it is taken before anything has happened.
const MOST_GROWTH: u128 = 4;

/// What the calls so far needed. Counts are since the beginning; `most` is of the calls since the last lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Calls that are done.
    pub calls: u64,
    /// Those in which environments did not fit.
    pub retried_calls: u64,
    /// Environments that did not fit, summed over calls.
    pub retried: u64,
    /// The most that an environment needed.
    pub most: Capacity,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// Nothing yet.
    TooEarly,
    /// Nothing; what is observed counts anew from here.
    Stay,
    /// The next calls follow this plan; what is observed counts anew from here.
    Resize(Box<LaunchPlan>),
}

/// When the fast workspace is re-sized.
#[derive(Clone, Debug)]
pub struct Learning {
    /// What was seen when counting began anew; `None` until a call after that is done.
    begun: Option<Observed>,
    /// Calls that were launched when counting began anew.
    launched: u64,
    /// Calls to wait for before growing, and before shrinking.
    grow_after: u64,
    shrink_after: u64,
    /// Whether the last re-size made it smaller.
    shrunk: bool,
    /// It never becomes smaller than this.
    least: Capacity,
}

impl Learning {
    /// Begins with a workspace of `capacity`; it never shrinks below a quarter of that.
    pub fn new(capacity: Capacity) -> Self {
        Learning {
            begun: Some(Observed::default()),
            launched: 0,
            grow_after: 0,
            shrink_after: FIRST_SHRINK_AFTER,
            shrunk: false,
            least: Capacity {
                contacts: capacity.contacts.div_ceil(4),
                jacobian_words: capacity.jacobian_words.div_ceil(4),
            },
        }
    }

    /// What follows from what was `seen` under `plan`, after so many calls were `launched`; some of them may still run.
    /// `replan` makes a plan of another capacity for the kernel and the memory at hand, if there is one.
    pub fn learn(
        &mut self,
        seen: &Observed,
        launched: u64,
        plan: &LaunchPlan,
        replan: impl FnMut(Capacity) -> Option<LaunchPlan>,
    ) -> Lesson {
        // Calls that were launched before the last lesson tell nothing of what it changed.
        let Some(begun) = self.begun else {
            self.begun = (seen.calls > self.launched).then_some(*seen);
            return Lesson::TooEarly;
        };
        let since = Observed {
            calls: seen.calls.saturating_sub(begun.calls),
            retried_calls: seen.retried_calls.saturating_sub(begun.retried_calls),
            retried: seen.retried.saturating_sub(begun.retried),
            most: seen.most,
        };
        let keeps_retrying = since.retried_calls >= FEW_RETRIED_CALLS
            && since.retried_calls.saturating_mul(CALLS_FOR_ONE_RETRIED) >= since.calls;
        let next = if keeps_retrying && since.calls >= self.grow_after {
            self.grow(&since, plan, replan)
        } else if since.retried_calls == 0 && since.calls >= self.shrink_after {
            self.shrink(&since, plan, replan)
        } else if since.calls >= LONGEST_WAIT {
            None
        } else {
            return Lesson::TooEarly;
        };
        self.launched = launched;
        self.begun = (seen.calls >= launched).then_some(*seen);
        next.map_or(Lesson::Stay, |plan| Lesson::Resize(Box::new(plan)))
    }

    fn grow(
        &mut self,
        since: &Observed,
        plan: &LaunchPlan,
        replan: impl FnMut(Capacity) -> Option<LaunchPlan>,
    ) -> Option<LaunchPlan> {
        let (now, proven) = (plan.step().capacity, plan.retry().capacity);
        let all = with_margin(since.most, 8).at_least(now).at_most(proven);
        let part = |now: u32, all: u32, halvings: u32| now + (all - now).div_ceil(1 << halvings);
        let targets = (0..TARGETS).map(|halvings| Capacity {
            contacts: part(now.contacts, all.contacts, halvings),
            jacobian_words: part(now.jacobian_words, all.jacobian_words, halvings)
                .next_multiple_of(4)
                .min(all.jacobian_words),
        });
        let retry_time = retry_time(since, plan);
        let before = step_time(plan).saturating_mul(u128::from(since.calls));
        let next = targets.filter(|target| *target != now).map(replan).enumerate().find_map(|(target, after)| {
            // What holds all that was seen ends the retries; of what holds less, half is hoped for.
            let saved = if target == 0 { retry_time } else { retry_time / 2 };
            after
                .filter(|after| step_time(after).saturating_mul(u128::from(since.calls)) < before.saturating_add(saved))
        });
        self.grow_after = match next {
            Some(_) => 0,
            None => (2 * self.grow_after).clamp(NEXT_GROW_AFTER, LONGEST_WAIT),
        };
        if next.is_some() && self.shrunk {
            // It was made too small: the next time it is watched for longer.
            self.shrink_after = (4 * self.shrink_after).min(LONGEST_WAIT);
            self.shrunk = false;
        }
        next
    }

    fn shrink(
        &mut self,
        since: &Observed,
        plan: &LaunchPlan,
        mut replan: impl FnMut(Capacity) -> Option<LaunchPlan>,
    ) -> Option<LaunchPlan> {
        let now = plan.step().capacity;
        let target = with_margin(since.most, 4).at_least(self.least).at_most(now);
        let much_less = |target: u32, now: u32| 4 * u64::from(target) <= 3 * u64::from(now);
        let worth_asking =
            much_less(target.contacts, now.contacts) || much_less(target.jacobian_words, now.jacobian_words);
        let next = worth_asking.then(|| replan(target)).flatten();
        // A thirty-second part less time, or nothing is changed.
        let next = next.filter(|after| step_time(after).saturating_mul(32) < step_time(plan).saturating_mul(31));
        self.shrunk |= next.is_some();
        if next.is_none() {
            self.shrink_after = (2 * self.shrink_after).min(LONGEST_WAIT);
        }
        next
    }
}

/// A need and a part of it more. Jacobian words come four an entry.
fn with_margin(most: Capacity, part: u32) -> Capacity {
    let more = |need: u32| need.saturating_add(need.div_ceil(part));
    let words = more(most.jacobian_words);
    Capacity { contacts: more(most.contacts), jacobian_words: words.checked_next_multiple_of(4).unwrap_or(u32::MAX) }
}

/// How long a step takes under a plan, against other plans of the same kernel.
fn step_time(plan: &LaunchPlan) -> u128 {
    let step = plan.step();
    let blocks = u64::from(step.grid_blocks.div_ceil(plan.device.multiprocessor_count.max(1)));
    let warps = (blocks * u64::from(step.threads_per_block)).div_ceil(32);
    turns_time(sixteenths(plan.num_envs, step.resident_envs.max(1)), warps)
}

/// How long the retries took, in the same measure: a turn of the retry kernel is one of the step kernel with a multiprocessor for
/// each warp. Measured on an H200, 8192 humanoids: 155 us where 85 retry, beside 230 us a turn of 16 warps a multiprocessor; by
/// the measure it is 175 us.
fn retry_time(since: &Observed, plan: &LaunchPlan) -> u128 {
    let turns = since.retried.div_ceil(plan.retry().resident_envs.max(1)).max(since.retried_calls);
    turns_time(16, 1).saturating_mul(turns.into())
}

/// Bytes that the step kernel's workspaces may come to need beyond `planned`: as many as registers allow, each of the proven
/// maximum, in all at most `MOST_GROWTH` times as much.
pub(crate) fn room_to_grow(device: &DeviceLimits, model: &ModelDims, step: &KernelPlan, planned: u128) -> u128 {
    let place = |name: &str| step.placement.get(name).copied().unwrap_or(Placement::Global);
    let words = layout(&model.arrays, model.usual, model.proven, place).global_words_per_env;
    let unshared = occupancy(device, step.threads_per_block, step.registers_per_thread, 0);
    let teams = u64::from(unshared.blocks_per_sm)
        .saturating_mul(device.multiprocessor_count.into())
        .max(step.grid_blocks.into())
        .saturating_mul(step.envs_per_block.into());
    let most = (u128::from(words) * 4).saturating_mul(teams.into());
    most.min(planned.saturating_mul(MOST_GROWTH)).saturating_sub(planned)
}
