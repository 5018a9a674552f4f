//! Project chores: everything that CI runs, generated files, the bundle for a machine with a GPU.
//!
//! The field table is compiled in from the kernels' crate by path, not as a dependency: its build compiles the very headers
//! that are written here.

mod bundle;
mod check;
mod field_page;
#[allow(dead_code)]
#[path = "../../crates/gpu-kernels/src/fields/mod.rs"]
mod fields;
mod generate;
mod outside;
#[allow(dead_code)]
#[path = "../../crates/gpu-kernels/src/pairs.rs"]
mod pairs;
mod python;
mod source_files;
mod tidy;
#[allow(dead_code, unused_imports)]
#[path = "../../crates/gpu-kernels/src/view/mod.rs"]
mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask check [--quick]        everything that CI runs; --quick leaves out half of the comparisons and builds
cargo xtask tidy                   reads the sources for what compilers do not check
cargo xtask generate [--check]     writes the generated files, or names those that are stale
cargo xtask gpu [--models FOLDER]  packs .gpu/ for a machine with a GPU and no Rust";

fn main() -> ExitCode {
    let root = root();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["check"] => check::check(&root, false),
        ["check", "--quick"] => check::check(&root, true),
        ["tidy"] => tidy::tidy(&root),
        ["generate"] => {
            generate::generate(&root, false).map(|stale| stale.iter().for_each(|path| println!("wrote {path}")))
        }
        ["generate", "--check"] => generate::check(&root),
        ["gpu"] => bundle::pack(&root, None),
        ["gpu", "--models", folder] => bundle::pack(&root, Some(Path::new(folder))),
        _ => Err(format!("usage\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The repository.
fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}
