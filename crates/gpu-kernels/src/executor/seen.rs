//! What the calls so far needed and how long they took, as an executor knows it.
use crate::planning::JACOBIAN_ENTRY_WORDS;
use phalanx_launch_planner::{Capacity, Observed};

/// What environments needed in one step at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Contacts.
    pub contacts: u32,
    /// Jacobian entries.
    pub jacobian_entries: u32,
    /// Rows of joints: limits and dry friction.
    pub joint_rows: u32,
}

/// What the calls since the executor was made needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The most that an environment needed.
    pub most: Needs,
    /// Calls that are done.
    pub calls: u64,
    /// Those in which environments did not fit the fast workspace.
    pub retried_calls: u64,
    /// Environments that did not fit, summed over calls.
    pub retried: u64,
    /// The most environments that did not fit in one call.
    pub most_retried: u32,
    /// How often the fast workspace was re-sized.
    pub resizes: u32,
}

/// How long calls took: on a GPU from one mark in the stream to the next, on a CPU by the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CallTimes {
    /// Calls that were timed.
    pub calls: u64,
    /// Seconds of all.
    pub seconds: f64,
    /// Seconds of the slowest.
    pub slowest_seconds: f64,
    /// Environments that did not fit the fast workspace in the slowest.
    pub retried_in_slowest: u32,
}

impl Needs {
    /// From the first words of the marks.
    pub(super) fn of(words: &[u32]) -> Needs {
        Needs { contacts: words[0], jacobian_entries: words[1], joint_rows: words[2] }
    }

    /// The larger of both in each number.
    pub(super) fn at_least(self, other: Needs) -> Needs {
        Needs {
            contacts: self.contacts.max(other.contacts),
            jacobian_entries: self.jacobian_entries.max(other.jacobian_entries),
            joint_rows: self.joint_rows.max(other.joint_rows),
        }
    }

    /// What a workspace must hold for it.
    fn capacity(self) -> Capacity {
        let words = self.jacobian_entries.saturating_mul(JACOBIAN_ENTRY_WORDS as u32);
        Capacity { contacts: self.contacts, jacobian_words: words }
    }
}

impl Seen {
    /// For the planner, with the needs of the calls since the last lesson.
    pub(super) fn observed(&self, recent: Needs) -> Observed {
        Observed {
            calls: self.calls,
            retried_calls: self.retried_calls,
            retried: self.retried,
            most: recent.capacity(),
        }
    }
}

impl CallTimes {
    /// Counts a call.
    pub(super) fn add(&mut self, seconds: f64, retried: u32) {
        self.calls += 1;
        self.seconds += seconds;
        if seconds > self.slowest_seconds {
            (self.slowest_seconds, self.retried_in_slowest) = (seconds, retried);
        }
    }

    /// Seconds of a call on average; 0 if none was timed.
    pub fn mean_seconds(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.seconds / self.calls as f64 }
    }
}
