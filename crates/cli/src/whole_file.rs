//! Files that appear whole or not at all: written under a temporary name beside the target, then renamed.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// A file in the making. Dropped without [`WholeFile::finish`] it leaves nothing behind.
#[derive(Debug)]
pub struct WholeFile {
    target: PathBuf,
    temporary: BufWriter<NamedTempFile>,
}

impl WholeFile {
    /// Finds out early whether the file could be made, and leaves nothing behind, however the program ends later.
    pub fn try_out(target: &Path) -> Result<(), Failure> {
        WholeFile::create(target).map(drop)
    }

    /// Starts a file; fails at once if the folder does not take one.
    pub fn create(target: &Path) -> Result<WholeFile, Failure> {
        if target.is_dir() {
            return Err(Failure::file(target, "is a folder; write the name of a file"));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".phalanx-").suffix(".partial");
        // The default is for secrets: readable by the owner only. These files are like any other.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.tempfile_in(folder(target)).map_err(|error| no_file_there(target, error))?;
        Ok(WholeFile { target: target.to_path_buf(), temporary: BufWriter::new(temporary) })
    }

    /// Gives the file its name, replacing a file that has it.
    pub fn finish(self) -> Result<(), Failure> {
        let WholeFile { target, temporary } = self;
        let temporary = temporary.into_inner().map_err(|error| Failure::file(&target, error.into_error()))?;
        temporary.as_file().sync_all().map_err(|error| Failure::file(&target, error))?;
        temporary.persist(&target).map_err(|error| Failure::file(&target, error.error))?;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.temporary.flush()
    }
}

impl std::io::Seek for WholeFile {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.temporary.seek(to)
    }
}

/// A file without a name in the folder of `target`: it vanishes with the program, however that ends.
pub fn nameless_beside(target: &Path) -> Result<File, Failure> {
    tempfile::tempfile_in(folder(target)).map_err(|error| no_file_there(target, error))
}

/// The target's folder takes no file. The error is `cause at path "temporary file"`; what the user did not type is left out.
fn no_file_there(target: &Path, error: std::io::Error) -> Failure {
    let text = error.to_string();
    let cause = text.split_once(" at path ").map_or(&*text, |(cause, _)| cause);
    Failure::file(target, format!("no file can be made in the folder {}: {cause}", folder(target).display()))
}

fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
