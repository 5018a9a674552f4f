//! Lists the places where an NVRTC library may lie on this machine, best first.
//!
//! Reads environment variables and folders only; opens no library. Python is run only when asked for its site-packages as
//! the last resort.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A place to try, with the reason it is on the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// A file, or a bare name for the loader's own search.
    pub path: PathBuf,
    /// Where the idea came from: `PHALANX_NVRTC`, `CUDA_HOME`...
    pub source: String,
}

const SONAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

/// The user's choice: a file, or a folder that holds one. Nothing else is tried when it is set.
pub(super) fn chosen() -> Option<(PathBuf, Vec<Candidate>)> {
    let path = PathBuf::from(env::var_os("PHALANX_NVRTC").filter(|v| !v.is_empty())?);
    let source = "PHALANX_NVRTC";
    let found = if path.is_dir() {
        [path.clone(), path.join("lib64"), path.join("lib")].iter().flat_map(|dir| in_folder(dir, source)).collect()
    } else {
        vec![Candidate { path: path.clone(), source: source.into() }]
    };
    Some((path, found))
}

/// Toolkits that the environment names, then the loader's path, then common toolkits, then pip packages found without Python.
pub(super) fn usual() -> Vec<Candidate> {
    let mut found = Vec::new();
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        for root in env::var_os(variable).iter().filter(|v| !v.is_empty()).map(PathBuf::from) {
            for folder in ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"] {
                found.extend(in_folder(&root.join(folder), variable));
            }
        }
    }
    found.extend(SONAMES.map(|name| Candidate { path: name.into(), source: "the loader's path".into() }));
    for root in ["/usr/local/cuda", "/opt/cuda"] {
        found.extend(in_folder(&Path::new(root).join("lib64"), root));
    }
    for site in site_packages() {
        found.extend(in_site_packages(&site));
    }
    found
}

/// Asks the `python3` on PATH for its site-packages.
pub(super) fn from_python() -> Vec<Candidate> {
    let program = "import site, sys; print('\\n'.join(p for p in sys.path + [site.getusersitepackages()] if p))";
    let asked = Command::new("python3").args(["-c", program]).stdin(Stdio::null()).stderr(Stdio::null()).output().ok();
    let answer = asked.filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&answer).lines().flat_map(|line| in_site_packages(Path::new(line))).collect()
}

/// Every site-packages folder that can be guessed without running Python.
fn site_packages() -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> = Vec::new();
    let variable = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    prefixes.extend(["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable));
    let home = variable("HOME");
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        if folder.join("python3").is_file() && folder.file_name().is_some_and(|name| name == "bin") {
            prefixes.extend(folder.parent().map(Path::to_path_buf));
        }
    }
    prefixes.extend(home.as_ref().map(|home| home.join(".local")));
    let pyenv = variable("PYENV_ROOT").or_else(|| home.map(|home| home.join(".pyenv")));
    prefixes.extend(pyenv.iter().flat_map(|pyenv| subfolders(&pyenv.join("versions"), |_| true)));
    prefixes.extend(["/usr/local", "/usr"].map(PathBuf::from));

    let mut found = Vec::new();
    for prefix in prefixes {
        for python in subfolders(&prefix.join("lib"), |name| name.starts_with("python3")) {
            for folder in ["site-packages", "dist-packages"].map(|name| python.join(name)) {
                if folder.is_dir() && !found.contains(&folder) {
                    found.push(folder);
                }
            }
        }
    }
    found
}

/// pip's packages: `nvidia/cu13/lib` since CUDA 13, `nvidia/cuda_nvrtc/lib` before.
fn in_site_packages(site: &Path) -> Vec<Candidate> {
    let mut packages = subfolders(&site.join("nvidia"), |_| true);
    packages.reverse();
    packages.iter().flat_map(|package| in_folder(&package.join("lib"), "a pip package")).collect()
}

/// The NVRTC libraries in one folder, newest major version first.
fn in_folder(folder: &Path, source: &str) -> Vec<Candidate> {
    let mut names: Vec<String> = file_names(folder)
        .filter(|name| name.starts_with("libnvrtc.so") || name == "libnvrtc.dylib")
        .filter(|name| !name.contains(".alt"))
        .collect();
    let major = |name: &String| -> u32 {
        let digits = name.trim_start_matches("libnvrtc.so").trim_start_matches('.');
        digits.split('.').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
    };
    names.sort_by(|a, b| major(b).cmp(&major(a)).then(a.len().cmp(&b.len())));
    names.into_iter().map(|name| Candidate { path: folder.join(name), source: source.into() }).collect()
}

/// The `libnvrtc-builtins` libraries beside an NVRTC: it looks for them by name only, so they are opened first.
pub(super) fn builtins_beside(nvrtc: &Path) -> Vec<PathBuf> {
    let Some(folder) = nvrtc.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Vec::new() };
    let is_builtins = |name: &String| name.starts_with("libnvrtc-builtins.so") && !name.contains(".alt");
    file_names(folder).filter(is_builtins).map(|name| folder.join(name)).collect()
}

fn subfolders(folder: &Path, keep: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = file_names(folder)
        .filter(|name| keep(name))
        .map(|name| folder.join(name))
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

fn file_names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_offers_its_newest_nvrtc_first_and_never_the_alternative_build() {
        let folder = tempfile::tempdir().unwrap();
        for name in
            ["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.alt.so.13", "libnvrtc-builtins.so.13.0", "libcudart.so"]
        {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found: Vec<_> = in_folder(folder.path(), "test").into_iter().map(|c| c.path).collect();
        assert_eq!(found, ["libnvrtc.so.13", "libnvrtc.so.12"].map(|name| folder.path().join(name)));
        assert_eq!(builtins_beside(&found[0]), [folder.path().join("libnvrtc-builtins.so.13.0")]);
    }

    #[test]
    fn both_layouts_of_the_pip_package_are_found() {
        let site = tempfile::tempdir().unwrap();
        for file in ["nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "nvidia/cu13/lib/libnvrtc.so.13"] {
            let path = site.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let found = in_site_packages(site.path());
        assert_eq!(found.len(), 2);
        assert!(found.iter().any(|c| c.path.ends_with("cu13/lib/libnvrtc.so.13")));
    }
}
