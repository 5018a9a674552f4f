//! A rollout as reinforcement learning does it: random actions, a reward, and a new start for every robot that fell.
//!
//!     cargo run --release --example random_rollout

use std::time::Instant;

use phalanx::{Envs, Model, Options, Reset, Simulation, Target};

const ENVS: usize = 256;
const ACTIONS: u64 = 200;
/// Two time steps of 0.01 s for an action: a policy at 50 Hz.
const DECIMATION: u32 = 2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::from_file("assets/ant.xml")?;
    let mut sim = Simulation::new(&model, Options { seed: 7, ..Options::envs(ENVS as u64) })?;
    let home = model.key_id("home").ok_or("the model has no key \"home\"")?;
    sim.reset(Reset { envs: Envs::All, to: Target::Keyframe(home) })?;

    let (mut reward, mut falls) = (0.0, 0);
    let start = Instant::now();
    for action in 0..ACTIONS {
        // Uniform in each actuator's range, drawn where the batch is. Environment k draws the same in a batch of any size.
        sim.draw_random_controls(action)?;
        sim.step_many(DECIMATION)?;

        // A row of qpos is x, y, z and quaternion of the torso, then the joints; a row of qvel begins with its velocity.
        let (qpos, qvel) = (sim.read("qpos")?, sim.read("qvel")?);
        let torso_height = |env: usize| qpos[env * model.nq + 2];
        let forward_speed = |env: usize| qvel[env * model.nv];
        reward += (0..ENVS).map(forward_speed).sum::<f64>();

        // Only the masked environments start over; not a bit of the others changes.
        let fallen: Vec<bool> = (0..ENVS).map(|env| !(0.2..1.0).contains(&torso_height(env))).collect();
        falls += fallen.iter().filter(|&&fallen| fallen).count();
        sim.reset(Reset { envs: Envs::Mask(&fallen), to: Target::Keyframe(home) })?;
    }
    let env_steps = ENVS as f64 * (ACTIONS * u64::from(DECIMATION)) as f64;
    println!("{:.0} steps/s on {}", env_steps / start.elapsed().as_secs_f64(), sim.device_name());
    println!("mean forward speed {:.3} m/s, {falls} falls", reward / (ENVS as f64 * ACTIONS as f64));

    // The hash is that of the final state's bits: equal on every device, in every run.
    println!("state {:016x}, {} environments not finite", sim.state_hash()?, sim.statistics()?.not_finite);
    Ok(())
}
