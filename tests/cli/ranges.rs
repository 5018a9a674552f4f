//! `phalanx run` under a profiler.

use std::process::Command;

use crate::profiler::Profiler;
use crate::{Folder, command, text};

const RUN: [&str; 9] =
    ["run", "assets/cartpole.xml", "--device", "cpu", "--controls", "random", "--steps", "3", "--hashes"];

/// What a run printed, apart from times, and the hashes of its states. `profile` changes its environment.
fn outcome(profile: impl Fn(&mut Command)) -> (String, String) {
    let folder = Folder::new();
    let hashes = folder.path("hashes");
    let mut run = command(&[&RUN[..], &[&hashes]].concat());
    profile(run.env_remove("NVTX_INJECTION64_PATH"));
    let output = run.output().expect("the binary starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let is_time = |line: &&str| line.starts_with("speed") || line.starts_with("compile");
    let summary: Vec<_> = text(&output.stdout).lines().filter(|line| !is_time(line)).map(str::to_owned).collect();
    (summary.join("\n") + &text(&output.stderr), std::fs::read_to_string(hashes).unwrap())
}

#[test]
fn a_profiler_hears_of_a_run_without_a_word_or_a_bit_being_different() {
    let profiler = Profiler::new("run");
    let alone = outcome(|_| ());
    assert_eq!(outcome(|run| profiler.attach(run)), alone);
    let step = "random_controls kernel\nstep 1\n  step kernel\n";
    assert_eq!(profiler.heard().matches(step).count(), 3, "{}", profiler.heard());
}

#[test]
fn a_library_that_is_no_profiler_changes_nothing() {
    let alone = outcome(|_| ());
    for path in ["", "/gone.so", "Cargo.toml", "libm.so.6"] {
        let other = outcome(|run| _ = run.env("NVTX_INJECTION64_PATH", path));
        assert_eq!(other, alone, "{path}");
    }
}
