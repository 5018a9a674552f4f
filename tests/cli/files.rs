//! Files that a run reads and writes: controls, states, records.

use std::fs::File;
use std::io::Read;

use npyz::NpyFile;

use crate::{Folder, json};

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
