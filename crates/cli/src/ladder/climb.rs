//! Which numbers of environments are tried: doubling to the edge, then the edge itself, found by bisection.
//!
//! The planner says how many fit; the edge is what was run. A rung that fails is kept with its reason and the climb goes
//! on below it. Every rung may be the last: whoever measures may answer that the user wants to stop.

use crate::trial_result::{Measured, TrialResult as Rung};

/// Runs at the edge at most: each halves what is unknown, and the planner's word is mostly right at once.
const EDGE_RUNGS: usize = 40;

/// The edge is known well enough if nothing larger by this part is left to try.
const EDGE_PRECISION: u64 = 1000;

/// How to climb.
#[derive(Clone, Copy, Debug)]
pub struct Climb {
    /// The first number of environments.
    pub from: u64,
    /// The last, if the user set one.
    pub max_envs: Option<u64>,
    /// No rung after one that took longer; on the CPU, on a GPU.
    pub max_seconds: (f64, f64),
}

/// A number of environments to try, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Try {
    /// A rung of the ladder: all steps.
    Rung(u64),
    /// Whether so many run at all: few steps.
    Edge(u64),
}

/// What the climb found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Climbed {
    /// Every rung, by number of environments.
    pub rungs: Vec<Rung>,
    /// The largest number of environments.
    pub largest: Option<Largest>,
    /// Why the climb ended, for people.
    pub ended: String,
    /// Whether the user stopped it.
    pub interrupted: bool,
}

/// The largest number of environments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Largest {
    /// Environments.
    pub num_envs: u64,
    /// Whether so many were run; otherwise it is the planner's word.
    pub run: bool,
    /// Whether more were refused or failed, so that this is the edge.
    pub is_edge: bool,
}

impl Climb {
    /// Climbs. `measure` gives a rung, or `None` if the user wants to stop.
    pub fn climb(&self, mut measure: impl FnMut(Try) -> Option<Rung>) -> Climbed {
        let mut climbed = Climbed::default();
        let most = self.max_envs.unwrap_or(u64::MAX);
        let mut good: Option<(u64, u64)> = None; // environments that ran, and how many fit by their plan
        let mut bad: Option<u64> = None; // environments that did not run
        let mut num_envs = self.from.min(most);
        while bad.is_none() {
            let Some(rung) = measure(Try::Rung(num_envs)) else { return climbed.stopped(good) };
            match &rung.measured {
                Some(measured) => good = Some((num_envs, measured.max_num_envs)),
                None => bad = Some(num_envs),
            }
            let slow = rung.measured.as_ref().and_then(|measured| self.slow(measured));
            climbed.rungs.push(rung);
            if let (Some((num_envs, fit)), Some(reason)) = (good, slow) {
                climbed.ended = reason;
                climbed.largest =
                    Some(Largest { num_envs: fit.min(most).max(num_envs), run: false, is_edge: fit < most });
                return climbed.sorted();
            }
            let Some((_, fit)) = good else { break };
            let next = num_envs.saturating_mul(2).min(most);
            if num_envs == most || next > fit {
                break;
            }
            num_envs = next;
        }
        self.find_edge(climbed, good, bad, most, measure)
    }

    /// Why no rung may follow this one, if it was too slow.
    fn slow(&self, measured: &Measured) -> Option<String> {
        let limit = if measured.on_cpu { self.max_seconds.0 } else { self.max_seconds.1 };
        (measured.wall_seconds > limit).then(|| {
            format!(
                "the last rung took {:.1} s, more than {limit} s, so nothing larger was run (--max-seconds allows more)",
                measured.wall_seconds
            )
        })
    }

    /// Tries what the planner says to fit, then one more; where they fail, halves what is between.
    fn find_edge(
        &self,
        mut climbed: Climbed,
        mut good: Option<(u64, u64)>,
        mut bad: Option<u64>,
        most: u64,
        mut measure: impl FnMut(Try) -> Option<Rung>,
    ) -> Climbed {
        for _ in 0..EDGE_RUNGS {
            let (ran, fit) = good.map_or((0, 0), |(ran, fit)| (ran, fit.min(most)));
            let below = bad.unwrap_or(u64::MAX); // everything from here on fails
            if ran >= most || below - ran <= 1 {
                break;
            }
            let planned = (fit > ran && fit < below).then_some(fit);
            let next = match (planned, bad) {
                // Whatever failed may have nothing to do with the number: one environment tells.
                (_, Some(_)) if ran == 0 => 1,
                (Some(planned), _) => planned,
                (None, _) if fit == ran || bad.is_none() => ran + 1,
                (None, _) if below - ran <= ran / EDGE_PRECISION => break,
                (None, _) => ran + (below - ran) / 2,
            };
            let Some(rung) = measure(Try::Edge(next)) else { return climbed.stopped(good) };
            match &rung.measured {
                Some(measured) => good = Some((next, measured.max_num_envs)),
                None => bad = Some(next),
            }
            climbed.rungs.push(rung);
            if bad == Some(1) {
                break;
            }
        }
        climbed.largest = good.map(|(num_envs, _)| Largest { num_envs, run: true, is_edge: bad.is_some() });
        climbed.ended = match (good, bad) {
            (None, _) => "not even one environment runs".to_string(),
            (Some((ran, _)), _) if ran == most => format!("{most} environments were asked for at most (--max-envs)"),
            (Some(_), Some(bad)) => format!("{bad} environments do not run"),
            (Some(_), None) => "the search was given up".to_string(),
        };
        climbed.sorted()
    }
}

impl Climbed {
    fn stopped(mut self, good: Option<(u64, u64)>) -> Climbed {
        self.interrupted = true;
        self.ended = "interrupted".to_string();
        self.largest = good.map(|(ran, fit)| Largest { num_envs: fit.max(ran), run: false, is_edge: true });
        self.sorted()
    }

    fn sorted(mut self) -> Climbed {
        self.rungs.sort_by_key(|rung| rung.num_envs);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_launch_planner::{Demand, DeviceLimits, KernelAttributes, KernelNeeds, ModelDims, plan};

    const PATIENT: Climb = Climb { from: 128, max_envs: None, max_seconds: (10.0, 10.0) };

    /// A rung whose plan says that `fit` environments fit.
    fn rung(num_envs: u64, fit: u64, wall_seconds: f64) -> Rung {
        let model = ModelDims {
            name: "a robot".into(),
            arrays: vec![],
            state_bytes_per_env: 4,
            input_bytes_per_env: 0,
            output_bytes_per_env: 0,
            model_bytes: 0,
            model_words_per_block: 0,
            model_bytes_per_env: 0,
            usual: Default::default(),
            proven: Default::default(),
            nv: 1,
            preferred_lanes: None,
        };
        let kernel = KernelAttributes::estimate();
        let needs = KernelNeeds::same_for_all(kernel, kernel);
        let plan = plan(&DeviceLimits::preset("t4").unwrap(), &model, &needs, &Demand::envs(1)).unwrap();
        Rung::measured(num_envs, Measured { max_num_envs: fit, wall_seconds, ..Measured::of_plan(&plan) })
    }

    /// Climbs a device on which `runs` environments run and `fit` are planned for; gives what was tried too.
    fn climb(climb: Climb, runs: u64, fit: u64) -> (Climbed, Vec<u64>) {
        let mut tried = Vec::new();
        let climbed = climb.climb(|next| {
            let (Try::Rung(num_envs) | Try::Edge(num_envs)) = next;
            tried.push(num_envs);
            Some(if num_envs <= runs { rung(num_envs, fit, 0.1) } else { Rung::failed(num_envs, "out of memory") })
        });
        (climbed, tried)
    }

    #[test]
    fn rungs_double_and_the_planners_edge_is_run_and_exceeded() {
        let (climbed, tried) = climb(PATIENT, 1000, 1000);
        assert_eq!(tried, [128, 256, 512, 1000, 1001]);
        assert_eq!(climbed.largest, Some(Largest { num_envs: 1000, run: true, is_edge: true }));
        assert_eq!(climbed.ended, "1001 environments do not run");
        assert_eq!(climbed.rungs.last().unwrap().failed.as_deref(), Some("out of memory"));
    }

    #[test]
    fn an_edge_below_the_planners_is_found_by_bisection() {
        let (climbed, tried) = climb(PATIENT, 700_123, 1_000_000);
        let largest = climbed.largest.unwrap().num_envs;
        assert!((700_123 - 701..=700_123).contains(&largest), "{largest} after {tried:?}");
        assert!(tried.len() < 30, "{tried:?}");
        assert!(climbed.rungs.is_sorted_by_key(|rung| rung.num_envs));
    }

    #[test]
    fn a_planner_that_says_too_little_is_not_believed() {
        let (climbed, _) = climb(PATIENT, 128, 100);
        assert_eq!(climbed.largest, Some(Largest { num_envs: 128, run: true, is_edge: true }));
    }

    #[test]
    fn nothing_larger_than_asked_for_is_tried() {
        let (climbed, tried) = climb(Climb { max_envs: Some(300), ..PATIENT }, 1000, 1000);
        assert_eq!(tried, [128, 256, 300]);
        assert_eq!(climbed.largest, Some(Largest { num_envs: 300, run: true, is_edge: false }));
        assert!(climbed.ended.contains("--max-envs"), "{}", climbed.ended);
    }

    #[test]
    fn a_first_rung_that_fails_is_not_the_end() {
        let (climbed, tried) = climb(PATIENT, 5, 5);
        assert_eq!(tried, [128, 1, 5, 6]);
        assert_eq!(climbed.largest, Some(Largest { num_envs: 5, run: true, is_edge: true }));
        let (climbed, tried) = climb_nothing();
        assert_eq!(tried, [128, 1]);
        assert_eq!((climbed.largest, climbed.ended.as_str()), (None, "not even one environment runs"));
    }

    fn climb_nothing() -> (Climbed, Vec<u64>) {
        climb(PATIENT, 0, 0)
    }

    #[test]
    fn a_slow_rung_is_the_last_and_the_edge_is_the_planners_word() {
        let climbed = PATIENT.climb(|next| match next {
            Try::Rung(num_envs) => Some(rung(num_envs, 1 << 30, num_envs as f64 / 50.0)),
            Try::Edge(_) => None,
        });
        assert_eq!(climbed.rungs.iter().map(|rung| rung.num_envs).collect::<Vec<_>>(), [128, 256, 512]);
        assert_eq!(climbed.largest, Some(Largest { num_envs: 1 << 30, run: false, is_edge: true }));
        assert!(climbed.ended.contains("10.2 s, more than 10 s"), "{}", climbed.ended);
    }

    #[test]
    fn an_interrupted_climb_keeps_its_rungs() {
        let climbed = PATIENT.climb(|next| (next != Try::Rung(512)).then(|| rung(256, 1000, 0.1)));
        assert!(climbed.interrupted);
        assert_eq!(climbed.rungs.len(), 2);
        assert_eq!(climbed.largest, Some(Largest { num_envs: 1000, run: false, is_edge: true }));
    }
}
