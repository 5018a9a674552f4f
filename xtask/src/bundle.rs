//! Packs `.gpu/`: what a machine with a GPU and no Rust needs to check hashes, run sanitizers and time the scenes.
//!
//! Holds the stripped release binary, our models, the well-known models of a folder where there is one, and the script
//! that runs it all. Nothing else is needed there but a driver, NVRTC and Python.
use std::fs;
use std::path::Path;
use std::process::Command;

/// Where the well-known models lie if nothing else is said: beside the repository.
const MODELS: &str = "../shared/models";

/// Scenes of the benchmarks whose models are ours.
const OWN_SCENES: &[&str] = &["tower_12", "boxes_30", "spheres_100"];

/// The hashes that long runs end in.
const LONG_RUNS: &str = "state_hashes_of_10000_steps.csv";

/// A model of that folder that changes on the way: its name there, its name in the bundle, text and what replaces it. Ours
/// is called humanoid too, and the ant is timed with the integrator that its competitors' figures have.
const CHANGED: &[(&str, &str, &str, &str)] = &[
    ("humanoid.xml", "humanoid_mujoco.xml", "", ""),
    ("three_humanoids.xml", "three_humanoids.xml", "file=\"humanoid.xml\"", "file=\"humanoid_mujoco.xml\""),
    ("gym_ant.xml", "ant_euler.xml", "integrator=\"RK4\"", "integrator=\"Euler\""),
];

/// Builds the binary and packs the bundle; `models` replaces the usual folder of well-known models.
///
/// # Errors
/// If the build fails, a file cannot be copied, or a named folder has no models.
pub fn pack(root: &Path, models: Option<&Path>) -> Result<(), String> {
    run(Command::new("cargo").args(["build", "--release", "--bin", "phalanx"]).current_dir(root))?;
    let bundle = root.join(".gpu");
    let folder = bundle.join("models");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let binary = bundle.join("phalanx");
    copy(&target_folder(root).join("release/phalanx"), &binary)?;
    run(Command::new("strip").arg(&binary))?;
    for script in ["check.py", "profile.py"] {
        copy(&root.join("xtask/gpu").join(script), &bundle.join(script))?;
    }
    copy(&root.join("tests/golden").join(LONG_RUNS), &bundle.join(LONG_RUNS))?;
    let mut ours = copy_models(&root.join("assets"), &folder, &[])?;
    for scene in OWN_SCENES {
        ours += copy_models(&root.join("benchmarks").join(scene), &folder, &[])?;
    }
    let found = copy_models(&models.map_or_else(|| root.join(MODELS), Path::to_path_buf), &folder, CHANGED);
    let theirs = match (found, models) {
        (Ok(count), _) => count,
        (Err(message), Some(_)) => return Err(message),
        (Err(message), None) => {
            println!("without the well-known models: {message}");
            0
        }
    };
    println!("packed .gpu: {ours} models of ours, {theirs} well-known ones, {} bytes of binary", size(&binary)?);
    println!("on the machine with the GPU, in that folder:  python3 check.py . OUT");
    Ok(())
}

/// Copies the models of a folder, those in `changed` under another name and with another text; returns how many.
fn copy_models(from: &Path, to: &Path, changed: &[(&str, &str, &str, &str)]) -> Result<usize, String> {
    let entries = fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))?;
    let mut count = 0;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".xml") {
            continue;
        }
        count += 1;
        let Some((_, new_name, old, new)) = changed.iter().find(|(old_name, ..)| *old_name == name) else {
            copy(&entry.path(), &to.join(&name))?;
            continue;
        };
        let text = fs::read_to_string(entry.path()).map_err(|error| format!("{}: {error}", entry.path().display()))?;
        if !text.contains(old) {
            return Err(format!("{}: has no {old}, which is to become {new}", entry.path().display()));
        }
        let text = if old.is_empty() { text } else { text.replace(old, new) };
        let path = to.join(new_name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if count == 0 { Err(format!("{}: no models", from.display())) } else { Ok(count) }
}

/// Cargo's output folder.
pub fn target_folder(root: &Path) -> std::path::PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Copies over what may be read-only.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let _ = fs::remove_file(to);
    fs::copy(from, to).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))?;
    Ok(())
}

fn size(path: &Path) -> Result<u64, String> {
    fs::metadata(path).map(|data| data.len()).map_err(|error| format!("{}: {error}", path.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program}: {status}")),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own below cargo's folder for tests; emptied first.
    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("phalanx-xtask-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn models_of_the_same_name_live_side_by_side_and_name_each_other() {
        let (from, to) = (folder("from"), folder("to"));
        fs::write(from.join("humanoid.xml"), "<mujoco/>").unwrap();
        fs::write(from.join("three_humanoids.xml"), "<model file=\"humanoid.xml\"/>").unwrap();
        fs::write(from.join("gym_ant.xml"), "<option integrator=\"RK4\"/>").unwrap();
        fs::write(from.join("go1.xml"), "<mujoco/>").unwrap();
        fs::write(from.join("notes.txt"), "no model").unwrap();
        assert_eq!(copy_models(&from, &to, CHANGED).unwrap(), 4);
        let text = |name: &str| fs::read_to_string(to.join(name)).unwrap();
        assert_eq!(text("humanoid_mujoco.xml"), "<mujoco/>");
        assert_eq!(text("three_humanoids.xml"), "<model file=\"humanoid_mujoco.xml\"/>");
        assert_eq!(text("ant_euler.xml"), "<option integrator=\"Euler\"/>");
        assert!(to.join("go1.xml").exists() && !to.join("notes.txt").exists());
        for folder in [from, to] {
            fs::remove_dir_all(folder).unwrap();
        }
    }

    #[test]
    fn a_folder_without_models_is_an_error_with_its_name() {
        let empty = folder("empty");
        assert!(copy_models(&empty, &empty, CHANGED).unwrap_err().contains("empty: no models"));
        fs::remove_dir_all(empty).unwrap();
    }
}
