//! The bits of five robots after a thousand and ten thousand steps, as committed: a change of arithmetic anywhere is seen here.
//!
//! A change that was meant is blessed with `PHALANX_BLESS=1 cargo test --test golden_hashes`.

mod scenes;

use phalanx::Options;
use scenes::{ASSETS, asset, batch, drive, envs};
use std::fmt::Write;

/// Environments: several, since each has controls of its own.
const ENVIRONMENTS: u64 = 4;

/// Compares the hashes after so many steps with random controls with those in the file.
fn check(steps: u64, file: &str) {
    let mut now = String::from("model,environment,steps,seed,hash\n");
    for name in ASSETS {
        let mut sim = batch(&asset(name), Options { seed: 0, ..envs(ENVIRONMENTS) });
        drive(&mut sim, 0, steps);
        assert_eq!(sim.faults().unwrap(), [0; ENVIRONMENTS as usize], "{name}");
        for (env, hash) in sim.env_hashes().unwrap().iter().enumerate() {
            let _ = writeln!(now, "{name},{env},{steps},0,{hash:016x}");
        }
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let path = format!("{folder}/{file}");
    if std::env::var_os("PHALANX_BLESS").is_some() {
        std::fs::create_dir_all(folder).unwrap();
        return std::fs::write(path, now).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap();
    let changed: Vec<_> = committed.lines().zip(now.lines()).filter(|(old, new)| old != new).collect();
    assert!(
        changed.is_empty() && committed.lines().count() == now.lines().count(),
        "the arithmetic has changed; if that was meant, run PHALANX_BLESS=1 cargo test --test golden_hashes\n{changed:#?}"
    );
}

#[test]
fn a_thousand_steps_end_in_the_committed_bits() {
    check(1000, "state_hashes.csv");
}

#[test]
fn ten_thousand_steps_end_in_the_committed_bits() {
    check(10_000, "state_hashes_of_10000_steps.csv");
}
