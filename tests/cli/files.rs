//! Files that a run reads and writes: controls, states, records.

use std::fs::File;
use std::io::Read;

use npyz::NpyFile;

use crate::{Folder, json, phalanx, repository, text};

const CARTPOLE: &str = "assets/cartpole.xml";

fn run(more: &[&str]) -> serde_json::Value {
    json(&[&["run", CARTPOLE, "--device", "cpu", "--json"], more].concat())
}

/// An array of a record: its shape and numbers.
fn array<T: npyz::Deserialize>(file: &str, name: &str) -> (Vec<u64>, Vec<T>) {
    let mut archive = zip::ZipArchive::new(File::open(file).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
    let file = NpyFile::new(&bytes[..]).unwrap();
    (file.shape().to_vec(), file.into_vec().unwrap())
}

#[test]
fn controls_alike_for_all_equal_the_same_controls_for_each() {
    let folder = Folder::new();
    let steps = [0.5, -0.25, 1.0, 0.0];
    let of_each: Vec<f64> = steps.iter().flat_map(|control| [*control; 3]).collect();
    let alike = folder.npy("alike.npy", &[4, 1], &steps);
    let each = folder.npy("each.npy", &[4, 3, 1], &of_each);
    let single = folder.npy("single.npy", &[4, 1], &steps.map(|control| control as f32));
    let hash = |file: &str| run(&["--envs", "3", "--steps", "4", "--controls", file])["state_hash"].clone();
    assert_eq!(hash(&alike), hash(&each));
    assert_eq!(hash(&alike), hash(&single));
    assert_ne!(hash(&alike), hash("zero"));
}

#[test]
fn a_record_holds_the_start_and_every_wanted_step() {
    let folder = Folder::new();
    let file = folder.path("record.npz");
    run(&["--envs", "3", "--steps", "10", "--keyframe", "hanging", "--record", &file, "--record-every", "4"]);
    let (shape, qpos) = array::<f32>(&file, "qpos");
    assert_eq!(shape, [3, 3, 2], "the start and steps 4 and 8");
    let hanging = json(&["inspect", CARTPOLE, "--json"])["arrays"]["key_qpos"][1].clone();
    assert_eq!(qpos[..2], [0, 1].map(|i| hanging[i].as_f64().unwrap() as f32));
    assert_eq!(array::<f32>(&file, "qvel").0, [3, 3, 2]);
    assert_eq!(array::<f32>(&file, "act").0, [3, 3, 0]);
    let (shape, time) = array::<f32>(&file, "time");
    assert_eq!(shape, [3, 3]);
    assert_eq!([time[0], time[3], time[6]], [0.0, 0.04, 0.08]);
    assert_eq!(folder.names(), ["record.npz"], "nothing else is left");
}

#[test]
fn a_record_has_the_precision_of_the_run() {
    let folder = Folder::new();
    let file = folder.path("record.npz");
    run(&["--steps", "2", "--precision", "f64", "--record", &file]);
    assert_eq!(array::<f64>(&file, "qpos").0, [3, 1, 2]);
}

#[test]
fn a_state_file_sets_each_environment_and_leaves_the_rest_to_the_model() {
    let folder = Folder::new();
    let state = folder.npz("state.npz", &[("qpos", &[2, 2], &[0.25, 0.5, -0.5, 1.0]), ("time", &[], &[2.0])]);
    let record = folder.path("record.npz");
    run(&["--envs", "2", "--steps", "1", "--state", &state, "--record", &record]);
    assert_eq!(array::<f32>(&record, "qpos").1[..4], [0.25, 0.5, -0.5, 1.0]);
    assert_eq!(array::<f32>(&record, "qvel").1[..4], [0.0; 4]);
    assert_eq!(array::<f32>(&record, "time").1[..2], [2.0; 2]);
}

#[test]
fn a_run_cut_in_two_by_a_state_file_ends_in_the_same_state() {
    let folder = Folder::new();
    let (first, whole) = (folder.path("first.npz"), folder.path("whole.npz"));
    let start = ["--keyframe", "hanging", "--precision", "f64"];
    run(&[&start[..], &["--steps", "10", "--record", &whole]].concat());
    run(&[&start[..], &["--steps", "5", "--record", &first]].concat());
    let last = |name: &str| array::<f64>(&first, name).1[10..].to_vec();
    let state = folder.npz("state.npz", &[("qpos", &[1, 2], &last("qpos")), ("qvel", &[2], &last("qvel"))]);
    let second = folder.path("second.npz");
    run(&["--precision", "f64", "--steps", "5", "--state", &state, "--record", &second]);
    // A record has no warm start, so the solver of the second run starts elsewhere: accelerations differ by its tolerance,
    // 1e-8, and positions by a hundredth of that after five steps of 0.01 s.
    let (second, whole) = (array::<f64>(&second, "qpos").1, array::<f64>(&whole, "qpos").1);
    for (resumed, straight) in second[10..].iter().zip(&whole[20..]) {
        assert!((resumed - straight).abs() < 1e-10, "{resumed} {straight}");
    }
}

#[test]
fn an_existing_file_is_replaced_by_a_whole_one() {
    let folder = Folder::new();
    let file = folder.write("record.npz", "old");
    run(&["--steps", "2", "--record", &file]);
    assert_eq!(array::<f32>(&file, "qpos").0, [3, 1, 2]);
}

#[cfg(unix)]
#[test]
fn what_a_link_points_to_is_replaced_and_keeps_its_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let (file, link) = (folder.write("hashes", "old"), folder.path("link"));
    symlink(&file, &link).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    run(&["--steps", "1", "--hashes", &link]);
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim().len(), 16);
    assert!(std::path::Path::new(&link).is_symlink());
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);

    let dangling = folder.path("dangling");
    symlink(folder.path("nothing"), &dangling).unwrap();
    let output = phalanx(&["run", CARTPOLE, "--device", "cpu", "--steps", "1", "--record", &dangling]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("is a link to nothing"), "{}", text(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_pipes_are_written_to_and_stay_what_they_are() {
    use std::os::unix::fs::FileTypeExt;
    let is_device = |path: &str| std::fs::symlink_metadata(path).unwrap().file_type().is_char_device();
    for option in ["--record", "--hashes"] {
        let full = ["run", CARTPOLE, "--device", "cpu", "--steps", "1", option, "/dev/full"];
        let output = phalanx(&full);
        assert_eq!(output.status.code(), Some(1), "{option}");
        assert!(text(&output.stderr).contains("/dev/full: No space left"), "{}", text(&output.stderr));
        run(&["--steps", "1", option, "/dev/null"]);
    }
    assert!(is_device("/dev/full") && is_device("/dev/null"));

    // A pipe: the hashes, then the summary.
    let output = phalanx(&["run", CARTPOLE, "--device", "cpu", "--steps", "1", "--hashes", "/dev/stdout", "--json"]);
    let printed = text(&output.stdout);
    let hash = printed.lines().next().unwrap();
    assert!(hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok(), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_is_refused_before_the_run() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let file = folder.write("record.npz", "old");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o444)).unwrap();
    if std::fs::OpenOptions::new().append(true).open(&file).is_ok() {
        eprintln!("skipped: this user may write every file");
        return;
    }
    let output = phalanx(&["run", CARTPOLE, "--device", "cpu", "--steps", "1", "--record", &file]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("may not be written"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
}

#[test]
fn no_output_overwrites_an_input_or_another_output() {
    let folder = Folder::new();
    let model = folder.write("model.xml", std::fs::read(repository().join(CARTPOLE)).unwrap());
    let (same, csv) = (folder.path("same"), folder.path("sub/../same.csv"));
    std::fs::create_dir(folder.path("sub")).unwrap();
    let state = folder.npz("state.npz", &[("time", &[], &[2.0])]);
    let before = folder.names();
    for (arguments, named) in [
        (vec!["run", &model, "--record", &model], ["MODEL", "--record"]),
        (vec!["run", &model, "--record", &same, "--hashes", &same], ["--record", "--hashes"]),
        (vec!["run", &model, "--state", &state, "--hashes", &state], ["--state", "--hashes"]),
        (vec!["ladder", &model, "--csv", &csv, "--plot", &folder.path("same.csv")], ["--csv", "--plot"]),
    ] {
        let output = phalanx(&arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(named.iter().all(|word| message.contains(word)), "{arguments:?}: {message}");
    }
    assert_eq!(folder.names(), before);
}
