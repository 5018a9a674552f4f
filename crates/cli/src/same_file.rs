//! Refuses outputs that would overwrite what a command reads, or each other.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::whole_file::{folder, is_regular};

/// A file of the command line: the option that names it, and its path if it was given.
pub type Named<'a> = (&'a str, Option<&'a Path>);

/// Compares every output with every input and with the outputs before it.
pub fn refuse_overwriting(inputs: &[Named], outputs: &[Named]) -> Result<(), Failure> {
    let (mut others, outputs) = (given(inputs), given(outputs));
    for (option, path) in outputs {
        if let Some((other, _)) = others.iter().find(|(_, earlier)| are_same(earlier, path)) {
            let message =
                format!("{other} and {option} are the same file, {}; give {option} another name", path.display());
            return Err(Failure::Usage(message));
        }
        others.push((option, path));
    }
    Ok(())
}

fn given<'a>(files: &[Named<'a>]) -> Vec<(&'a str, &'a Path)> {
    files.iter().filter_map(|(option, path)| Some((*option, (*path)?))).collect()
}

/// Whether two paths are one regular file, or will be.
fn are_same(one: &Path, other: &Path) -> bool {
    is_regular(one) && is_regular(other) && identity(one) == identity(other)
}

/// What two names of one file have in common.
#[derive(PartialEq)]
enum Identity {
    #[cfg(unix)]
    Number(u64, u64),
    Place(PathBuf),
}

fn identity(path: &Path) -> Identity {
    #[cfg(unix)]
    if let Ok(found) = path.metadata() {
        use std::os::unix::fs::MetadataExt;
        return Identity::Number(found.dev(), found.ino());
    }
    let folder = folder(path).canonicalize().unwrap_or_else(|_| folder(path).to_path_buf());
    Identity::Place(path.file_name().map_or(folder.clone(), |name| folder.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_the_same_by_whatever_name_and_devices_never() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "a").unwrap();
        std::fs::write(at("b"), "a").unwrap();
        assert!(are_same(&at("a"), &at("../").join(folder.path().file_name().unwrap()).join("a")));
        assert!(are_same(&at("new"), &at("./new")));
        assert!(
            !are_same(&at("a"), &at("b")) && !are_same(&at("a"), &at("new")) && !are_same(&at("new"), &at("other"))
        );
        #[cfg(unix)]
        {
            std::fs::hard_link(at("a"), at("hard")).unwrap();
            std::os::unix::fs::symlink(at("a"), at("soft")).unwrap();
            assert!(are_same(&at("a"), &at("hard")) && are_same(&at("a"), &at("soft")));
            assert!(!are_same(Path::new("/dev/null"), Path::new("/dev/null")));
        }
    }
}
