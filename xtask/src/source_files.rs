//! Lists and reads the files of the repository that people wrote.
use std::fs;
use std::path::Path;

/// A text file by its path below the repository, with `/` between folders.
#[derive(Debug)]
pub struct SourceFile {
    /// For example `kernels/step.h`.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl SourceFile {
    /// The part after the last dot, or the empty string.
    pub fn extension(&self) -> &str {
        extension(&self.path)
    }

    /// A complaint about a line, counted from one.
    pub fn complaint(&self, line: usize, what: &str) -> String {
        format!("{}:{line}: {what}", self.path)
    }
}

/// Text files, by extension.
const TEXT: &[&str] = &["rs", "h", "cu", "cpp", "py", "toml", "md", "xml", "sh", "csv", "txt", "json", "yml"];

/// Every text file below `root`, in order of path; folders that tools fill are left out.
///
/// # Errors
/// If a folder or a file cannot be read.
pub fn source_files(root: &Path) -> Result<Vec<SourceFile>, String> {
    let mut found = Vec::new();
    collect(root, "", &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn collect(folder: &Path, below: &str, found: &mut Vec<SourceFile>) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if entry.file_type().map_err(problem)?.is_dir() {
            if is_ours(&name) {
                collect(&entry.path(), &path, found)?;
            }
        } else if TEXT.contains(&extension(&name)) || path == ".ci/run" {
            let text = fs::read_to_string(entry.path()).map_err(|error| format!("{path}: {error}"))?;
            found.push(SourceFile { path, text });
        }
    }
    Ok(())
}

/// Whether people write in a folder of that name.
fn is_ours(name: &str) -> bool {
    !(name == "target" || name == "__pycache__" || name.starts_with('.')) || name == ".ci" || name == ".cargo"
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}
