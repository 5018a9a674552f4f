//! A profiler for tests: its library, and the ranges that a program told it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A library that was compiled for one test, in a folder that goes with it.
pub struct Profiler {
    folder: PathBuf,
}

impl Profiler {
    /// Compiles the library. `name` tells the tests of a program apart.
    pub fn new(name: &str) -> Profiler {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("profiler-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let source = folder.join("tool.cpp");
        std::fs::write(&source, include_str!("tool.cpp")).unwrap();
        let mut compiler = Command::new("c++");
        compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o"]);
        let output = compiler.arg(folder.join("tool.so")).arg(source).output().unwrap();
        assert!(output.status.success(), "{compiler:?}\n{}", String::from_utf8_lossy(&output.stderr));
        Profiler { folder }
    }

    /// Lets the command run as a profiler would run it.
    pub fn attach(&self, command: &mut Command) {
        command.env("NVTX_INJECTION64_PATH", self.folder.join("tool.so"));
        command.env("PROFILER_FILE", self.folder.join("heard"));
    }

    /// The ranges of the last program, one a line, two spaces deeper than the one that it lies in.
    pub fn heard(&self) -> String {
        std::fs::read_to_string(self.folder.join("heard")).expect("the library was opened")
    }
}

impl Drop for Profiler {
    fn drop(&mut self) {
        // What is left behind is in cargo's folder.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
