//! Random controls: each number is the one that Philox gives for seed, environment, step and actuator, however large
//! these are.

mod scenes;

use phalanx::{Model, Options, RANDOM_ENVIRONMENTS, RANDOM_STEPS, SimError, Simulation};
use scenes::{envs, model};

/// Six actuators without a range: more than one counter's four numbers, in [-1, 1).
fn six_motors() -> Model {
    let motors = "<motor joint='rail'/>".repeat(6);
    model(&format!(
        "<worldbody><body><joint name='rail' type='slide'/><geom size='.1'/></body></worldbody>
         <actuator>{motors}</actuator>"
    ))
}

/// Ten rounds of Philox 4x32, from the paper: Salmon, Moraes, Dror, Shaw (SC 2011), section 3.3.
fn philox(mut counter: [u32; 4], seed: u64) -> [u32; 4] {
    let (mut low, mut high) = (seed as u32, (seed >> 32) as u32);
    for _ in 0..10 {
        let a = u64::from(counter[0]) * 0xd251_1f53;
        let b = u64::from(counter[2]) * 0xcd9e_8d57;
        counter = [(b >> 32) as u32 ^ counter[1] ^ low, b as u32, (a >> 32) as u32 ^ counter[3] ^ high, a as u32];
        (low, high) = (low.wrapping_add(0x9e37_79b9), high.wrapping_add(0xbb67_ae85));
    }
    counter
}

/// The control of an actuator without a range.
fn expected(seed: u64, environment: u64, step: u64, actuator: u64) -> f64 {
    let [high_environment, high_step] = [environment, step].map(|n| (n >> 32) as u32);
    let counter = [environment as u32, step as u32, high_environment << 8, (actuator / 4) as u32 | high_step << 16];
    let word = philox(counter, seed)[actuator as usize % 4];
    f64::from((word >> 8) as f32 / 16_777_216.0 * 2.0 - 1.0)
}

fn simulation(first_env: u64, num_envs: u64) -> Simulation {
    Simulation::new(&six_motors(), Options { seed: 9, first_env, ..envs(num_envs) }).unwrap()
}

fn drawn(sim: &mut Simulation, step: u64) -> Vec<f64> {
    sim.draw_random_controls(step).unwrap();
    sim.read("ctrl").unwrap()
}

#[test]
fn controls_are_philox_of_seed_environment_step_and_actuator() {
    for first_env in [0, 5, (1 << 32) - 1, 1 << 32, (3 << 40) + 7, RANDOM_ENVIRONMENTS - 3] {
        let mut sim = simulation(first_env, 3);
        for step in [0, 1, (1 << 32) - 1, 1 << 32, (7 << 41) + 1, RANDOM_STEPS - 1] {
            let wanted = (0..3).flat_map(|env| (0..6).map(move |u| expected(9, first_env + env, step, u)));
            assert_eq!(drawn(&mut sim, step), wanted.collect::<Vec<_>>(), "from {first_env} at step {step}");
        }
    }
}

#[test]
fn environments_and_steps_that_agree_in_their_lower_32_bits_draw_different_controls() {
    let mut draws = Vec::new();
    for high_environment in [0, 1 << 32, 1 << 40, 1 << 55] {
        let mut sim = simulation(high_environment, 1);
        for high_step in [0, 1 << 32, 1 << 40, 1 << 47] {
            draws.push(drawn(&mut sim, high_step).iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        }
    }
    let count = draws.len();
    draws.sort();
    draws.dedup();
    assert_eq!(draws.len(), count);
}

#[test]
fn a_shard_across_two_to_the_32_agrees_with_its_parts() {
    let across = drawn(&mut simulation((1 << 32) - 2, 4), 3);
    let parts = [drawn(&mut simulation((1 << 32) - 2, 2), 3), drawn(&mut simulation(1 << 32, 2), 3)];
    assert_eq!(across, parts.concat());
}

#[test]
fn what_the_counter_cannot_hold_is_refused_before_anything_is_drawn() {
    let last = Options { first_env: RANDOM_ENVIRONMENTS - 1, ..envs(2) };
    for options in [last, Options { first_env: u64::MAX, ..envs(1) }] {
        let error = Simulation::new(&six_motors(), options).err().unwrap();
        assert!(matches!(error, SimError::BeyondRandom { what: "environment", .. }), "{error}");
    }
    let mut sim = simulation(0, 1);
    let before = drawn(&mut sim, 1);
    let error = sim.draw_random_controls(RANDOM_STEPS).unwrap_err();
    assert!(error.to_string().contains("step 281474976710656"), "{error}");
    assert_eq!(sim.read("ctrl").unwrap(), before);
}
