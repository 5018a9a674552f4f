//! Files that appear whole or not at all: written without a name or under a temporary one, then put in place.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// A file in the making. Dropped without [`WholeFile::finish`] it leaves nothing behind.
#[derive(Debug)]
pub struct WholeFile {
    target: PathBuf,
    making: Making,
}

/// How it is made.
#[derive(Debug)]
enum Making {
    /// Beside the file that it becomes, with the permissions of the one that it replaces.
    Renamed { to: PathBuf, temporary: BufWriter<NamedTempFile>, permissions: Option<Permissions> },
    /// Somewhere else, to be copied to a device, a pipe or whatever else is there: that stays what it is.
    Copied(BufWriter<File>),
}

impl WholeFile {
    /// Finds out early whether the file could be made, and leaves nothing behind, however the program ends later.
    pub fn try_out(target: &Path) -> Result<(), Failure> {
        WholeFile::create(target).map(drop)
    }

    /// Starts a file; fails at once if the folder does not take one, or the file that is there may not be written.
    pub fn create(target: &Path) -> Result<WholeFile, Failure> {
        let found = found_at(target)?;
        let making = match &found {
            Some(found) if !found.is_file() => Making::Copied(BufWriter::new(nameless_beside(target)?)),
            _ => Making::Renamed {
                to: match found {
                    // What a link points to is replaced, not the link.
                    Some(_) => target.canonicalize().map_err(|error| Failure::file(target, error))?,
                    None => target.to_path_buf(),
                },
                temporary: BufWriter::new(temporary_beside(target)?),
                permissions: found.map(|found| found.permissions()),
            },
        };
        Ok(WholeFile { target: target.to_path_buf(), making })
    }

    /// Puts the file in place, replacing one that is there.
    pub fn finish(self) -> Result<(), Failure> {
        let WholeFile { target, making } = self;
        let placed = match making {
            Making::Renamed { to, temporary, permissions } => place(temporary, &to, permissions),
            Making::Copied(contents) => copy(contents, &target),
        };
        placed.map_err(|error| Failure::file(&target, error))
    }
}

fn place(temporary: BufWriter<NamedTempFile>, to: &Path, permissions: Option<Permissions>) -> io::Result<()> {
    let temporary = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(to)?;
    Ok(())
}

fn copy(contents: BufWriter<File>, target: &Path) -> io::Result<()> {
    let mut contents = contents.into_inner().map_err(io::IntoInnerError::into_error)?;
    contents.rewind()?;
    let mut target = OpenOptions::new().write(true).open(target)?;
    io::copy(&mut contents, &mut target)?;
    target.flush()
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.making {
            Making::Renamed { temporary, .. } => temporary.write(bytes),
            Making::Copied(contents) => contents.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.making {
            Making::Renamed { temporary, .. } => temporary.flush(),
            Making::Copied(contents) => contents.flush(),
        }
    }
}

impl Seek for WholeFile {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        match &mut self.making {
            Making::Renamed { temporary, .. } => temporary.seek(to),
            Making::Copied(contents) => contents.seek(to),
        }
    }
}

/// What is there, through links; refuses what no file can replace.
fn found_at(target: &Path) -> Result<Option<Metadata>, Failure> {
    match target.metadata() {
        Ok(found) if found.is_dir() => Err(Failure::file(target, "is a folder; write the name of a file")),
        Ok(found) if found.is_file() => match OpenOptions::new().append(true).open(target) {
            Ok(_) => Ok(Some(found)),
            Err(error) => Err(Failure::file(target, format!("may not be written: {error}"))),
        },
        Ok(found) => Ok(Some(found)),
        Err(_) if target.is_symlink() => {
            Err(Failure::file(target, "is a link to nothing; remove it, or write the name of a file"))
        }
        Err(_) => Ok(None),
    }
}

/// Whether a file there would be a regular one.
pub fn is_regular(target: &Path) -> bool {
    target.metadata().map_or(true, |found| found.is_file())
}

/// A file without a name in the folder of `target`, or in the system's for temporary files where `target` is no regular file: it
/// vanishes with the program, however that ends.
pub fn nameless_beside(target: &Path) -> Result<File, Failure> {
    if !is_regular(target) {
        return tempfile::tempfile().map_err(|error| Failure::file(&std::env::temp_dir(), error));
    }
    tempfile::tempfile_in(folder(target)).map_err(|error| no_file_there(target, error))
}

fn temporary_beside(target: &Path) -> Result<NamedTempFile, Failure> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".phalanx-").suffix(".partial");
    // The default is for secrets: readable by the owner only. These files are like any other.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let target = target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
    builder.tempfile_in(folder(&target)).map_err(|error| no_file_there(&target, error))
}

/// The target's folder takes no file. The error is `cause at path "temporary file"`; what the user did not type is left out.
fn no_file_there(target: &Path, error: io::Error) -> Failure {
    let text = error.to_string();
    let cause = text.split_once(" at path ").map_or(&*text, |(cause, _)| cause);
    Failure::file(target, format!("no file can be made in the folder {}: {cause}", folder(target).display()))
}

/// The folder that a file is in.
pub fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
