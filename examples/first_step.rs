//! Loads a model, makes a batch, steps it, reads it.
//!
//!     cargo run --release --example first_step

use phalanx::{Envs, Model, Options, Reset, Simulation, Target};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::from_file("assets/ant.xml")?;

    // A thousand ants on the first GPU that answers, else on all CPU cores. Everything that stepping needs is compiled
    // and allocated here, or refused here.
    let mut sim = Simulation::new(&model, Options::envs(1000))?;
    println!("{} ants on {}", sim.num_envs(), sim.device_name());

    // All start in the model's default pose; the key "home" of the file has them stand.
    let home = model.key_id("home").ok_or("the model has no key \"home\"")?;
    sim.reset(Reset { envs: Envs::All, to: Target::Keyframe(home) })?;

    // Controls of all environments alike: nu numbers. Of each: num_envs * nu numbers.
    let ctrl: Vec<f64> = (0..1000 * model.nu).map(|i| (i as f64).sin()).collect();
    sim.write("ctrl", &ctrl)?;

    // Derived fields are computed when they are asked for.
    sim.request("xpos")?;
    sim.step_many(50)?;

    // Rows are environments, then bodies, then x, y, z. Body 0 is the world, body 1 the torso.
    let xpos = sim.read("xpos")?;
    for env in [0, 1, 999] {
        let torso = &xpos[(env * model.nbody + 1) * 3..][..3];
        println!("ant {env:>3} is at {torso:.3?} m");
    }

    // Environments that blew up are frozen and flagged; the others are not disturbed.
    let statistics = sim.statistics()?;
    println!("{:.1} contacts a step, {} environments not finite", statistics.contacts_mean(), statistics.not_finite);
    Ok(())
}
