//! A file says in its first line which question it answers.
use crate::source_files::SourceFile;

/// Rust files begin with a module doc, kernels with a comment, Python files with a docstring.
pub fn judge(file: &SourceFile) -> Vec<String> {
    let mut lines = file.text.lines().enumerate().skip_while(|(_, line)| line.starts_with("#!/"));
    let (number, first) = lines.next().unwrap_or((0, ""));
    let (start, what) = match file.extension() {
        "rs" => ("//! ", "begin with a module doc, `//! `, that says what the file is for"),
        "h" | "cu" | "cpp" => ("// ", "begin with a comment, `// `, that says what the file is for"),
        "py" => ("\"\"\"", "begin with a docstring that says what the file is for"),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    if !first.starts_with(start) {
        found.push(file.complaint(number + 1, what));
    }
    if file.extension() == "h" && !file.text.lines().any(|line| line == "#pragma once") {
        found.push(file.complaint(1, "a header needs `#pragma once`"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        judge(&SourceFile { path: path.into(), text: text.into() }).len()
    }

    #[test]
    fn every_kind_of_source_says_what_it_is_for() {
        assert_eq!(complaints("a.rs", "//! Steps.\n"), 0);
        assert_eq!(complaints("a.rs", "use b;\n"), 1);
        assert_eq!(complaints("a.py", "#!/usr/bin/env python3\n\"\"\"Checks.\"\"\"\n"), 0);
        assert_eq!(complaints("a.py", "#!/usr/bin/env python3\nimport os\n"), 1);
        assert_eq!(complaints("a.cu", "// Entry points.\n"), 0);
        assert_eq!(complaints("a.rs", ""), 1);
        assert_eq!(complaints("a.xml", "<mujoco/>"), 0);
    }

    #[test]
    fn a_header_is_read_once() {
        assert_eq!(complaints("a.h", "// A.\n#pragma once\n"), 0);
        assert_eq!(complaints("a.h", "// A.\n"), 1);
    }
}
