//! What went wrong, as the user sees it: one message on standard error and an exit code.

use std::io::Write;
use std::process::ExitCode;

use phalanx_gpu_kernels::planning::PlanningError;
use phalanx_gpu_kernels::shape::ShapeError;
use phalanx_model::LoadError;
use phalanx_sim_core::SimError;

/// Exit code of a run that Ctrl-C ended: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// What was typed cannot be right, whatever the machine: exit code 2, as for an unknown option.
    Usage(String),
    /// A file, the machine or the run itself failed: exit code 1.
    Run(String),
}

impl Failure {
    /// Prints the message and gives the exit code.
    pub fn report(&self) -> ExitCode {
        let (message, code) = match self {
            Failure::Usage(message) => (message, 2),
            Failure::Run(message) => (message, 1),
        };
        // Nobody listens to a closed standard error; the exit code still tells.
        let _ = writeln!(std::io::stderr(), "error: {message}");
        ExitCode::from(code)
    }

    /// A file that cannot be read, written or used.
    pub fn file(path: &std::path::Path, what: impl std::fmt::Display) -> Failure {
        Failure::Run(format!("{}: {what}", path.display()))
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Failure::Run(error.to_string())
    }
}

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        Failure::Run(error.to_string())
    }
}

impl From<PlanningError> for Failure {
    fn from(error: PlanningError) -> Self {
        Failure::Run(error.to_string())
    }
}

impl From<ShapeError> for Failure {
    fn from(error: ShapeError) -> Self {
        Failure::Run(error.to_string())
    }
}
