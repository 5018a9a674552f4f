//! Writes the specialised header of a model to standard output.
use phalanx_gpu_kernels::executor::kernel_request;
use phalanx_gpu_kernels::planning::plan_model;
use phalanx_gpu_kernels::shape::Shape;
use phalanx_launch_planner::{Demand, DeviceLimits};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("a model")?;
    let shape = Shape::of(&phalanx_model::Model::from_file(&path)?)?;
    let limits = DeviceLimits::preset("h200").ok_or("preset")?;
    let plan = plan_model(&phalanx_model::Model::from_file(&path)?, &limits, &Demand::envs(8192))?;
    let request = kernel_request(plan.step(), Some(&shape));
    let header = request.headers.iter().find(|(n, _)| n == "generated/view.h").ok_or("header")?;
    print!("{}", header.1);
    Ok(())
}
