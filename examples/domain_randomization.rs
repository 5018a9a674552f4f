//! Every robot its own masses and friction, so that a policy learns to expect the real one.
//!
//!     cargo run --release --example domain_randomization

use phalanx::{Envs, Model, Options, Reset, Simulation, Target};

const ENVS: usize = 64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::from_file("assets/quadruped.xml")?;

    // Fields named here have one value for each environment; all others have one for all.
    let per_env = ["body_mass", "body_inertia", "geom_friction"].map(String::from).to_vec();
    let mut sim = Simulation::new(&model, Options { per_env, ..Options::envs(ENVS as u64) })?;

    // From the lightest to the heaviest: 80 % to 120 % of every mass, and of the inertia that goes with it. What follows
    // from them is recomputed.
    let scale = |env: usize| 0.8 + 0.4 * env as f64 / (ENVS - 1) as f64;
    let scaled = |values: &[f64]| -> Vec<f64> {
        (0..ENVS).flat_map(|env| values.iter().map(move |value| value * scale(env))).collect()
    };
    sim.write("body_mass", &scaled(&model.body_mass))?;
    sim.write("body_inertia", &scaled(&model.body_inertia))?;

    // Sliding friction of 0.3 and 1.0 in turn; torsional and rolling friction stay the model's.
    let mut friction = model.geom_friction.repeat(ENVS);
    for (env, geoms) in friction.chunks_mut(3 * model.ngeom).enumerate() {
        geoms.chunks_mut(3).for_each(|geom| geom[0] = if env % 2 == 0 { 0.3 } else { 1.0 });
    }
    sim.write("geom_friction", &friction)?;

    // They stand at the key "home", held by servos whose targets are the key's controls.
    let home = model.key_id("home").ok_or("the model has no key \"home\"")?;
    sim.reset(Reset { envs: Envs::All, to: Target::Keyframe(home) })?;
    sim.write("ctrl", &model.key_ctrl[home * model.nu..][..model.nu])?;
    sim.step_many(200)?;

    // Heavier ones sink deeper on the same servos.
    let qpos = sim.read("qpos")?;
    for env in [0, ENVS / 2, ENVS - 1] {
        let mass: f64 = model.body_mass.iter().sum::<f64>() * scale(env);
        println!("{mass:>5.1} kg stands at {:.4} m", qpos[env * model.nq + 2]);
    }
    Ok(())
}
