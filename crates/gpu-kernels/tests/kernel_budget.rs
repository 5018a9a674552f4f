//! The kernels under NVRTC, which needs no GPU: they compile for every architecture within the budget of code, and the PTX
//! keeps the rules for the same bits.

mod installed;

use installed::nvrtc;
use phalanx_gpu_kernels::compile::{Architecture, Cache, Request, compile_cached};
use phalanx_gpu_kernels::executor::{KernelRequest, between_steps_request, kernel_request};
use phalanx_gpu_kernels::planning::{model_dims, plan_model};
use phalanx_gpu_kernels::shape::Shape;
use phalanx_gpu_kernels::view::slot_names;
use phalanx_launch_planner::{Demand, DeviceLimits, KernelAttributes, KernelNeeds};
use phalanx_model::Model;
use std::path::Path;
use std::sync::Mutex;

/// Architectures that Phalanx promises to run on.
const ARCHITECTURES: [u32; 8] = [75, 80, 86, 87, 89, 90, 100, 120];

/// Kilobytes of code of a program, on the architecture where it is largest. The goal of the design, section 4, is 96 KB a model,
/// and decision 0024 says why it is exceeded; these are the present maxima. A change that raises one says so and why in the
/// performance log.
const CODE_BUDGET: [(&str, u64); 7] = [
    ("generic", 466),
    ("between_steps", 67),
    ("cartpole", 119),
    ("ant", 166),
    ("humanoid", 184),
    ("quadruped", 177),
    ("arm_cube", 217),
];

/// Bytes of kernel parameters that every architecture takes.
const ARGUMENT_LIMIT: u32 = 4096;

/// Bytes of local memory of a thread of the generic kernel.
const GENERIC_LOCAL_BUDGET: u32 = 4096;

/// The programs that all models share, and one for each asset as an H200 would run 8192 of it.
fn requests() -> Vec<(&'static str, KernelRequest)> {
    let limits = DeviceLimits::preset("h200").unwrap();
    let request = |name: &'static str| {
        let file = if ["generic", "between_steps"].contains(&name) { "cartpole" } else { name };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../assets/{file}.xml"));
        let model = Model::from_file(path).unwrap();
        let plan = plan_model(&model, &limits, &Demand::envs(8192)).unwrap();
        match name {
            "generic" => {
                let dims = model_dims(&Shape::of(&model).unwrap());
                (name, kernel_request(&plan.stand_in(&dims), None))
            }
            "between_steps" => {
                let dims = model_dims(&Shape::of(&model).unwrap());
                (name, between_steps_request(&plan.stand_in(&dims)))
            }
            _ => (name, kernel_request(plan.step(), Some(&Shape::of(&model).unwrap()))),
        }
    };
    CODE_BUDGET.iter().map(|(name, _)| request(name)).collect()
}

fn compiled<'a>(request: &'a KernelRequest, arch: Architecture, keep_ptx: bool) -> Request<'a> {
    let KernelRequest { name, source, headers, options } = request;
    Request { name, source, headers, options, arch, keep_ptx }
}

#[test]
fn every_kernel_compiles_for_every_architecture_within_its_budget() {
    let Some(nvrtc) = nvrtc() else { return };
    let cache = Cache::in_folder(Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernel_budget"), 1 << 28);
    let requests = requests();
    let mut jobs: Vec<_> = requests.iter().flat_map(|r| ARCHITECTURES.map(|a| (r, Architecture(a)))).collect();
    jobs.reverse(); // taken from the back: the generic ones, which take longest, first
    let (jobs, rows) = (Mutex::new(jobs), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some(((name, request), arch)) = { jobs.lock().unwrap().pop() } {
                    if !nvrtc.supported_architectures().contains(&arch) {
                        eprintln!("skipped: this NVRTC does not know {arch}");
                        continue;
                    }
                    let cubin = compile_cached(&nvrtc, &cache, &compiled(request, arch, false)).unwrap();
                    rows.lock().unwrap().push((*name, arch, cubin));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap();
    rows.sort_by_key(|(name, arch, _)| (*name, arch.0));
    let mut over = Vec::new();
    for (name, arch, cubin) in &rows {
        let kilobytes = cubin.contents.code_bytes.div_ceil(1024);
        let kernels = &cubin.contents.kernels;
        let local_bytes = kernels.iter().map(|kernel| kernel.local_bytes).max().unwrap();
        println!(
            "{name:<13} {arch:<7} {:>4} registers {local_bytes:>5} local bytes {kilobytes:>4} KB of code {:>6.1} s",
            kernels.iter().map(|kernel| kernel.registers).max().unwrap(),
            cubin.seconds
        );
        assert!(cubin.log.is_empty(), "{name} {arch}: {}", cubin.log);
        for kernel in kernels {
            assert_eq!(kernel.argument_bytes as usize, 8 * slot_names().len(), "{name} {arch}");
            assert!(kernel.argument_bytes <= ARGUMENT_LIMIT, "{name} {arch}");
        }
        let mut names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        names.sort_unstable();
        match *name {
            "between_steps" => assert_eq!(names, ["phalanx_random_controls", "phalanx_reset", "phalanx_set_constants"]),
            _ => assert_eq!(names, ["phalanx_step"]),
        }
        let budget = CODE_BUDGET.iter().find(|(n, _)| n == name).unwrap().1;
        if kilobytes > budget {
            over.push(format!("{name} on {arch}: {kilobytes} KB of code, the budget is {budget}"));
        }
        // Every thread that the device can hold has as many: 4 KB are 1 GB of an H200.
        let (own, retry) = (KernelAttributes::estimate(), KernelNeeds::estimate().retry);
        let (most_local, most_code) = match *name {
            "generic" => (GENERIC_LOCAL_BUDGET, u64::MAX),
            "between_steps" => (retry.local_bytes_per_thread, retry.code_bytes - own.code_bytes),
            _ => (own.local_bytes_per_thread, own.code_bytes),
        };
        if local_bytes > most_local {
            over.push(format!("{name} on {arch}: {local_bytes} local bytes, plans count with {most_local}"));
        }
        if cubin.contents.code_bytes > most_code {
            over.push(format!("{name} on {arch}: {kilobytes} KB of code, plans count with {} KB", most_code / 1024));
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}

#[test]
fn no_kernel_approximates_flushes_contracts_or_adds_floats_atomically() {
    let Some(nvrtc) = nvrtc() else { return };
    for (name, request) in requests().iter().filter(|(name, _)| ["generic", "ant"].contains(name)) {
        for option in ["--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"] {
            assert!(request.options.iter().any(|o| o == option), "{name}: {option}");
        }
        assert!(!request.options.iter().any(|o| o.contains("fast")), "{name}: {:?}", request.options);
        let ptx = nvrtc.compile(&compiled(request, Architecture(90), true)).unwrap().ptx.unwrap();
        let code = || ptx.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        // Without .rn the assembler may contract a product and a sum.
        let forbidden = [".approx", ".ftz", ".f64", "mul.f32", "add.f32", "sub.f32"];
        for line in code() {
            assert!(!forbidden.iter().any(|word| line.contains(word)), "{name}: {line}");
            let atomic = line.starts_with("atom") || line.starts_with("red");
            assert!(!(atomic && [".f32", ".f16", ".bf16"].iter().any(|t| line.contains(t))), "{name}: {line}");
        }
        // What is expected is there, so that the search is not of the wrong text.
        for word in
            ["fma.rn.f32", "mul.rn.f32", "add.rn.f32", "div.rn.f32", "sqrt.rn.f32", "atom.global.add.u64", "shfl.sync"]
        {
            assert!(code().any(|line| line.contains(word)), "{name}: no {word}");
        }
    }
}

/// Nothing moves but what motion capture does: no dof, no joint, no row.
#[test]
fn a_model_without_degrees_of_freedom_compiles() {
    const STILL: &str = "<mujoco><worldbody><geom type='plane' size='0 0 1'/>
        <body mocap='true' pos='0 0 0.05'><geom size='0.1'/></body><body pos='0 0 1'><geom size='0.1'/></body></worldbody></mujoco>";
    let Some(nvrtc) = nvrtc() else { return };
    let model = Model::from_xml(STILL, "still.xml").unwrap();
    let plan = plan_model(&model, &DeviceLimits::preset("h200").unwrap(), &Demand::envs(10)).unwrap();
    let request = kernel_request(plan.step(), Some(&Shape::of(&model).unwrap()));
    nvrtc.compile(&compiled(&request, Architecture(90), false)).unwrap();
}
