//! The Python of the checks: a virtual environment in cargo's output folder, with the packages of one requirements file.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bundle::target_folder;

/// What is installed, with versions.
const REQUIREMENTS: &str = "tests/oracle/requirements.txt";

/// A virtual environment that is ready.
#[derive(Debug)]
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Makes the environment, or finds it made; made anew when the requirements have changed.
    ///
    /// # Errors
    /// If Python, its module venv, or a package cannot be had.
    pub fn ready(root: &Path) -> Result<Environment, String> {
        let folder = target_folder(root).join("venv");
        let wanted = fs::read_to_string(root.join(REQUIREMENTS)).map_err(|error| format!("{REQUIREMENTS}: {error}"))?;
        let stamp = folder.join("installed.txt");
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(Environment { folder });
        }
        let environment = Environment { folder };
        let mut make = Command::new("python3");
        make.args(["-m", "venv", "--clear"]).arg(&environment.folder);
        run(&mut make, "install Python 3.11 or newer with its module venv (Debian: apt-get install python3-venv)")?;
        let mut install = environment.python();
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
        run(install.arg(root.join(REQUIREMENTS)), "pip could not install the packages")?;
        fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
        Ok(environment)
    }

    /// The environment's interpreter.
    pub fn python(&self) -> Command {
        Command::new(self.folder.join("bin/python"))
    }

    /// Lets a command see the environment as if it were activated: its Python, and NVRTC among its packages.
    pub fn activate<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.folder.join("bin")).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
        command.env("VIRTUAL_ENV", &self.folder)
    }
}

fn run(command: &mut Command, advice: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}; {advice}")),
        Err(error) => Err(format!("{command:?}: {error}; {advice}")),
    }
}
