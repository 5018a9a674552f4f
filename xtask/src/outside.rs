//! Builds and runs the README's Rust example as a user would: from a crate of their own, set up by the README's commands.
use std::fs;
use std::path::Path;
use std::process::Command;

/// The section that says how.
const SECTION: &str = "## From Rust";

/// What the README adds, which is here the working tree.
const FROM_GITHUB: &str = "--git https://github.com/phalanx-sim/phalanx phalanx";

/// Makes the crate below `target/` and runs it.
///
/// # Errors
/// If the README has no such section, or the crate cannot be made, built or run.
pub fn check(root: &Path) -> Result<(), String> {
    let readme = read(&root.join("README.md"))?;
    let setup = block(&readme, "sh").ok_or("README.md: no commands for a crate under \"From Rust\"")?;
    let example = block(&readme, "rust").ok_or("README.md: no example under \"From Rust\"")?;
    if !setup.contains(FROM_GITHUB) {
        return Err(format!("README.md: \"{FROM_GITHUB}\" is not among the commands under \"From Rust\""));
    }
    let here = format!("--path {} phalanx", shown(root));
    let folder = root.join("target/outside");
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("{}: {error}", path.display()))
    };
    // What an earlier check has built stays.
    let _ = fs::remove_file(folder.join(".cargo/config.toml"));
    write("Cargo.toml", "[package]\nname = \"outside\"\nedition = \"2024\"\n\n[workspace]\n")?;
    write("src/main.rs", &format!("fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{example}\nOk(())\n}}\n"))?;
    write("assets/ant.xml", &read(&root.join("assets/ant.xml"))?)?;
    // The dependencies that everything else is checked with.
    write("Cargo.lock", &read(&root.join("Cargo.lock"))?)?;
    let setup = setup.replace(FROM_GITHUB, &here);
    let script = format!("set -e\n{setup}\ncargo run --release --quiet");
    let mut shell = Command::new("sh");
    // Only this workspace has the setting that the crate is to make do without.
    shell.args(["-c", &script]).current_dir(&folder).env_remove("CUDA_LIBRARY_PATH");
    shell.env("CARGO_TARGET_DIR", folder.join("target"));
    match shell.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{status} of, in {}:\n{script}", folder.display())),
        Err(error) => Err(format!("sh: {error}")),
    }
}

/// The first block of that language in the section.
fn block<'a>(readme: &'a str, language: &str) -> Option<&'a str> {
    let section = readme.split_once(SECTION)?.1;
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let block = section.split_once(&format!("```{language}\n"))?.1;
    block.split_once("\n```").map(|(block, _)| block)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// A path for a shell.
fn shown(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_the_sections_own() {
        let readme = "```sh\nno\n```\n## From Rust\n```sh\na\nb\n```\n## Other\n```rust\nno\n```\n";
        assert_eq!(block(readme, "sh"), Some("a\nb"));
        assert_eq!(block(readme, "rust"), None);
        assert_eq!(block("", "sh"), None);
    }
}
