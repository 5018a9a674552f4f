//! Tests of what a batch does with numbers that no call lets in, as a kernel of the caller's own may write them into the
//! simulator's memory: the environment that they are in is frozen and flagged, or goes on with finite numbers; no other sees
//! them.
//!
//! `PHALANX_TEST_DEVICE=cuda` runs them on a GPU.

use crate::field_access::find;
use crate::state_arena::width;
use crate::{DeviceChoice, Envs, NOT_FINITE, Options, Reset, Simulation, Target};
use phalanx_model::Model;

const ENVIRONMENTS: u64 = 9;
/// The first, the last, and one within a warp of small teams.
const POISONED: [usize; 3] = [0, 3, 8];
/// Before the poison, and after it.
const STEPS: u64 = 12;
const NUMBERS: [f32; 7] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 0.0, -1.0];

const STATE_AND_INPUTS: [&str; 6] = ["qpos", "qvel", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied"];
const PER_ENVIRONMENT: [&str; 14] = [
    "body_mass",
    "body_inertia",
    "body_pos",
    "dof_armature",
    "dof_damping",
    "dof_frictionloss",
    "jnt_stiffness",
    "jnt_range",
    "geom_size",
    "geom_friction",
    "geom_solref",
    "geom_solimp",
    "actuator_gainprm",
    "opt_timestep",
];

fn asset(name: &str) -> Model {
    Model::from_file(format!("{}/../../assets/{name}.xml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn batch(model: &Model, options: &Options) -> Simulation {
    let mut sim = Simulation::new(model, options.clone()).unwrap();
    sim.reset(Reset { envs: Envs::All, to: Target::Keyframe(0) }).unwrap();
    for input in ["qfrc_applied", "xfrc_applied"] {
        let zeros = vec![0.0; sim.field_len(input).unwrap()];
        sim.write(input, &zeros).unwrap(); // takes their memory
    }
    sim
}

fn drive(sim: &mut Simulation, first: u64) {
    for step in first..first + STEPS {
        sim.draw_random_controls(step).unwrap();
        sim.step().unwrap();
    }
}

/// Overwrites an entry of a field in the poisoned environments, past all checks.
fn overwrite(sim: &mut Simulation, name: &str, entry: usize, number: f32) {
    let n = width(&sim.shape, find(name).unwrap());
    let state = &mut sim.state;
    let (memory, offset) = match state.extra.get_mut(name) {
        Some(memory) => (memory, 0),
        None => (&mut state.arena, state.places[name].offset as usize),
    };
    for env in POISONED {
        memory.write(offset + 4 * (env * n + entry), &number.to_le_bytes()).unwrap();
    }
}

/// Options for a batch on the device of the tests.
fn options(per_env: &[&str], fast_contacts: Option<u32>) -> Options {
    let device = std::env::var("PHALANX_TEST_DEVICE").map_or(DeviceChoice::Cpu, |text| text.parse().unwrap());
    Options {
        device,
        threads: Some(2),
        wait_for_specialised: true,
        per_env: per_env.iter().map(|name| (*name).to_owned()).collect(),
        fast_contacts,
        ..Options::envs(ENVIRONMENTS)
    }
}

/// What must hold at the end of a run in which some environments were poisoned.
fn check(sim: &mut Simulation, healthy: &[u64], context: &str) {
    let (faults, hashes) = (sim.faults().unwrap(), sim.env_hashes().unwrap());
    let state: Vec<Vec<f64>> = ["qpos", "qvel"].map(|name| sim.read(name).unwrap()).into();
    for env in 0..ENVIRONMENTS as usize {
        if !POISONED.contains(&env) {
            assert_eq!((faults[env], hashes[env]), (0, healthy[env]), "{context}: environment {env} is not poisoned");
        } else if faults[env] == 0 {
            let finite = |values: &Vec<f64>| {
                let n = values.len() / ENVIRONMENTS as usize;
                values[env * n..(env + 1) * n].iter().all(|x| x.abs() <= 1e10)
            };
            assert!(state.iter().all(finite), "{context}: environment {env} is neither finite nor flagged");
        } else {
            assert_eq!(faults[env], NOT_FINITE, "{context}: environment {env}");
        }
    }
}

/// Poisons one entry after the other, with one number after the other. Each run begins at the same snapshot and ends with the
/// poisoned environments revived.
fn quarantine(name: &str, fields: &[&str], options: &Options) {
    let model = asset(name);
    let mut fresh = batch(&model, options);
    drive(&mut fresh, 0);
    let fresh = fresh.env_hashes().unwrap();
    let mut sim = batch(&model, options);
    drive(&mut sim, 0);
    let start = sim.snapshot().unwrap();
    drive(&mut sim, STEPS);
    let healthy = sim.env_hashes().unwrap();
    for field in fields {
        let usual = sim.read_f32(field).unwrap();
        let n = width(&sim.shape, find(field).unwrap());
        let entries = [0, 3, 7, n.saturating_sub(1)].into_iter().filter(|entry| *entry < n);
        for (entry, number) in entries.flat_map(|entry| NUMBERS.map(|number| (entry, number))) {
            let context = format!("{name}: {field}[{entry}] is {number}, fast contacts {:?}", options.fast_contacts);
            sim.restore(&start).unwrap();
            for step in STEPS..2 * STEPS {
                sim.draw_random_controls(step).unwrap();
                if step == STEPS {
                    overwrite(&mut sim, field, entry, number);
                }
                sim.step().unwrap();
            }
            check(&mut sim, &healthy, &context);
            overwrite(&mut sim, field, entry, usual[entry]);
            revive(&mut sim, &fresh, &context);
        }
    }
}

/// Resets the poisoned environments: they go on like ones that were never poisoned.
fn revive(sim: &mut Simulation, fresh: &[u64], context: &str) {
    let ids = POISONED.map(|env| env as u64);
    sim.reset(Reset { envs: Envs::Ids(&ids), to: Target::Keyframe(0) }).unwrap();
    assert_eq!(sim.faults().unwrap(), [0; ENVIRONMENTS as usize], "{context}");
    drive(sim, 0);
    let revived = sim.env_hashes().unwrap();
    assert!(POISONED.iter().all(|env| revived[*env] == fresh[*env]), "{context}: not as fresh ones");
}

#[test]
fn what_is_not_finite_in_states_and_inputs_stays_in_its_environment() {
    for name in ["cartpole", "ant", "arm_cube"] {
        for fast_contacts in [None, Some(1)] {
            quarantine(name, &STATE_AND_INPUTS, &options(&[], fast_contacts));
        }
    }
}

#[test]
fn what_is_not_finite_in_model_values_stays_in_its_environment() {
    for name in ["ant", "arm_cube"] {
        quarantine(name, &PER_ENVIRONMENT, &options(&PER_ENVIRONMENT, None));
    }
}

/// Entries of the ant on which its next state surely depends.
#[test]
fn an_environment_freezes_in_the_step_that_is_not_finite_and_keeps_the_state_before() {
    let model = asset("ant");
    let fatal = [("ctrl", 0), ("qfrc_applied", 1), ("xfrc_applied", 8), ("body_mass", 1), ("opt_timestep", 0)];
    let states = [("qpos", 0), ("qpos", 4), ("qpos", 9), ("qvel", 2), ("qvel", 13)];
    let mut sim = batch(&model, &options(&["body_mass", "opt_timestep"], None));
    for (field, entry) in fatal.into_iter().chain(states) {
        for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            // A control has a range, and what is beyond is its bound.
            if field == "ctrl" && !number.is_nan() {
                continue;
            }
            sim.reset(Reset { envs: Envs::All, to: Target::Keyframe(0) }).unwrap();
            drive(&mut sim, 0);
            let usual = sim.read_f32(field).unwrap();
            overwrite(&mut sim, field, entry, number);
            let before = sim.env_hashes().unwrap();
            sim.step().unwrap();
            let (faults, after) = (sim.faults().unwrap(), sim.env_hashes().unwrap());
            for env in 0..ENVIRONMENTS as usize {
                let frozen = POISONED.contains(&env);
                let context = format!("{field}[{entry}] is {number}, environment {env}");
                assert_eq!(faults[env], if frozen { NOT_FINITE } else { 0 }, "{context}");
                assert_eq!(after[env] == before[env], frozen, "{context}");
            }
            overwrite(&mut sim, field, entry, usual[entry]);
        }
    }
}
