//! Compiles models' kernels for an architecture and prints what came out: seconds, registers, local bytes, code bytes.
use phalanx_gpu_kernels::compile::{Architecture, Cubin, Nvrtc, Request};
use phalanx_gpu_kernels::executor::kernel_request;
use phalanx_gpu_kernels::planning::{model_dims, plan_model};
use phalanx_gpu_kernels::shape::Shape;
use phalanx_launch_planner::{Demand, DeviceLimits};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let arch = Architecture(args.next().unwrap_or("90".into()).parse()?);
    let nvrtc = Nvrtc::open()?;
    let limits = DeviceLimits::preset("h200").ok_or("preset")?;
    for path in args {
        let model = phalanx_model::Model::from_file(&path)?;
        let shape = Shape::of(&model)?;
        let plan = plan_model(&model, &limits, &Demand::envs(8192))?;
        let stand_in = plan.stand_in(&model_dims(&shape));
        let own = plan.kernels.iter().map(|kernel| (kernel, kernel_request(kernel, Some(&shape))));
        let generic = [kernel_request(&stand_in, None), kernel_request(&stand_in, None).checked()];
        for (kernel, r) in own.chain(generic.into_iter().map(|r| (&stand_in, r))) {
            let compiled = nvrtc.compile(&Request {
                name: &r.name,
                source: r.source,
                headers: &r.headers,
                options: &r.options,
                arch,
                keep_ptx: false,
            })?;
            let cubin = Cubin::read(&compiled.cubin)?;
            let k = cubin.kernel("phalanx_step").ok_or("kernel")?;
            println!(
                "{path} {}: lanes {} smem {} blocks/SM {} {:.1} s, {} registers, {} local bytes, {} code bytes, arguments {}",
                kernel.name,
                kernel.lanes_per_env,
                kernel.dynamic_shared_bytes,
                kernel.blocks_per_sm,
                compiled.seconds,
                k.registers,
                k.local_bytes,
                k.code_bytes,
                k.argument_bytes
            );
            if !compiled.log.is_empty() {
                println!("{}", &compiled.log[..compiled.log.len().min(1500)]);
            }
        }
    }
    Ok(())
}
