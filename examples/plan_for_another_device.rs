//! How a batch would run on a GPU that is not in this machine, and how many environments it could hold.
//!
//!     cargo run --release --example plan_for_another_device

use phalanx::{Demand, DeviceLimits, Model, plan_model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::from_file("assets/humanoid.xml")?;

    // A plan in full: launch, placement, memory, and what was not chosen and why.
    let rtx4090 = DeviceLimits::preset("rtx4090").ok_or("no such device")?;
    println!("{}", plan_model(&model, &rtx4090, &Demand::envs(8192))?);

    // The same batch on every device that is known.
    println!("{:<26} {:>9} {:>13} {:>12} {:>16}", "device", "lanes/env", "envs at once", "memory", "largest num_envs");
    for name in DeviceLimits::preset_names() {
        let device = DeviceLimits::preset(name).ok_or("no such device")?;
        let plan = plan_model(&model, &device, &Demand::envs(8192))?;
        let step = plan.step();
        let memory = format!("{:.2} GB", plan.memory.total as f64 / 1e9);
        println!(
            "{:<26} {:>9} {:>13} {memory:>12} {:>16}",
            device.name, step.lanes_per_env, step.resident_envs, plan.max_num_envs
        );
    }

    // Too much is an error that says how much would not be.
    match plan_model(&model, &rtx4090, &Demand::envs(1_000_000_000)) {
        Ok(_) => println!("a billion humanoids fit"),
        Err(error) => println!("\na billion humanoids: {error}"),
    }
    Ok(())
}
