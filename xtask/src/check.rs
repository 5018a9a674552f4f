//! Runs everything that CI runs, step by step, and sums up at the end.
//!
//! A step that fails does not stop the others, except those that need what it makes. Everything is built in the release
//! profile: the comparisons run the release binary, and the C++ of the kernels is then compiled once.
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::python::Environment;
use crate::{generate, outside, tidy};

/// When a step is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speed {
    /// Always.
    Quick,
    /// Not with `--quick`: few changes break it.
    Slow,
}

/// How a step is run.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// A function of this program.
    Here(fn(&Path) -> Result<(), String>),
    /// A command and its arguments.
    Run(&'static [&'static str]),
    /// A script and its arguments, run by the checks' own Python.
    Python(&'static [&'static str]),
}
use Action::{Here, Python, Run};
use Speed::{Quick, Slow};

/// What CI runs, in this order: what is cheap first.
#[rustfmt::skip]
const STEPS: &[(&str, Speed, Action)] = &[
    ("formatting", Quick, Run(&["cargo", "fmt", "--all", "--check"])),
    ("generated files", Quick, Here(generate::check)),
    ("tidy", Quick, Here(tidy::tidy)),
    ("clippy", Quick, Run(&["cargo", "clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"])),
    ("driver entries", Quick, Run(&["python3", "crates/gpu-kernels/link/generate_driver_entries.py", "--check"])),
    ("documentation", Slow, Run(&["cargo", "doc", "--release", "--workspace", "--no-deps"])),
    ("without cuda: command", Slow, Run(&["cargo", "clippy", "--release", "--package", "phalanx-cli", "--no-default-features", "--", "-D", "warnings"])),
    ("without cuda: a run", Slow, Run(&["cargo", "run", "--release", "--package", "phalanx", "--no-default-features", "--example", "first_step"])),
    ("build", Quick, Run(&["cargo", "build", "--release", "--workspace"])),
    ("tests", Quick, Run(&["cargo", "test", "--release", "--workspace", "--no-fail-fast"])),
    ("example: random_rollout", Slow, Run(&["cargo", "run", "--release", "--example", "random_rollout"])),
    ("example: domain_randomization", Slow, Run(&["cargo", "run", "--release", "--example", "domain_randomization"])),
    ("example: plan_for_another_device", Slow, Run(&["cargo", "run", "--release", "--example", "plan_for_another_device"])),
    ("README: a crate of one's own", Slow, Here(outside::check)),
    ("MuJoCo: does the comparison work?", Slow, Python(&["tests/oracle/run.py", "--self-test"])),
    ("MuJoCo: forward passes and trajectories", Quick, Python(&["tests/oracle/run.py", "--quick"])),
    ("MuJoCo: compiled models", Slow, Python(&["tests/oracle/compare_compiled_arrays.py"])),
    ("MuJoCo: random models", Slow, Python(&["tests/oracle/compare_random_models.py", "0", "100"])),
    ("MuJoCo: pairs of shapes", Slow, Python(&["tests/oracle/narrowphase/compare.py", "--cases", "1000"])),
    ("elementary functions", Slow, Python(&["tests/oracle/math/check_math.py"])),
];

/// Runs every step, or the quick ones.
///
/// # Errors
/// With the names of the steps that failed.
pub fn check(root: &Path, quick: bool) -> Result<(), String> {
    let started = Instant::now();
    let steps = STEPS.iter().filter(|(_, speed, _)| !quick || *speed == Quick);
    println!("=== Python packages");
    let environment = Environment::ready(root);
    if let Err(message) = &environment {
        println!("{message}");
    }
    let mut done: Vec<(&str, Duration, Result<(), String>)> = Vec::new();
    for (name, _, action) in steps {
        println!("\n=== {name}");
        let begun = Instant::now();
        let result = run(root, *action, environment.as_ref());
        if let Err(message) = &result {
            println!("{message}\n=== {name}: FAILED");
        }
        done.push((name, begun.elapsed(), result));
    }
    println!();
    for (name, time, result) in &done {
        println!("{:>6.1} s  {:6}  {name}", time.as_secs_f64(), if result.is_ok() { "ok" } else { "FAILED" });
    }
    let failed: Vec<&str> = done.iter().filter(|(_, _, result)| result.is_err()).map(|(name, ..)| *name).collect();
    println!("{:>6.1} s", started.elapsed().as_secs_f64());
    println!("check: {} passed, {} failed", done.len() - failed.len(), failed.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join("; "))) }
}

fn run(root: &Path, action: Action, environment: Result<&Environment, &String>) -> Result<(), String> {
    let mut command = match action {
        Here(function) => return function(root),
        Run(words) => {
            let mut command = Command::new(words[0]);
            command.args(&words[1..]);
            command
        }
        Python(words) => {
            let mut command = environment.map_err(String::clone)?.python();
            command.args(words);
            command
        }
    };
    command.current_dir(root).env("RUSTDOCFLAGS", "-D warnings");
    if let Ok(environment) = environment {
        environment.activate(&mut command);
    }
    let what = match command.status() {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    let words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(|w| w.to_string_lossy()).collect();
    Err(format!("{}: {what}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_that_a_step_runs_exists() {
        let root = crate::root();
        for (name, _, action) in STEPS {
            let (Run(words) | Python(words)) = action else { continue };
            for script in words.iter().filter(|word| word.ends_with(".py")) {
                assert!(root.join(script).exists(), "{name}: {script}");
            }
        }
    }

    #[test]
    fn a_step_that_fails_is_told_with_its_command() {
        let missing = Err(&"no Python".to_owned());
        assert!(run(Path::new("."), Run(&["true"]), missing).is_ok());
        assert!(run(Path::new("."), Run(&["false"]), missing).unwrap_err().contains("false"));
        assert!(run(Path::new("."), Python(&["x.py"]), missing).unwrap_err().contains("no Python"));
    }
}
