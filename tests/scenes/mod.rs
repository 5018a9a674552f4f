//! What the tests of the whole simulator share: models, and the device that they run on.
//!
//! `PHALANX_TEST_DEVICE=cuda` runs the same tests on a GPU.
#![allow(dead_code, reason = "each test file uses its own part")]

use phalanx::{DeviceChoice, Envs, Model, Options, Precision, Reset, Simulation, Target};

/// The five assets.
pub const ASSETS: [&str; 5] = ["cartpole", "ant", "humanoid", "quadruped", "arm_cube"];

/// An asset by name.
pub fn asset(name: &str) -> Model {
    let file = format!("{}/assets/{name}.xml", env!("CARGO_MANIFEST_DIR"));
    Model::from_file(file).unwrap()
}

/// A scene of the benchmarks whose model is ours, by name.
pub fn benchmark(name: &str) -> Model {
    let file = format!("{}/benchmarks/{name}/{name}.xml", env!("CARGO_MANIFEST_DIR"));
    Model::from_file(file).unwrap()
}

/// A model of these elements, under `<mujoco>`.
pub fn model(elements: &str) -> Model {
    Model::from_xml(&format!("<mujoco>{elements}</mujoco>"), "test.xml").unwrap()
}

/// The device of the tests: the CPU, or what the variable says.
pub fn device() -> DeviceChoice {
    std::env::var("PHALANX_TEST_DEVICE").map_or(DeviceChoice::Cpu, |text| text.parse().unwrap())
}

/// Options for a batch on the device of the tests.
pub fn envs(num_envs: u64) -> Options {
    // What is tested on a GPU is the specialised kernel, also the first time.
    Options { device: device(), threads: Some(2), wait_for_specialised: true, ..Options::envs(num_envs) }
}

/// A batch on the device of the tests, at the model's first keyframe if it has one.
pub fn batch(model: &Model, options: Options) -> Simulation {
    let mut sim = Simulation::new(model, options).unwrap();
    if model.nkey > 0 {
        sim.reset(Reset { envs: Envs::All, to: Target::Keyframe(0) }).unwrap();
    }
    sim
}

/// One environment in double on the CPU, to compare with closed forms.
pub fn reference(model: &Model) -> Simulation {
    let options =
        Options { device: DeviceChoice::Cpu, precision: Precision::F64, threads: Some(1), ..Options::envs(1) };
    Simulation::new(model, options).unwrap()
}

/// One environment in float on the device of the tests.
pub fn single(model: &Model) -> Simulation {
    Simulation::new(model, envs(1)).unwrap()
}

/// Steps with random controls, drawn anew at every step from `first` on.
pub fn drive(sim: &mut Simulation, first: u64, steps: u64) {
    for step in first..first + steps {
        sim.draw_random_controls(step).unwrap();
        sim.step().unwrap();
    }
}

/// The hash of each environment after so many steps with random controls.
pub fn rollout(model: &Model, steps: u64, options: Options) -> Vec<u64> {
    let mut sim = batch(model, options);
    drive(&mut sim, 0, steps);
    sim.env_hashes().unwrap()
}
