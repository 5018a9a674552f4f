//! A measured row is found again for the same device, driver, kernels, model and size of batch, and for no other.

use std::path::Path;

use phalanx_gpu_kernels::cuda::DriverVersion;
use phalanx_gpu_kernels::planning::candidate_plans;
use phalanx_gpu_kernels::shape::Shape;
use phalanx_gpu_kernels::tuning::{Tuned, TuningKey, TuningStore};
use phalanx_launch_planner::{Demand, DeviceLimits, RowChoice};
use phalanx_model::Model;

const DRIVER: DriverVersion = DriverVersion { major: 13, minor: 0 };

fn model(name: &str) -> Model {
    Model::from_file(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(name)).unwrap()
}

fn device(name: &str) -> DeviceLimits {
    DeviceLimits::preset(name).unwrap()
}

fn key(device_name: &str, model_name: &str, per_env: &[&'static str], num_envs: u64) -> TuningKey {
    let mut shape = Shape::of(&model(model_name)).unwrap();
    shape.give_each_env(per_env);
    TuningKey::of(&device(device_name), DRIVER, &shape, num_envs)
}

fn tuned(key: TuningKey) -> Tuned {
    let row = RowChoice { lanes_per_env: 16, envs_per_block: 4, global: vec!["con_J".into()], never_retries: true };
    Tuned { key, model: "ant".into(), num_envs: 8192, row, env_steps_per_second: 4e7, planners_own: Some(3.9e7) }
}

#[test]
fn a_measurement_is_found_by_its_key_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = TuningStore::in_folder(folder.path().join("tuned"));
    let ant = key("h200", "ant.xml", &[], 8192);
    assert_eq!(store.find(&ant), None);
    let first = tuned(ant.clone());
    let path = store.put(&first).unwrap();
    assert_eq!(store.find(&ant), Some(first.clone()));
    let second = Tuned { env_steps_per_second: 5e7, ..first };
    assert_eq!(store.put(&second).unwrap(), path);
    assert_eq!(store.find(&ant), Some(second));
    assert_eq!(path.parent().unwrap().read_dir().unwrap().count(), 1, "nothing else is left");

    let others = [
        key("h100", "ant.xml", &[], 8192),
        key("h200", "cartpole.xml", &[], 8192),
        key("h200", "ant.xml", &["body_mass"], 8192),
        key("h200", "ant.xml", &[], 8193),
        TuningKey { driver: "12.8".into(), ..ant.clone() },
        TuningKey { kernels: "other sources".into(), ..ant },
    ];
    for other in others {
        assert_eq!(store.find(&other), None, "{other:?}");
    }
}

#[test]
fn batches_of_about_the_same_size_share_a_measurement() {
    let at = |num_envs| key("h200", "ant.xml", &[], num_envs);
    assert_eq!(at(4097), at(8192));
    assert_ne!(at(4096), at(4097));
    assert_eq!(at(1).size, 0);
}

#[test]
fn a_broken_file_is_no_measurement() {
    let folder = tempfile::tempdir().unwrap();
    let store = TuningStore::in_folder(folder.path());
    let ant = key("h200", "ant.xml", &[], 8192);
    let path = store.put(&tuned(ant.clone())).unwrap();
    std::fs::write(&path, "{").unwrap();
    assert_eq!(store.find(&ant), None);
    store.put(&tuned(ant.clone())).unwrap();
    assert!(store.find(&ant).is_some());
}

#[test]
fn the_candidates_of_a_model_are_several_team_sizes() {
    let plans = candidate_plans(&model("humanoid.xml"), &device("h200"), &Demand::envs(8192)).unwrap();
    let lanes: Vec<u32> = plans.iter().map(|plan| plan.step().lanes_per_env).collect();
    assert_eq!(lanes[0], 16, "two columns of the humanoid's matrix a lane");
    assert!(lanes.contains(&32) && lanes.contains(&8), "{lanes:?}");
    assert!(plans.len() <= 9, "each of {} takes a compilation", plans.len());
}
