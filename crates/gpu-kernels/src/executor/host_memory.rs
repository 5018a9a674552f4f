//! How much of the host's memory a batch may take.
//!
//! The kernel's estimate of what is available, and less where a control group (a container, a batch job) limits this
//! process. A group's file cache that was not used lately counts as free: the kernel gives it up first.
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Where the system does not say what is available.
const GUESS: u64 = 8 << 30;

/// Bytes that are free for use.
pub(super) fn available_bytes() -> u64 {
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = free_in_groups(Path::new("/sys/fs/cgroup"), &groups).unwrap_or(u64::MAX);
    available_in(&read_to_string("/proc/meminfo").unwrap_or_default()).unwrap_or(GUESS).min(group)
}

fn available_in(meminfo: &str) -> Option<u64> {
    number_after(meminfo, "MemAvailable:").map(|kilobytes| kilobytes * 1024)
}

/// The files of one version of control groups: limit, use, and the line of `memory.stat` that names the old file cache.
struct Files {
    limit: &'static str,
    used: &'static str,
    old_cache: &'static str,
}

const VERSION_1: Files =
    Files { limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes", old_cache: "total_inactive_file" };
const VERSION_2: Files = Files { limit: "memory.max", used: "memory.current", old_cache: "inactive_file" };

/// The least that any limited group above this process has left; `None` without a limit. `groups` is the text of
/// `/proc/self/cgroup`: lines `number:controllers:path`, version 2 without controllers.
fn free_in_groups(root: &Path, groups: &str) -> Option<u64> {
    let of_line = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        match controllers.split(',').any(|controller| controller == "memory") {
            true => free_above(&root.join("memory"), path, &VERSION_1),
            // With both versions at work the second lies in a folder of its own; it has memory files if it counts memory.
            false if controllers.is_empty() => {
                let both = free_above(&root.join("unified"), path, &VERSION_2);
                free_above(root, path, &VERSION_2).into_iter().chain(both).min()
            }
            false => None,
        }
    };
    groups.lines().filter_map(of_line).min()
}

/// The least that is left in the group `path` and those above it. In a container the path may be the host's, of which only
/// the root is there to be seen.
fn free_above(mount: &Path, path: &str, files: &Files) -> Option<u64> {
    let inner: PathBuf = Path::new(path.trim_start_matches('/')).into();
    inner.ancestors().filter_map(|group| free_in(&mount.join(group), files)).min()
}

fn free_in(group: &Path, files: &Files) -> Option<u64> {
    let number = |file: &str| read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
    // "max", and in version 1 a number near 2^63, is no limit.
    let limit = number(files.limit)?;
    let stat = read_to_string(group.join("memory.stat")).unwrap_or_default();
    let old_cache = number_after(&stat, files.old_cache).unwrap_or(0);
    Some(limit.saturating_sub(number(files.used)?.saturating_sub(old_cache)))
}

/// The number after a word that begins a line.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut line| if line.next()? == word { line.next()?.parse().ok() } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of control groups with these files.
    fn groups(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn what_the_kernel_says_is_in_kilobytes() {
        assert_eq!(available_in("MemTotal:  9 kB\nMemAvailable:    3 kB\n"), Some(3072));
        assert_eq!(available_in(""), None);
    }

    #[test]
    fn a_group_of_version_2_is_limited_by_itself_and_by_those_above() {
        let root = groups(&[
            ("job/memory.max", "1000\n"),
            ("job/memory.current", "700\n"),
            ("job/memory.stat", "anon 500\ninactive_file 150\nactive_file 50\n"),
            ("job/step/memory.max", "max\n"),
            ("job/step/memory.current", "600\n"),
            ("job/roomy/memory.max", "5000\n"),
            ("job/roomy/memory.current", "600\n"),
            ("job/tight/memory.max", "620\n"),
            ("job/tight/memory.current", "600\n"),
        ]);
        for (group, free) in [("job", 450), ("job/step", 450), ("job/roomy", 450), ("job/tight", 20)] {
            assert_eq!(free_in_groups(root.path(), &format!("0::/{group}\n")), Some(free), "{group}");
        }
        assert_eq!(free_in_groups(root.path(), "0::/\n"), None, "the root has no limit");
    }

    #[test]
    fn a_group_of_version_1_is_that_of_the_memory_controller() {
        let root = groups(&[
            ("memory/job/memory.limit_in_bytes", "1000\n"),
            ("memory/job/memory.usage_in_bytes", "900\n"),
            ("memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 100\n"),
            ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("memory/memory.usage_in_bytes", "900\n"),
        ]);
        let text = "12:cpu,cpuacct:/job\n4:memory:/job\n1:name=systemd:/job\n0::/job\n";
        assert_eq!(free_in_groups(root.path(), text), Some(200));
        assert!(free_in_groups(root.path(), "4:memory:/\n").unwrap() > 1 << 62);
    }

    #[test]
    fn a_containers_path_that_is_not_to_be_seen_leaves_the_root_of_what_is() {
        let root = groups(&[("memory.max", "1000\n"), ("memory.current", "2000\n")]);
        assert_eq!(free_in_groups(root.path(), "0::/system.slice/docker-0123.scope\n"), Some(0));
    }
}
