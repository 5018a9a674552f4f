//! What no file may say: places of one machine, numbers of a tracker, who or what typed a line, relaxed arithmetic.
use crate::source_files::SourceFile;

/// Word, in lower case, and what to do about it.
const NOWHERE: &[(&str, &str)] = &[
    ("/root/", "a path of one machine"),
    ("/home/", "a path of one machine"),
    ("/users/", "a path of one machine"),
    ("/work/", "a path of one machine"),
    ("design.md", "a document that the repository does not have"),
    ("issue #", "a number that only a tracker explains; say the reason here"),
    ("chatgpt", "the project speaks of itself alone"),
    ("claude", "the project speaks of itself alone"),
    ("copilot", "the project speaks of itself alone"),
];

/// Compiler options that change bits.
const NOT_IN_BUILDS: &[&str] =
    &["-ffast-math", "-Ofast", "-march=native", "use_fast_math", "-ffp-contract=fast", "-ffp-contract=on"];

/// Documents may name what is forbidden.
const BUILDS: &[&str] = &["rs", "py", "toml", "h", "cu", "cpp", "sh"];

/// Complains about every line with such a word.
pub fn judge(file: &SourceFile) -> Vec<String> {
    // This file has to spell them.
    if file.path == "xtask/src/tidy/words.rs" {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let lower = line.to_lowercase();
        let said = NOWHERE.iter().filter(|(word, _)| lower.contains(word));
        found.extend(said.map(|(word, why)| file.complaint(index + 1, &format!("\"{word}\": {why}"))));
        if BUILDS.contains(&file.extension()) {
            let used = NOT_IN_BUILDS.iter().filter(|option| line.contains(**option));
            found.extend(used.map(|option| file.complaint(index + 1, &format!("{option} changes the bits"))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> Vec<String> {
        judge(&SourceFile { path: path.into(), text: text.into() })
    }

    #[test]
    fn places_of_one_machine_and_numbers_of_a_tracker_are_found_in_any_file() {
        assert_eq!(complaints("a.md", "line\nsee /root/x and Issue #7\n").len(), 2);
        assert!(complaints("a.md", "one\nsee Issue #7\n")[0].starts_with("a.md:2: "));
        assert_eq!(complaints("a.md", "an issue of taste\n").len(), 0);
    }

    #[test]
    fn documents_may_name_the_options_that_builds_must_not_use() {
        assert_eq!(complaints("CONTRIBUTING.md", "No -ffast-math.").len(), 0);
        assert_eq!(complaints("build.rs", ".flag(\"-ffast-math\")").len(), 1);
        assert_eq!(complaints("build.rs", ".flag(\"-ffp-contract=off\")").len(), 0);
    }
}
