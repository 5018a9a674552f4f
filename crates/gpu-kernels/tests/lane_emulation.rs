//! The kernels as a GPU runs them, on a host that plays the lanes of its warps: the same bits as the CPU's for every size of
//! a team, every lane at every collective, no race, no memory of others (rule 12 of "Rules for the same bits").

mod emulation;

use emulation::batch::{Batch, Random, draw_controls, randomise};
use emulation::library::{CLANG, Compiler, EmulatedKernel, GXX, GXX_OPTIMISED, Launch, Order};
use emulation::models;
use phalanx_gpu_kernels::executor::{Checks, CpuExecutor, CpuOptions, Executor, between_steps_request, kernel_request};
use phalanx_gpu_kernels::planning::{model_dims, plan_model};
use phalanx_gpu_kernels::shape::Shape;
use phalanx_launch_planner::{Demand, DeviceLimits, KernelPlan, LaunchPlan, Placement};
use phalanx_model::Model;

/// Environments beyond those of one warp, so that teams go on to a second one and the last warp has absent teams.
const MORE_ENVIRONMENTS: u32 = 5;
/// Launches of a run, with other controls each.
const LAUNCHES: usize = 7;
/// Launches of a run of a large model, which takes its time.
const LAUNCHES_OF_LARGE: usize = 3;
/// Steps of a launch: a retry may have to begin at any of them.
const SUBSTEPS: u64 = 3;

/// How a run differs from others of the same model.
#[derive(Clone, Copy, Debug)]
struct Case {
    lanes: u32,
    fast_contacts: Option<u32>,
    specialised: bool,
    compiler: Compiler,
    order: Order,
}

#[test]
fn one_lane_gives_the_cpus_bits() {
    every_model(1);
}

#[test]
fn two_lanes_give_the_cpus_bits() {
    every_model(2);
}

#[test]
fn four_lanes_give_the_cpus_bits() {
    every_model(4);
}

#[test]
fn eight_lanes_give_the_cpus_bits() {
    every_model(8);
}

#[test]
fn sixteen_lanes_give_the_cpus_bits() {
    every_model(16);
}

#[test]
fn thirty_two_lanes_give_the_cpus_bits() {
    every_model(32);
}

#[test]
fn optimised_kernels_keep_their_bits() {
    let compilers = [GXX_OPTIMISED, CLANG];
    for compiler in compilers {
        if compiler.version().is_none() {
            eprintln!("skipped: {} is not installed", compiler.command);
            continue;
        }
        for (name, lanes) in [("ant.xml", 16), ("humanoid.xml", 32), ("arm_cube.xml", 8)] {
            let case = Case { lanes, fast_contacts: None, specialised: true, compiler, order: Order::Ascending };
            compare(&models::asset(name), case);
        }
    }
}

#[test]
fn derived_model_fields_of_each_environment_have_the_cpus_bits() {
    const EDITED: &[&str] = &["body_mass", "body_inertia", "body_ipos", "dof_armature"];
    const DERIVED: &[&str] = &["body_subtreemass", "dof_invweight0", "body_invweight0", "stat_meaninertia"];
    if GXX.version().is_none() {
        eprintln!("skipped: g++ is not installed");
        return;
    }
    for model in models::all() {
        let shape = Shape::of(&model).unwrap();
        let environments = 5;
        let demand = Demand::envs(environments);
        let plan = plan_model(&model, &DeviceLimits::preset("h200").unwrap(), &demand).unwrap();
        let mut cpu = CpuExecutor::new(&shape, &demand, &CpuOptions::default()).unwrap();
        let generic = plan.stand_in(&model_dims(&shape));
        let kernel = EmulatedKernel::build("between-steps", &between_steps_request(&generic), GXX);
        let batch = || {
            let mut batch = Batch::new(&shape, &model, environments as usize);
            batch.make_per_env(EDITED);
            batch.make_per_env(DERIVED);
            let mut random = Random(3);
            for field in EDITED {
                batch.reals(field).iter_mut().for_each(|v| *v *= 1.0 + 0.3 * random.signed());
            }
            batch
        };
        let (mut expected, mut played) = (batch(), batch());
        cpu.set_constants(&expected.block, environments).unwrap();
        for order in [Order::Ascending, Order::Shuffled] {
            DERIVED.iter().for_each(|field| played.reals(field).fill(f32::NAN));
            let launch = Launch { what: &shape.name, blocks: 2, order };
            kernel.launch("phalanx_set_constants", &generic, &played.block, launch);
            for field in DERIVED {
                let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(played.reals(field)), bits(expected.reals(field)), "{} {field} {order:?}", shape.name);
                assert!(expected.reals(field).iter().all(|v| v.is_finite()), "{} {field}", shape.name);
            }
        }
    }
}

#[test]
fn a_specialised_kernel_reads_each_environments_own_model_values() {
    const OWN: &[&str] = &["body_mass", "dof_damping", "geom_friction", "opt_timestep"];
    if GXX.version().is_none() {
        eprintln!("skipped: g++ is not installed");
        return;
    }
    let model = models::asset("ant.xml");
    let mut shape = Shape::of(&model).unwrap();
    shape.give_each_env(OWN);
    let environments = 6;
    let demand = Demand { lanes: Some(8), ..Demand::envs(environments) };
    let plan = plan_model(&model, &DeviceLimits::preset("h200").unwrap(), &demand).unwrap();
    assert!(plan.step().model_words_per_block > 0, "the values that environments share are in every block's copy");
    let mut cpu = CpuExecutor::new(&shape, &demand, &CpuOptions::default()).unwrap();
    let kernel = EmulatedKernel::build("ant-own-values", &kernel_request(plan.step(), Some(&shape)), GXX);
    let batch = || {
        let mut batch = Batch::new(&shape, &model, environments as usize);
        randomise(&mut batch, &model, 17);
        batch.make_per_env(OWN);
        let mut random = Random(19);
        for field in OWN {
            batch.reals(field).iter_mut().for_each(|v| *v *= 1.0 + 0.3 * random.signed());
        }
        batch.block.set("substeps", SUBSTEPS);
        batch
    };
    let (mut expected, mut played) = (batch(), batch());
    cpu.step(&expected.block).unwrap();
    played.words("progress").fill(0);
    let launch = Launch { what: &shape.name, blocks: 1, order: Order::Ascending };
    kernel.launch("phalanx_step", plan.step(), &played.block, launch);
    let difference = played.difference(&expected);
    assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    let states = expected.reals("qvel").chunks(model.nv).map(<[f32]>::to_vec).collect::<Vec<_>>();
    assert!(states.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn arrays_that_share_memory_between_stages_do_not_disturb_each_other() {
    for model in models::all() {
        let shape = Shape::of(&model).unwrap();
        let options = CpuOptions { threads: Some(1), ..CpuOptions::default() };
        let mut cpu = CpuExecutor::new(&shape, &Demand::envs(3), &options).unwrap();
        let mut shared = Batch::new(&shape, &model, 3);
        randomise(&mut shared, &model, 5);
        let mut apart = Batch::new(&shape, &model, 3);
        apart.copy_state_of(&shared);
        for batch in [&mut shared, &mut apart] {
            batch.block.set("substeps", 2);
            batch.block.set("output_level", 3);
        }
        for step in 0..5 {
            cpu.step(&shared.block).unwrap();
            for env in 0..3 {
                // Counters say how a step came about, and an open workspace never retries.
                let _ = cpu.run_open(&apart.block, &shape, env).unwrap();
            }
            let difference = apart.difference(&shared).unwrap_or_default();
            let states = difference.lines().filter(|line| !line.starts_with("counters")).collect::<Vec<_>>();
            assert!(states.is_empty(), "{} after step {step}: {states:#?}", shape.name);
        }
    }
}

#[test]
fn the_generic_kernel_in_the_retry_kernels_workspaces_stands_in_for_a_step_kernel() {
    if GXX.version().is_none() {
        eprintln!("skipped: g++ is not installed");
        return;
    }
    for model in models::all() {
        let shape = Shape::of(&model).unwrap();
        let demand = Demand::envs(5);
        let plan = plan_model(&model, &DeviceLimits::preset("h200").unwrap(), &demand).unwrap();
        let mut cpu = CpuExecutor::new(&shape, &demand, &CpuOptions::default()).unwrap();
        let stand_in = plan.stand_in(&model_dims(&shape));
        let kernel = EmulatedKernel::build("generic-32", &kernel_request(&stand_in, None), GXX);
        let (mut expected, mut played) = (Batch::new(&shape, &model, 5), Batch::new(&shape, &model, 5));
        randomise(&mut expected, &model, 13);
        for (launch, order) in [Order::Ascending, Order::Shuffled].into_iter().enumerate() {
            played.copy_state_of(&expected);
            for batch in [&mut expected, &mut played] {
                batch.block.set("substeps", SUBSTEPS);
                batch.block.set("output_level", 3);
            }
            cpu.step(&expected.block).unwrap();
            played.words("progress").fill(0);
            // Two teams, so that they go on to other environments.
            kernel.launch("phalanx_step", &stand_in, &played.block, Launch { what: &shape.name, blocks: 2, order });
            assert_eq!(played.retries(), [], "{}: its workspaces hold whatever is needed", shape.name);
            let difference = played.difference(&expected).unwrap_or_default();
            // Counters say how a step came about: the CPU may have retried.
            let states = difference.lines().filter(|line| !line.starts_with("counters")).collect::<Vec<_>>();
            assert!(states.is_empty(), "{} after launch {launch}: {states:#?}", shape.name);
        }
    }
}

#[test]
fn the_checked_kernel_has_the_same_bits_on_many_lanes_and_names_what_is_wrong() {
    if GXX.version().is_none() {
        eprintln!("skipped: g++ is not installed");
        return;
    }
    for model in models::all() {
        let shape = Shape::of(&model).unwrap();
        let demand = Demand { generic_retry: true, ..Demand::envs(5) };
        let plan = plan_model(&model, &DeviceLimits::preset("h200").unwrap(), &demand).unwrap();
        let mut cpu = CpuExecutor::new(&shape, &demand, &CpuOptions::default()).unwrap();
        let kernel = EmulatedKernel::build("checked-32", &kernel_request(plan.retry(), None).checked(), GXX);
        let stand_in = KernelPlan { name: "stand-in".into(), ..plan.retry().clone() };
        let checks = Checks::new(&shape, &plan, |bytes, what| cpu.allocate(bytes, what)).unwrap();
        let (mut expected, mut played) = (Batch::new(&shape, &model, 5), Batch::new(&shape, &model, 5));
        randomise(&mut expected, &model, 13);
        played.copy_state_of(&expected);
        for batch in [&mut expected, &mut played] {
            batch.block.set("substeps", SUBSTEPS);
            batch.block.set("output_level", 3);
        }
        played.block.apply(&checks.slots(1));
        cpu.step(&expected.block).unwrap();
        let launch = Launch { what: &shape.name, blocks: 2, order: Order::Shuffled };
        kernel.launch("phalanx_step", &stand_in, &played.block, launch);
        checks.judge().unwrap();
        let difference = played.difference(&expected).unwrap_or_default();
        let states = difference.lines().filter(|line| !line.starts_with("counters")).collect::<Vec<_>>();
        assert!(states.is_empty(), "{}: {states:#?}", shape.name);

        played.words("progress").fill(0);
        played.reals("qvel")[3 * model.nv] = f32::NAN;
        kernel.launch("phalanx_step", &stand_in, &played.block, launch);
        let finding = checks.judge().unwrap_err().to_string();
        let start = format!("checked kernels: stage load, environment 3, step {SUBSTEPS}: qvel[0] is NaN; ");
        assert!(finding.starts_with(&start), "{}: {finding}", shape.name);
    }
}

/// Every model with this size of the teams: specialised and generic, with room and without, in three orders of the lanes.
fn every_model(lanes: u32) {
    if GXX.version().is_none() {
        eprintln!("skipped: g++ is not installed");
        return;
    }
    for model in models::all() {
        let case = |fast_contacts, specialised, order| Case { lanes, fast_contacts, specialised, compiler: GXX, order };
        compare(&model, case(None, true, Order::Ascending));
        compare(&model, case(Some(1), true, Order::Descending));
        compare(&model, case(Some(1), false, Order::Shuffled));
    }
}

/// Runs the CPU and the emulated lanes side by side; after every launch they must agree in everything that was written.
fn compare(model: &Model, case: Case) {
    let shape = Shape::of(model).unwrap();
    let what = format!("{} with {case:?}", shape.name);
    let environments = (32 / case.lanes + MORE_ENVIRONMENTS) as usize;
    let mut demand = Demand {
        lanes: Some(case.lanes),
        fast_contacts: case.fast_contacts,
        generic_retry: !case.specialised,
        ..Demand::envs(environments as u64)
    };
    let limits = DeviceLimits::preset("h200").unwrap();
    let mut plan = plan_model(model, &limits, &demand).unwrap();
    // So few environments may have room for the most: the CPU has then, too.
    demand.capacity = Some(plan.step().capacity);
    let placed = |placement| plan.step().placement.values().any(|p| *p == placement);
    if !case.specialised && placed(Placement::Shared) && placed(Placement::Global) {
        // A generic kernel's arrays are all in one memory.
        demand.pin_global = plan.step().placement.keys().cloned().collect();
        plan = plan_model(model, &limits, &demand).unwrap();
    }
    let (step, retry) = kernels(&shape, &plan, case);
    let mut cpu = CpuExecutor::new(&shape, &demand, &CpuOptions { threads: Some(1), ..CpuOptions::default() }).unwrap();
    assert_eq!(cpu.plan().step().capacity, plan.step().capacity, "{what}");

    let mut expected = Batch::new(&shape, model, environments);
    randomise(&mut expected, model, 7);
    let mut played = Batch::new(&shape, model, environments);
    played.copy_state_of(&expected);
    let mut random = Random(11);
    // In the last launch every third environment sits out.
    let mask: Vec<u8> = (0..environments).map(|env| u8::from(env % 3 != 2)).collect();
    let (mut retried, mut told) = (0, Vec::new());
    let launches = if model.nv > 40 { LAUNCHES_OF_LARGE } else { LAUNCHES };
    for launch in 0..launches {
        draw_controls(&mut expected, &mut random);
        if launch == 1 {
            // Environment 1 blows up: its neighbours in the warp must not notice.
            expected.reals("qvel")[model.nv..2 * model.nv].fill(3e9);
        }
        played.copy_state_of(&expected);
        for batch in [&mut expected, &mut played] {
            batch.block.set("substeps", SUBSTEPS);
            batch.block.set("mask", if launch + 1 == launches { mask.as_ptr() as u64 } else { 0 });
            // All outputs, then none, then those of positions, ... : each ends in another pass.
            batch.block.set("output_level", (launch as u64 + 3) % 4);
        }
        cpu.step(&expected.block).unwrap();
        played.words("progress").fill(0);
        // One block too few for one wave, so that teams go on to a second environment.
        let blocks = (environments as u32).div_ceil(plan.step().envs_per_block).saturating_sub(1).max(1);
        let order = case.order;
        step.launch("phalanx_step", plan.step(), &played.block, Launch { what: &what, blocks, order });
        assert_eq!(played.retries(), expected.retries(), "{what}: the retry lists of launch {launch}");
        retried += played.retries().len();
        if let (Some(retry), true) = (&retry, played.words("progress")[0] > 0) {
            let what = format!("{what}, retry");
            let count = played.retries().len();
            let news = played.words("news").as_mut_ptr() as u64;
            played.block.set("news", news);
            retry.launch("phalanx_step", plan.retry(), &played.block, Launch { what: &what, blocks: 2, order });
            played.block.set("news", 0);
            told.push(count as u32);
            check_news(&what, played.words("news"), &told);
            let (news, marks) = (played.words("news")[..3].to_vec(), played.words("marks")[..3].to_vec());
            assert!(news.iter().zip(&marks).all(|(told, raised)| told <= raised), "{what}: {news:?} of {marks:?}");
            assert!(news[0] > 0, "{what}: {news:?}, whoever did not fit has contacts");
        }
        let difference = played.difference(&expected);
        assert!(difference.is_none(), "{what}: after launch {launch}\n{}", difference.unwrap_or_default());
    }
    if case.fast_contacts == Some(1) && shape.proven_contacts() > 4 {
        assert!(retried > 0, "{what}: nothing had to retry");
    }
    let steps = (environments * launches) as u64 * SUBSTEPS;
    let finite = expected.words("fault").iter().filter(|f| **f == 0).count();
    println!(
        "{what}: {:.1} contacts a step, {retried} retries, {finite} of {environments} finite",
        expected.counts()[0] as f64 / steps as f64
    );
    assert_eq!(finite, environments - 1, "{what}: all but the one that was blown up");
}

/// The ledger of the calls, `retried` environments each, as the last of them told it.
fn check_news(what: &str, news: &[u32], retried: &[u32]) {
    let (calls, sum) = (retried.len() as u32, retried.iter().sum::<u32>());
    let (last, most) = (retried[retried.len() - 1], retried.iter().copied().max().unwrap_or(0));
    assert_eq!(news[8..13], [calls, calls, sum, last, most], "{what}: calls, those that retried, retries, last, most");
}

/// The step and the retry kernel as the case wants them.
fn kernels(shape: &Shape, plan: &LaunchPlan, case: Case) -> (EmulatedKernel, Option<EmulatedKernel>) {
    let own = case.specialised.then_some(shape);
    let build = |kernel: &KernelPlan| {
        let whose = own.map_or("generic", |shape| &shape.name);
        let label = format!("{whose}-{}-{}", kernel.name, kernel.lanes_per_env);
        EmulatedKernel::build(&label, &kernel_request(kernel, own), case.compiler)
    };
    (build(plan.step()), (shape.proven_contacts() > 0).then(|| build(plan.retry())))
}
