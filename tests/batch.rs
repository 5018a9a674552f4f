//! The promises of a batch: an environment's bits depend on nothing but its model, state and inputs; a bad environment
//! stays one; outputs are current; what is refused changes nothing.

mod scenes;

use phalanx::{
    DeviceChoice, Envs, Model, NOT_FINITE, Options, Precision, Reset, SimError, Simulation, Statistics, Target,
};
use scenes::{ASSETS, asset, batch, device, drive, envs, model};
use std::process::Command;

/// Steps of a rollout: long enough for every asset to leave its keyframe and touch the ground anew.
const STEPS: u64 = 30;
/// Every output of the field table.
const OUTPUTS: [&str; 16] = [
    "xpos",
    "xquat",
    "xipos",
    "geom_xpos",
    "geom_xmat",
    "site_xpos",
    "site_xmat",
    "subtree_com",
    "cvel",
    "qacc",
    "qacc_smooth",
    "qfrc_bias",
    "qfrc_passive",
    "qfrc_actuator",
    "qfrc_constraint",
    "actuator_force",
];

/// The hashes after a rollout of the usual length.
fn rollout(model: &Model, options: Options) -> Vec<u64> {
    scenes::rollout(model, STEPS, options)
}

fn all_outputs(sim: &mut Simulation) -> Vec<Vec<f64>> {
    OUTPUTS.iter().map(|name| sim.read(name).unwrap()).collect()
}

fn request_all(sim: &mut Simulation) {
    OUTPUTS.iter().for_each(|name| sim.request(name).unwrap());
}

#[test]
fn an_environment_has_the_same_bits_in_every_batch_on_any_threads_and_through_the_retry_pool() {
    for name in ASSETS {
        let model = asset(name);
        let whole = rollout(&model, envs(64));
        let different = whole.iter().collect::<std::collections::BTreeSet<_>>().len();
        assert_eq!(different, 64, "{name}: random controls must part the environments");
        for (n, threads, fast_contacts) in
            [(1, 1, None), (7, 2, None), (64, 1, None), (1, 2, Some(1)), (7, 1, Some(1)), (64, 2, Some(1))]
        {
            let options = Options { threads: Some(threads), fast_contacts, fixed_workspace: true, ..envs(n) };
            assert_eq!(
                rollout(&model, options),
                whole[..n as usize],
                "{name}: {n} environments, {threads} threads, {fast_contacts:?}"
            );
        }
    }
}

#[test]
fn the_lanes_that_are_asked_for_do_not_change_the_bits() {
    let model = asset("ant");
    let free = rollout(&model, envs(4));
    for lanes in [1, 2, 4, 8, 16, 32] {
        assert_eq!(rollout(&model, Options { lanes: Some(lanes), ..envs(4) }), free, "{lanes} lanes");
        let retrying = Options { fast_contacts: Some(1), fixed_workspace: true, ..envs(4) };
        let generic = Options { lanes: Some(lanes), generic_only: true, ..retrying };
        assert_eq!(rollout(&model, generic), free, "{lanes} lanes of the generic kernel");
    }
}

#[test]
fn an_environment_that_does_not_fit_is_retried_and_counted_and_loses_no_contact() {
    let model = asset("ant");
    let run = |fast_contacts| {
        let mut sim = batch(&model, Options { fast_contacts, fixed_workspace: true, ..envs(16) });
        drive(&mut sim, 0, STEPS);
        sim.statistics().unwrap()
    };
    let (roomy, tight) = (run(None), run(Some(1)));
    assert_eq!(roomy.retried, 0);
    assert!(tight.retried > 16 * STEPS / 2, "a standing ant has four contacts: {tight:?}");
    assert_eq!((tight.contacts, tight.rows, tight.iterations), (roomy.contacts, roomy.rows, roomy.iterations));
}

#[test]
fn four_steps_in_one_call_are_four_calls_of_one_step() {
    for (name, fast_contacts) in [("ant", None), ("ant", Some(1)), ("humanoid", Some(1)), ("quadruped", None)] {
        let model = asset(name);
        let run = |calls: u32, substeps: u32| {
            let mut sim = batch(&model, Options { fast_contacts, fixed_workspace: true, ..envs(7) });
            request_all(&mut sim);
            for step in 0..8 {
                sim.draw_random_controls(step).unwrap();
                (0..calls).for_each(|_| sim.step_many(substeps).unwrap());
            }
            (sim.env_hashes().unwrap(), all_outputs(&mut sim), sim.read("time").unwrap())
        };
        assert!(run(4, 1) == run(1, 4), "{name} {fast_contacts:?}");
    }
}

#[test]
fn the_first_steps_of_a_model_that_was_never_compiled_have_the_same_bits_as_the_rest() {
    // Priorities are constants of a specialised kernel: with this one no cache has it.
    let priority = std::process::id() % 1_000_000;
    let model = model(&format!(
        "<worldbody><geom type='plane' size='0 0 1' priority='{priority}'/>
           <body pos='0 0 .3'><freejoint/><geom size='.1 .1 .1' type='box'/>
             <body pos='.2 0 0'><joint axis='0 1 0' name='elbow'/><geom size='.1'/></body></body></worldbody>
         <actuator><motor joint='elbow'/></actuator>"
    ));
    if device() != DeviceChoice::Cpu {
        // The generic kernel stands in where it is in the cache.
        drop(batch(&model, Options { generic_only: true, ..envs(1) }));
    }
    let at_once = Options { wait_for_specialised: false, ..envs(64) };
    let mut sim = batch(&model, at_once);
    let (mut steps, started) = (0, std::time::Instant::now());
    while device() != DeviceChoice::Cpu && sim.step_kernels().specialised_calls < 10 {
        drive(&mut sim, steps, 1);
        sim.synchronize().unwrap();
        steps += 1;
        assert!(started.elapsed().as_secs() < 120, "{steps} steps, and no specialised kernel");
    }
    drive(&mut sim, steps, STEPS);
    let kernels = sim.step_kernels();
    assert!(kernels.generic_calls > 0, "{kernels:?}");
    assert_eq!(kernels.generic_calls + kernels.specialised_calls, steps + STEPS);
    let mut other = batch(&model, Options { device: DeviceChoice::Cpu, ..envs(64) });
    drive(&mut other, 0, steps + STEPS);
    assert_eq!(sim.env_hashes().unwrap(), other.env_hashes().unwrap());
    let counts = |sim: &mut Simulation| {
        let seen = sim.statistics().unwrap();
        (seen.contacts, seen.rows, seen.iterations, seen.env_steps)
    };
    assert_eq!(counts(&mut sim), counts(&mut other));
}

/// Runs in processes of their own, because a variable chooses the build.
#[test]
fn the_plain_cpu_build_and_the_one_for_newer_processors_have_the_same_bits() {
    let hashes = |cpu: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "print_hashes_of_this_build", "--ignored", "--nocapture"]).env("PHALANX_CPU", cpu);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = |word: &str| text.lines().filter(|l| l.contains(word)).map(str::to_owned).collect::<Vec<_>>();
        (lines("device:"), lines("hash:"))
    };
    let ((plain, plain_hashes), (newest, newest_hashes)) = (hashes("base"), hashes(""));
    if plain == newest {
        eprintln!("skipped: this processor runs the plain build only");
    }
    assert!(plain_hashes.len() == 2 * ASSETS.len());
    assert_eq!(plain_hashes, newest_hashes);
}

#[test]
#[ignore = "the test above runs it in a process of its own"]
fn print_hashes_of_this_build() {
    for name in ASSETS {
        for precision in [Precision::F32, Precision::F64] {
            let options = Options { precision, device: DeviceChoice::Cpu, threads: Some(1), ..Options::envs(4) };
            let mut sim = batch(&asset(name), options);
            drive(&mut sim, 0, STEPS);
            println!("device: {}", sim.device_name());
            println!("hash: {name} {precision:?} {:016x}", sim.state_hash().unwrap());
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_callers_rounding_and_denormal_modes_neither_matter_nor_change() {
    fn set(modes: u32) {
        // SAFETY: reads four bytes; modes without unmasked exceptions are harmless.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const modes, options(nostack, readonly)) };
    }
    fn get() -> u32 {
        let mut modes = 0u32;
        // SAFETY: writes four bytes.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut modes, options(nostack)) };
        modes & 0xffc0 // without the flags of past exceptions
    }
    /// Exceptions masked, flush to zero, denormals are zero, round upwards: what fast-math libraries leave, and worse.
    const LEAKED: u32 = 0x1f80 | 0x8000 | 0x0040 | 0x4000;
    let model = asset("ant");
    let run = |modes: u32| {
        let mut sim = batch(&model, Options { threads: Some(1), ..envs(2) });
        sim.write("ctrl", &[0.25; 8]).unwrap();
        let before = get();
        set(modes);
        let stepped = sim.step_many(20);
        let after = get();
        set(before);
        stepped.unwrap();
        assert_eq!(after, modes & 0xffc0);
        sim.env_hashes().unwrap()
    };
    assert_eq!(run(LEAKED), run(0x1f80));
}

#[test]
fn a_restored_snapshot_replays_bit_for_bit() {
    for name in ASSETS {
        let mut sim = batch(&asset(name), envs(5));
        drive(&mut sim, 0, 10);
        let snapshot = sim.snapshot().unwrap();
        drive(&mut sim, 10, STEPS);
        let (hashes, time) = (sim.env_hashes().unwrap(), sim.read("time").unwrap());
        sim.restore(&snapshot).unwrap();
        assert_eq!(sim.snapshot().unwrap(), snapshot);
        drive(&mut sim, 10, STEPS);
        assert_eq!(sim.env_hashes().unwrap(), hashes, "{name}");
        assert_eq!(sim.read("time").unwrap(), time, "{name}");
    }
}

#[test]
fn a_snapshot_of_another_batch_is_refused() {
    let snapshot = batch(&asset("ant"), envs(3)).snapshot().unwrap();
    let error = batch(&asset("ant"), envs(4)).restore(&snapshot).unwrap_err();
    assert!(matches!(error, SimError::OtherSnapshot { .. }));
    let error = batch(&asset("humanoid"), envs(3)).restore(&snapshot).unwrap_err().to_string();
    assert!(error.contains("ant") && error.contains("humanoid"), "{error}");
    // Models without a name that have as many numbers.
    let ball =
        |mass: f64| model(&format!("<worldbody><body><freejoint/><geom size='.1' mass='{mass}'/></body></worldbody>"));
    let snapshot = batch(&ball(1.0), envs(3)).snapshot().unwrap();
    assert!(batch(&ball(1.0), envs(3)).restore(&snapshot).is_ok());
    assert!(matches!(batch(&ball(2.0), envs(3)).restore(&snapshot), Err(SimError::OtherSnapshot { .. })));
}

#[test]
fn a_restored_snapshot_has_its_time_also_under_another_time_step() {
    let mut sim = batch(&asset("ant"), envs(2));
    sim.write("opt_timestep", &[0.01]).unwrap();
    sim.step_many(100).unwrap();
    let snapshot = sim.snapshot().unwrap();
    sim.write("opt_timestep", &[0.005]).unwrap();
    sim.step_many(7).unwrap();
    sim.restore(&snapshot).unwrap();
    assert!(sim.read("time").unwrap().iter().all(|time| (time - 1.0).abs() < 1e-12));
}

#[test]
fn a_reset_touches_nothing_of_the_others() {
    let model = asset("ant");
    let mut sim = batch(&model, Options { fast_contacts: Some(1), fixed_workspace: true, ..envs(6) });
    request_all(&mut sim);
    drive(&mut sim, 0, 20);
    let start = batch(&model, envs(1)).env_hashes().unwrap()[0];
    let (before, outputs, warm) =
        (sim.env_hashes().unwrap(), all_outputs(&mut sim), sim.read("qacc_warmstart").unwrap());
    sim.reset(Reset { envs: Envs::Ids(&[1, 4]), to: Target::Keyframe(0) }).unwrap();
    let after = sim.env_hashes().unwrap();
    for env in [0, 2, 3, 5] {
        assert_eq!(after[env], before[env], "environment {env}");
        for (name, (old, new)) in OUTPUTS.iter().zip(outputs.iter().zip(all_outputs(&mut sim))) {
            let width = old.len() / 6;
            assert_eq!(old[env * width..][..width], new[env * width..][..width], "{name} of environment {env}");
        }
        assert_eq!(sim.read("qacc_warmstart").unwrap()[14 * env..][..14], warm[14 * env..][..14]);
    }
    assert_eq!((after[1], after[4]), (start, start));
    let time = sim.read("time").unwrap();
    assert_eq!((time[1], time[4]), (0.0, 0.0));
    assert!((time[0] - 0.2).abs() < 1e-12, "20 steps of 0.01 s");
    // A reset environment goes on as a new one would under the same controls.
    let mut fresh = batch(&model, envs(6));
    drive(&mut sim, 20, 10);
    drive(&mut fresh, 20, 10);
    let (going_on, new) = (sim.env_hashes().unwrap(), fresh.env_hashes().unwrap());
    assert_eq!((going_on[1], going_on[4]), (new[1], new[4]));
}

#[test]
fn a_mask_and_ids_name_the_same_environments() {
    let model = asset("quadruped");
    let run = |envs_: Envs| {
        let mut sim = batch(&model, envs(4));
        drive(&mut sim, 0, 5);
        sim.reset(Reset { envs: envs_, to: Target::Default }).unwrap();
        sim.env_hashes().unwrap()
    };
    assert_eq!(run(Envs::Mask(&[false, true, false, true])), run(Envs::Ids(&[3, 1])));
}

#[test]
fn a_reset_to_given_states_puts_each_environment_where_it_was_told() {
    let model = asset("cartpole");
    let mut sim = batch(&model, envs(3));
    let (qpos, qvel) = ([0.0, 0.5, 0.25, 1.0, -0.5, 1.5], [1.0, 2.0]);
    sim.reset(Reset { envs: Envs::Ids(&[0, 2]), to: Target::State { qpos: &qpos, qvel: &qvel } }).unwrap();
    assert_eq!(sim.read("qpos").unwrap(), [0.0, 0.5, 0.0, 0.0, -0.5, 1.5]);
    assert_eq!(sim.read("qvel").unwrap(), [1.0, 2.0, 0.0, 0.0, 1.0, 2.0]);
}

#[test]
fn a_reset_to_a_keyframe_sets_all_that_the_keyframe_holds_and_nothing_of_the_others() {
    let model = model(
        "<worldbody>
           <body name='target' mocap='true' pos='0 0 1'><geom size='.1' contype='0' conaffinity='0'/></body>
           <body><joint name='rail' type='slide'/><geom size='.1' pos='3 0 0'/></body>
         </worldbody>
         <actuator><motor joint='rail'/></actuator>
         <keyframe>
           <key qpos='1'/>
           <key time='2.5' qpos='0.5' qvel='0.25' ctrl='0.75' mpos='1 2 3' mquat='0 1 0 0'/>
         </keyframe>",
    );
    let mut sim = Simulation::new(&model, envs(2)).unwrap();
    let fields = ["qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat", "time", "qfrc_applied", "qacc_warmstart"];
    sim.write("ctrl", &[-1.0]).unwrap();
    sim.write("qfrc_applied", &[4.0]).unwrap();
    sim.step_many(3).unwrap();
    let before = fields.map(|field| sim.read(field).unwrap());
    sim.reset(Reset { envs: Envs::Ids(&[1]), to: Target::Keyframe(1) }).unwrap();
    let wanted: [&[f64]; 8] =
        [&[0.5], &[0.25], &[0.75], &[1.0, 2.0, 3.0], &[0.0, 1.0, 0.0, 0.0], &[2.5], &[0.0], &[0.0]];
    for ((field, before), wanted) in fields.iter().zip(before).zip(wanted) {
        let after = sim.read(field).unwrap();
        assert_eq!(after[..wanted.len()], before[..wanted.len()], "{field} of the other");
        assert_eq!(after[wanted.len()..], *wanted, "{field}");
    }
    sim.step().unwrap();
    assert!((sim.read("time").unwrap()[1] - 2.502).abs() < 1e-12, "time goes on from the keyframe's");

    // Another target leaves inputs and motion-capture bodies as they are.
    sim.reset(Reset { envs: Envs::All, to: Target::Default }).unwrap();
    assert_eq!(sim.read("ctrl").unwrap(), [-1.0, 0.75]);
    assert_eq!(sim.read("mocap_pos").unwrap(), [0.0, 0.0, 1.0, 1.0, 2.0, 3.0]);
    assert_eq!(sim.read("time").unwrap(), [0.0; 2]);
}

#[test]
fn a_number_that_is_not_finite_is_refused_with_its_place() {
    let mut sim = batch(&asset("ant"), envs(2));
    let before = sim.snapshot().unwrap();
    let mut ctrl = vec![0.0; 16];
    ctrl[9] = f64::NAN;
    let error = sim.write("ctrl", &ctrl).unwrap_err();
    assert!(matches!(error, SimError::NotFinite { index: 9, .. }), "{error}");
    assert!(error.to_string().starts_with("ctrl[9] is NaN"), "{error}");
    for bad in [f64::INFINITY, f64::NEG_INFINITY] {
        let mut qvel = vec![0.0; 14];
        qvel[3] = bad;
        assert!(sim.write("qvel", &qvel).is_err());
        let to = Target::State { qpos: &asset("ant").qpos0, qvel: &qvel };
        assert!(sim.reset(Reset { envs: Envs::All, to }).is_err());
    }
    assert_eq!(sim.snapshot().unwrap(), before);
    assert_eq!(sim.read("ctrl").unwrap(), vec![0.0; 16]);
}

/// What drives environment 3 beyond all bounds.
fn blow_up(sim: &mut Simulation, what: &str) {
    let n = sim.num_envs() as usize;
    match what {
        "velocity" => {
            let mut qvel = sim.read("qvel").unwrap();
            let nv = qvel.len() / n;
            qvel[3 * nv..4 * nv].fill(1e9);
            sim.write("qvel", &qvel).unwrap();
        }
        _ => {
            let nv = sim.model().nv;
            let mut force = vec![0.0; n * nv];
            force[3 * nv..4 * nv].fill(1e30);
            sim.write("qfrc_applied", &force).unwrap();
        }
    }
}

#[test]
fn an_environment_that_blows_up_is_frozen_and_flagged_while_the_others_go_on() {
    for name in ["ant", "humanoid", "cartpole", "quadruped", "arm_cube"] {
        for what in ["velocity", "force"] {
            let model = asset(name);
            let healthy = rollout(&model, envs(8));
            let mut sim = batch(&model, envs(8));
            request_all(&mut sim);
            drive(&mut sim, 0, 5);
            let warm = sim.read("qacc_warmstart").unwrap();
            blow_up(&mut sim, what);
            let kept = sim.env_hashes().unwrap()[3];
            drive(&mut sim, 5, STEPS - 5);
            let context = format!("{name} by {what}");
            let faults = sim.faults().unwrap();
            assert_eq!(faults[3], NOT_FINITE, "{context}");
            assert!(faults.iter().enumerate().all(|(env, f)| env == 3 || *f == 0), "{context}");
            assert_eq!(sim.statistics().unwrap().not_finite, 1, "{context}");
            let hashes = sim.env_hashes().unwrap();
            assert_eq!(hashes[3], kept, "{context}: frozen at its last finite state");
            let nv = model.nv;
            assert_eq!(sim.read("qacc_warmstart").unwrap()[3 * nv..4 * nv], warm[3 * nv..4 * nv], "{context}");
            for env in (0..8).filter(|env| *env != 3) {
                assert_eq!(hashes[env], healthy[env], "{context}: environment {env}");
            }
            // All that can be read is finite.
            assert!(
                sim.read("qpos").unwrap().iter().chain(&sim.read("qvel").unwrap()).all(|v| v.is_finite()),
                "{context}"
            );
            assert!((sim.read("time").unwrap()[3] - 5.0 * model.opt.timestep).abs() < 1e-12, "{context}");
        }
    }
}

#[test]
fn a_frozen_environment_counts_neither_in_steps_nor_in_means() {
    let model = asset("ant");
    let mut sim = batch(&model, envs(8));
    blow_up(&mut sim, "velocity");
    drive(&mut sim, 0, STEPS);
    let seen = sim.statistics().unwrap();
    assert_eq!((seen.steps, seen.env_steps, seen.not_finite), (STEPS, 7 * STEPS, 1));
    // The seven that went on, each alone.
    let alone = [0, 1, 2, 4, 5, 6, 7].map(|first_env| {
        let mut sim = batch(&model, Options { first_env, ..envs(1) });
        drive(&mut sim, 0, STEPS);
        sim.statistics().unwrap()
    });
    let mean = |count: fn(&Statistics) -> u64| alone.iter().map(count).sum::<u64>() as f64 / (7 * STEPS) as f64;
    assert_eq!((seen.contacts_mean(), seen.rows_mean()), (mean(|s| s.contacts), mean(|s| s.rows)));
}

#[test]
fn steps_taken_in_the_retry_pool_are_counted_once() {
    let mut sim = batch(&asset("ant"), Options { fast_contacts: Some(1), fixed_workspace: true, ..envs(7) });
    (0..5).for_each(|_| sim.step_many(4).unwrap());
    assert_eq!(sim.statistics().unwrap().env_steps, 7 * 20);
}

#[test]
fn a_reset_revives_a_frozen_environment() {
    let model = asset("ant");
    let mut sim = batch(&model, envs(5));
    blow_up(&mut sim, "velocity");
    sim.step().unwrap();
    assert_eq!(sim.faults().unwrap(), [0, 0, 0, NOT_FINITE, 0]);
    sim.reset(Reset { envs: Envs::Ids(&[3]), to: Target::Keyframe(0) }).unwrap();
    assert_eq!(sim.faults().unwrap(), [0; 5]);
    sim.reset(Reset { envs: Envs::All, to: Target::Keyframe(0) }).unwrap();
    drive(&mut sim, 0, STEPS);
    assert_eq!(sim.env_hashes().unwrap(), rollout(&model, envs(5)));
}

#[test]
fn the_parts_of_a_batch_on_several_devices_agree_with_the_whole() {
    let model = asset("humanoid");
    let whole = rollout(&model, Options { seed: 9, ..envs(12) });
    let part = |first_env, n| rollout(&model, Options { seed: 9, first_env, ..envs(n) });
    assert_eq!([part(0, 5), part(5, 6), part(11, 1)].concat(), whole);
    assert_ne!(rollout(&model, Options { seed: 10, ..envs(12) }), whole, "another seed, other controls");
}

#[test]
fn outputs_are_current_after_a_step_a_forward_and_a_reset() {
    for name in ASSETS {
        let model = asset(name);
        let mut sim = batch(&model, envs(3));
        request_all(&mut sim);
        // Outputs are functions of the state, warm start and inputs: another batch that is given them and asked for a
        // forward pass must see the same.
        let check = |sim: &mut Simulation, when: &str| {
            let seen = all_outputs(sim);
            let snapshot = sim.snapshot().unwrap();
            let mut other = batch(&model, envs(3));
            other.restore(&snapshot).unwrap();
            other.write("ctrl", &sim.read("ctrl").unwrap()).unwrap();
            request_all(&mut other);
            other.forward().unwrap();
            for (name, (a, b)) in OUTPUTS.iter().zip(seen.iter().zip(all_outputs(&mut other))) {
                assert_eq!(*a, b, "{name} after {when}");
            }
        };
        drive(&mut sim, 0, 7);
        check(&mut sim, "a step");
        sim.step_many(3).unwrap();
        check(&mut sim, "three steps");
        let qpos: Vec<f64> = sim.read("qpos").unwrap().iter().map(|q| q + 0.0625).collect();
        sim.write("qpos", &qpos).unwrap();
        sim.forward().unwrap();
        check(&mut sim, "a forward");
        sim.reset(Reset { envs: Envs::Ids(&[1]), to: Target::Default }).unwrap();
        check(&mut sim, "a reset");
        sim.reset(Reset { envs: Envs::All, to: Target::Default }).unwrap();
        check(&mut sim, "a reset of all");
    }
}

#[test]
fn asking_for_outputs_does_not_change_the_bits() {
    let model = asset("quadruped");
    let plain = rollout(&model, envs(4));
    for outputs in [&["xpos"][..], &["cvel"], &["qacc"], &OUTPUTS] {
        let mut sim = batch(&model, envs(4));
        outputs.iter().for_each(|name| sim.request(name).unwrap());
        drive(&mut sim, 0, STEPS);
        assert_eq!(sim.env_hashes().unwrap(), plain, "{outputs:?}");
    }
}

#[test]
fn an_environment_with_its_own_masses_moves_as_a_batch_that_has_them_for_all() {
    for name in ["ant", "cartpole", "quadruped"] {
        let model = asset(name);
        let masses = |scale: f64| model.body_mass.iter().map(move |m| m * scale);
        let scales = [1.0, 0.75, 1.25, 1.0];
        let mut sim = batch(&model, Options { per_env: vec!["body_mass".into()], ..envs(4) });
        sim.write("body_mass", &scales.iter().flat_map(|s| masses(*s)).collect::<Vec<_>>()).unwrap();
        drive(&mut sim, 0, STEPS);
        let own = sim.env_hashes().unwrap();
        for (env, scale) in scales.iter().enumerate() {
            let mut shared = batch(&model, envs(4));
            shared.write("body_mass", &masses(*scale).collect::<Vec<_>>()).unwrap();
            drive(&mut shared, 0, STEPS);
            assert_eq!(own[env], shared.env_hashes().unwrap()[env], "{name}: environment {env}, masses times {scale}");
        }
        assert_ne!(own[0], own[3], "{name}: the same masses, other controls");
    }
}

#[test]
fn a_medium_of_each_environment_moves_it_as_one_that_the_model_has() {
    let swimmer = |density: f64| {
        model(&format!(
            r#"<option integrator="implicitfast" timestep="0.01" density="{density}"/>
            <worldbody><body><freejoint/><geom type="box" size="0.3 0.1 0.02"/>
              <body pos="0.3 0 0"><joint name="fin" axis="0 1 0"/><geom type="box" size="0.1 0.1 0.01" pos="0.1 0 0"/></body>
            </body></worldbody>
            <actuator><motor joint="fin" gear="20"/></actuator>"#
        ))
    };
    let densities = [0.0, 1.2, 1000.0];
    let mut sim = batch(&swimmer(0.0), Options { per_env: vec!["opt_density".into()], ..envs(3) });
    sim.write("opt_density", &densities).unwrap();
    drive(&mut sim, 0, STEPS);
    for (env, density) in densities.iter().enumerate() {
        let mut one = batch(&swimmer(*density), envs(3));
        drive(&mut one, 0, STEPS);
        assert_eq!(sim.env_hashes().unwrap()[env], one.env_hashes().unwrap()[env], "density {density}");
    }
    let refused = batch(&swimmer(0.0), envs(1)).write("opt_density", &[1.2]).unwrap_err().to_string();
    assert!(refused.contains("opt_density") && refused.contains("Options::per_env"), "{refused}");
}

#[test]
fn what_is_asked_for_wrongly_is_refused_with_what_to_do() {
    let model = asset("ant");
    assert!(matches!(Simulation::new(&model, envs(0)), Err(SimError::NoEnvironments)));
    let double = Options { precision: Precision::F64, device: DeviceChoice::Cuda(0), ..Options::envs(1) };
    let error = Simulation::new(&model, double).err().unwrap().to_string();
    assert!(error.contains("f64 runs on the CPU only") && error.contains("cuda:0"), "{error}");
    let unknown = Options { per_env: vec!["body_mas".into()], ..envs(1) };
    let error = Simulation::new(&model, unknown).err().unwrap().to_string();
    assert!(error.contains("did you mean \"body_mass\"?"), "{error}");
    let state = Options { per_env: vec!["qpos".into()], ..envs(1) };
    assert!(matches!(Simulation::new(&model, state), Err(SimError::WrongUse { .. })));

    let mut sim = batch(&model, envs(3));
    let before = sim.snapshot().unwrap();
    let says = |result: Result<(), SimError>, words: &[&str]| {
        let error = result.unwrap_err().to_string();
        assert!(words.iter().all(|w| error.contains(w)), "{error}");
    };
    says(sim.write("ctrl", &[0.0; 9]), &["ctrl takes 8 values", "24", "not 9"]);
    says(sim.write("ctrl", &[]), &["not 0"]);
    says(sim.write("qpso", &[0.0; 15]), &["no field \"qpso\"", "did you mean \"qpos\"?"]);
    says(sim.write("banana", &[0.0; 15]), &["no field \"banana\""]);
    says(sim.write("xpos", &[0.0; 3 * 14]), &["xpos"]);
    says(sim.write("time", &[0.0; 2]), &["time takes 1 values"]);
    says(sim.write("body_mass", &model.body_mass.repeat(3)), &["Options::per_env"]);
    says(sim.request("qpos"), &["qpos is not an output"]);
    says(sim.request("xpso"), &["did you mean \"xpos\"?"]);
    says(sim.read("xpos").map(drop), &["request(\"xpos\")"]);
    says(sim.reset(Reset { envs: Envs::Ids(&[3]), to: Target::Default }), &["environment 3", "0 to 2"]);
    says(sim.reset(Reset { envs: Envs::Mask(&[true]), to: Target::Default }), &["mask takes 3"]);
    says(
        sim.reset(Reset { envs: Envs::All, to: Target::Keyframe(7) }),
        &["keyframe 7", "the model has 1, counted from 0"],
    );
    let to = Target::State { qpos: &[0.0; 2], qvel: &[0.0; 14] };
    says(sim.reset(Reset { envs: Envs::All, to }), &["qpos takes 15", "not 2"]);
    assert_eq!(sim.snapshot().unwrap(), before, "a refused call changes nothing");
    if device() == DeviceChoice::Cpu {
        assert!(matches!(sim.forward_details(3, None), Err(SimError::NoSuchEnvironment { env: 3, .. })));
    }
}
