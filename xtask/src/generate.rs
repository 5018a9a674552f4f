//! Writes the generated files, or tells which are stale.
use std::fs;
use std::path::Path;

/// Every generated file: path below the repository and text.
pub fn generated_files() -> Vec<(&'static str, String)> {
    vec![
        ("kernels/generated/view.h", crate::view::generic_header()),
        ("kernels/generated/pair_table.h", crate::pairs::pair_header()),
        ("docs/fields.md", crate::field_page::field_page()),
    ]
}

/// Writes what is stale; with `check` only names it. Returns the stale paths.
pub fn generate(root: &Path, check: bool) -> Result<Vec<&'static str>, String> {
    let mut stale = Vec::new();
    for (path, text) in generated_files() {
        let full = root.join(path);
        if fs::read_to_string(&full).is_ok_and(|found| found == text) {
            continue;
        }
        stale.push(path);
        if !check {
            fs::write(&full, text).map_err(|e| format!("{path}: {e}"))?;
        }
    }
    Ok(stale)
}

/// Fails if any generated file is stale.
pub fn check(root: &Path) -> Result<(), String> {
    let stale = generate(root, true)?;
    if stale.is_empty() { Ok(()) } else { Err(format!("stale: {}; run `cargo xtask generate`", stale.join(", "))) }
}
