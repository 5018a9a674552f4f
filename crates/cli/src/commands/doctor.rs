//! `phalanx doctor`: what this machine has for running, on the CPU and on a GPU, what is missing and how to get it.
//!
//! Changes nothing and makes no context. A missing GPU is a finding, not a failure: the exit code is 0.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use phalanx_gpu_kernels::cuda::DoctorReport;
use serde::Serialize;

use crate::arguments::DoctorArguments;
use crate::failure::Failure;
use crate::standard_output::{print, print_json};

/// Runs the command.
pub fn doctor(arguments: &DoctorArguments) -> Result<ExitCode, Failure> {
    let report = Report::of_this_machine();
    if arguments.json {
        print_json(&report)?
    } else {
        print(&report.text())?
    }
    Ok(ExitCode::SUCCESS)
}

/// What was found. The fields are the keys of the JSON, in this order.
#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    cpu: Cpu,
    host_compiler: Option<HostCompiler>,
    gpu_usable: bool,
    #[serde(flatten)]
    gpu: DoctorReport,
}

#[derive(Debug, Serialize)]
struct Cpu {
    architecture: &'static str,
    threads: usize,
    /// Whether a fused multiply-add is one instruction; without it each is a call, and a step several times as long.
    has_fma: bool,
}

/// The C++ compiler that a build of Phalanx would use; a finished binary needs none.
#[derive(Debug, Serialize)]
struct HostCompiler {
    command: String,
    version: String,
}

impl Report {
    fn of_this_machine() -> Report {
        let gpu = DoctorReport::of_this_machine();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Report {
            version: env!("CARGO_PKG_VERSION"),
            cpu: Cpu { architecture: std::env::consts::ARCH, threads, has_fma: has_fma() },
            host_compiler: host_compiler(),
            gpu_usable: gpu.is_gpu_usable(),
            gpu,
        }
    }

    fn text(&self) -> String {
        let fma = if self.cpu.has_fma { "with" } else { "without" };
        let compiler = match &self.host_compiler {
            Some(compiler) => format!("{} ({}), needed to build Phalanx only", compiler.command, compiler.version),
            None => "none; only building Phalanx needs one: install g++ or clang, or set CXX".into(),
        };
        let can = if self.gpu_usable { "runs on the GPU and on the CPU" } else { "runs on the CPU only" };
        format!(
            "phalanx  {}, {can}\nCPU      {}, {} threads, {fma} fused multiply-add\ncompiler {compiler}\n{}",
            self.version, self.cpu.architecture, self.cpu.threads, self.gpu
        )
    }
}

fn has_fma() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}

/// The compiler that CXX names, else the first of the usual ones that answers.
fn host_compiler() -> Option<HostCompiler> {
    let chosen = std::env::var("CXX").ok().filter(|command| !command.trim().is_empty());
    let usual = ["c++", "g++", "clang++"].map(String::from).to_vec();
    chosen.map_or(usual, |command| vec![command]).into_iter().find_map(ask_version)
}

fn ask_version(command: String) -> Option<HostCompiler> {
    // CXX may carry options or a wrapper: "ccache g++".
    let mut words = command.split_whitespace();
    let asked =
        Command::new(Path::new(words.next()?)).args(words).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&asked.stdout);
    let version = text.lines().next().filter(|_| asked.status.success())?.to_string();
    Some(HostCompiler { command, version })
}
