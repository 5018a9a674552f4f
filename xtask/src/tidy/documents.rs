//! What a document names exists.
use std::collections::BTreeSet;

use crate::source_files::SourceFile;

/// Endings of names that stand for files of ours.
const ENDINGS: &[&str] = &["rs", "h", "cu", "cpp", "py", "md", "xml"];

/// Folders at the top: a path that begins with one is ours.
const FOLDERS: &[&str] = &[
    "crates/",
    "kernels/",
    "xtask/",
    "tests/",
    "assets/",
    "examples/",
    "docs/",
    "src/",
    "benchmarks/",
    ".ci/",
    ".cargo/",
];

/// The last part of every path.
pub fn file_names(files: &[SourceFile]) -> BTreeSet<String> {
    files.iter().map(|file| file.path.rsplit('/').next().unwrap_or_default().to_owned()).collect()
}

/// Complains about every path in backticks and every link of a Markdown file that leads nowhere. A path is looked for
/// from the file's folder and from the top; a bare file name anywhere.
pub fn judge(file: &SourceFile, names: &BTreeSet<String>, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    if file.extension() != "md" {
        return Vec::new();
    }
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let found = |path: &str| exists(path) || (!folder.is_empty() && exists(&format!("{folder}/{path}")));
    let mut complaints = Vec::new();
    let mut fenced = false;
    for (index, line) in file.text.lines().enumerate() {
        fenced ^= line.starts_with("```");
        if fenced || line.starts_with("    ") {
            continue;
        }
        let dead_path = |path: &&str| is_path(path) && !found(path) && !names.contains(*path);
        for path in line.split('`').skip(1).step_by(2).filter(dead_path) {
            complaints.push(file.complaint(index + 1, &format!("`{path}` does not exist")));
        }
        for link in links(line).filter(|link| !link.contains(':') && !link.starts_with('#')) {
            let path = link.split('#').next().unwrap_or_default();
            if !found(path) {
                complaints.push(file.complaint(index + 1, &format!("the link {link} leads nowhere")));
            }
        }
    }
    complaints
}

/// Complains about decision records that the list of records does not name.
pub fn unlisted_records(files: &[SourceFile]) -> Vec<String> {
    let list = files.iter().find(|file| file.path == "docs/decisions/README.md").map_or("", |file| &file.text);
    let listed = |name: &str| list.contains(&format!("]({name})"));
    let records = files.iter().filter_map(|file| Some((file, file.path.strip_prefix("docs/decisions/")?)));
    let missing = records.filter(|(_, name)| *name != "README.md" && !listed(name));
    missing.map(|(file, _)| file.complaint(1, "docs/decisions/README.md does not list this record")).collect()
}

/// Whether a text in backticks means a file or folder of the repository.
fn is_path(text: &str) -> bool {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c)) && !text.starts_with('/');
    let ours = FOLDERS.iter().any(|folder| text.starts_with(folder));
    let file = text.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending));
    // A name in capitals stands for the user's own file; our documents have such names too.
    let capitals = text
        .split(['.', '/'])
        .next()
        .is_some_and(|stem| stem.len() > 1 && stem.chars().all(|c| c.is_ascii_uppercase()));
    let placeholder = capitals && !text.ends_with(".md");
    plain && (ours || file) && !placeholder
}

/// The targets of `[text](target)`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> usize {
        let file = SourceFile { path: "docs/page.md".into(), text: text.into() };
        let names = BTreeSet::from(["step.h".to_owned()]);
        judge(&file, &names, &|path| ["kernels/step.h", "docs/other.md", "crates/cli"].contains(&path)).len()
    }

    #[test]
    fn paths_in_backticks_exist() {
        assert_eq!(complaints("`kernels/step.h`, `step.h`, `other.md` and `crates/cli`"), 0);
        assert_eq!(complaints("`kernels/gone.h`"), 1);
        assert_eq!(complaints("`gone.md` and `gone.rs`"), 2);
    }

    #[test]
    fn what_is_no_path_of_ours_is_let_be() {
        assert_eq!(
            complaints("`FILE.npz`, `MODEL.xml`, `a + b`, `model.nv`, `nvidia/*/lib`, `~/.cache`, `1.5`, `.h`"),
            0
        );
        assert_eq!(complaints("    `gone.rs`"), 0);
        assert_eq!(complaints("```\n`gone.rs`\n```"), 0);
    }

    #[test]
    fn records_are_listed() {
        let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
        let list = file("docs/decisions/README.md", "| [0001](0001-a.md) | A |");
        let files = [list, file("docs/decisions/0001-a.md", "# A"), file("docs/decisions/0002-b.md", "# B")];
        let found = unlisted_records(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("docs/decisions/0002-b.md:1: "));
    }

    #[test]
    fn links_lead_somewhere() {
        assert_eq!(complaints("[a](other.md#part), [b](https://example.org/x), [c](#here)"), 0);
        assert_eq!(complaints("[a](gone.md)"), 1);
    }
}
