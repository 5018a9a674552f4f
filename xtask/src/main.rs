//! Project chores: `cargo xtask generate`.
//!
//! The field table is compiled in from the kernels' crate by path, not as a dependency: its build compiles the very headers
//! that are written here.
#![allow(dead_code)]

#[path = "../../crates/gpu-kernels/src/fields/mod.rs"]
mod fields;
mod generate;
#[path = "../../crates/gpu-kernels/src/pairs.rs"]
mod pairs;
#[path = "../../crates/gpu-kernels/src/view/mod.rs"]
mod view;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["generate"] => generate::generate(&root, false).map(|stale| stale.iter().for_each(|p| println!("wrote {p}"))),
        ["generate", "--check"] => generate::generate(&root, true).and_then(|stale| {
            if stale.is_empty() { Ok(()) } else { Err(format!("stale: {}; run `cargo xtask generate`", stale.join(", "))) }
        }),
        _ => Err("usage: cargo xtask generate [--check]".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
