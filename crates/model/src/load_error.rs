//! What went wrong while loading a model, where, and what to do about it.

use std::path::PathBuf;

/// A model that cannot be loaded. Prints as `arm.xml:41: joint "elbow": range [1.2, -0.3] is upside down; ...`, without the
/// line where there is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {message}", self.place())]
pub struct LoadError {
    /// The file with the fault (an included file if it is there).
    pub file: PathBuf,
    /// Its line, counted from 1; 0 when the fault has no line, as for a missing file.
    pub line: u32,
    /// The element, the attribute, the fault, and what to do.
    pub message: String,
}

impl LoadError {
    fn place(&self) -> String {
        match self.line {
            0 => self.file.display().to_string(),
            line => format!("{}:{line}", self.file.display()),
        }
    }
}
