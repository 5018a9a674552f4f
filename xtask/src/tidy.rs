//! Reads the sources for what compilers do not check: the rules that a person would have to remember.
//!
//! Each rule is a function from a file to complaints, `PATH:LINE: what to do`. A new rule goes where its kind of file is
//! judged, with a test that shows what it finds and what it lets pass.

mod documents;
mod first_lines;
mod kernels;
mod words;

use std::path::Path;

use crate::source_files::{SourceFile, source_files};

/// Longer files are named, not refused: they may answer more than one question.
const LONG_FILE: usize = 700;

/// Judges every file of the repository.
///
/// # Errors
/// With all complaints, if there are any.
pub fn tidy(root: &Path) -> Result<(), String> {
    let files = source_files(root)?;
    for file in files.iter().filter(|file| is_long(file)) {
        println!("{}: {} lines; is it one question?", file.path, file.text.lines().count());
    }
    let complaints = complaints(&files, &|path| root.join(path).exists());
    if complaints.is_empty() {
        println!("tidy: {} files", files.len());
        return Ok(());
    }
    Err(format!("{}\ntidy: {} complaints", complaints.join("\n"), complaints.len()))
}

/// What is wrong with these files; `exists` tells whether a path below the repository exists.
fn complaints(files: &[SourceFile], exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let names = documents::file_names(files);
    let mut found = documents::unlisted_records(files);
    for file in files {
        found.extend(first_lines::judge(file));
        found.extend(words::judge(file));
        found.extend(kernels::judge(file));
        found.extend(documents::judge(file, &names, exists));
    }
    found
}

fn is_long(file: &SourceFile) -> bool {
    let code = ["rs", "h", "cu", "cpp", "py"].contains(&file.extension());
    code && !file.path.contains("/generated/") && file.text.lines().count() > LONG_FILE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.into(), text: text.into() }
    }

    #[test]
    fn complaints_name_file_and_line_and_come_in_order_of_files() {
        let files = [file("a.rs", "fn a() {}\n"), file("kernels/b.h", "// B.\n#pragma once\n#if X\n#endif\n")];
        let found = complaints(&files, &|_| true);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("a.rs:1: "));
        assert!(found[1].starts_with("kernels/b.h:3: "));
    }

    #[test]
    fn generated_files_may_be_long() {
        let lines = "int a;\n".repeat(LONG_FILE + 1);
        assert!(is_long(&file("kernels/a.h", &lines)));
        assert!(!is_long(&file("kernels/generated/a.h", &lines)));
        assert!(!is_long(&file("a.csv", &lines)));
    }
}
