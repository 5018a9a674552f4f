//! The `phalanx` command as its users meet it: arguments in; JSON, files, messages and exit codes out.
//!
//! Built by the package phalanx-cli, which knows where the binary is: `cargo test -p phalanx-cli --test cli`.

mod bad_input;
mod files;
mod forward;
mod inspect;
mod interrupt;
mod ladder;
mod plan;
#[cfg(all(feature = "cuda", target_os = "linux"))]
#[path = "../profiler/mod.rs"]
mod profiler;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod ranges;
mod run;
mod tune;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use npyz::{AutoSerialize, WriteOptions, WriterBuilder};
use serde_json::Value;

/// The command, to be run from the repository's root.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phalanx"));
    command.args(arguments).current_dir(repository()).stdin(Stdio::null()).env_remove("PHALANX_LOG");
    command
}

fn phalanx(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the binary starts")
}

/// The one JSON object that a successful command prints.
fn json(arguments: &[&str]) -> Value {
    let output = phalanx(arguments);
    assert!(output.status.success(), "{arguments:?} failed: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stdout)))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder that goes with the test, and paths in it as arguments.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a UTF-8 path").to_string()
    }

    fn names(&self) -> Vec<String> {
        let entries = self.0.path().read_dir().expect("the folder is there");
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("the folder takes a file");
        path
    }

    fn npy<T: AutoSerialize + Copy>(&self, name: &str, shape: &[u64], values: &[T]) -> String {
        self.write(name, npy_bytes(shape, values))
    }

    fn npz(&self, name: &str, arrays: &[(&str, &[u64], &[f64])]) -> String {
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (array, shape, values) in arrays {
            let options = zip::write::SimpleFileOptions::default();
            archive.start_file(format!("{array}.npy"), options).expect("an entry");
            archive.write_all(&npy_bytes(shape, values)).expect("memory takes bytes");
        }
        let bytes = archive.finish().expect("an archive").into_inner();
        self.write(name, bytes)
    }
}

fn npy_bytes<T: AutoSerialize + Copy>(shape: &[u64], values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = WriteOptions::<T>::new().default_dtype().shape(shape).writer(&mut bytes);
    let mut writer = options.begin_nd().expect("a header");
    values.iter().for_each(|value| writer.push(value).expect("memory takes numbers"));
    writer.finish().expect("all numbers were written");
    bytes
}
