//! A checked run has the bits of a usual one, and ends at the first mistake with its place.

mod scenes;

use phalanx::{DeviceChoice, Finding, Options, Precision, SimError, Simulation};
use scenes::{ASSETS, asset, batch, drive, envs, model};

/// Steps of a rollout: long enough for every asset to leave its keyframe and touch the ground anew.
const STEPS: u64 = 30;

/// The hashes after a rollout with random controls.
fn rollout(name: &str, options: Options) -> Vec<u64> {
    let mut sim = batch(&asset(name), options);
    sim.request("qacc_smooth").unwrap();
    drive(&mut sim, 0, STEPS);
    sim.env_hashes().unwrap()
}

#[test]
fn a_checked_run_has_the_bits_of_a_usual_one_and_finds_nothing() {
    for name in ASSETS {
        let usual = rollout(name, envs(5));
        for fast_contacts in [None, Some(1)] {
            let options = Options { checked: true, fast_contacts, ..envs(5) };
            assert_eq!(rollout(name, options), usual, "{name} {fast_contacts:?}");
        }
    }
}

#[test]
fn a_checked_run_in_double_has_the_bits_of_a_usual_one() {
    for name in ["ant", "humanoid"] {
        let options = Options { device: DeviceChoice::Cpu, precision: Precision::F64, ..envs(3) };
        assert_eq!(rollout(name, Options { checked: true, ..options.clone() }), rollout(name, options), "{name}");
    }
}

#[test]
fn derived_model_fields_of_a_checked_run_have_the_bits_of_a_usual_one() {
    let run = |checked: bool| {
        let model = asset("quadruped");
        let options = Options { per_env: vec!["body_mass".into()], checked, ..envs(3) };
        let mut sim = batch(&model, options);
        let masses = model.body_mass.iter().map(|m| 1.25 * m).collect::<Vec<_>>();
        sim.write("body_mass", &masses).unwrap();
        drive(&mut sim, 0, STEPS);
        (sim.read("dof_invweight0").unwrap(), sim.env_hashes().unwrap())
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_force_too_large_for_its_acceleration_ends_the_run_at_the_stage_that_divides() {
    let mut sim = batch(&asset("ant"), Options { checked: true, ..envs(4) });
    sim.step().unwrap();
    let mut force = vec![0.0; 4 * 14];
    force[2 * 14 + 7] = 3e38;
    force[3 * 14 + 7] = 3e38;
    sim.write("qfrc_applied", &force).unwrap();
    let found = finding(&mut sim);
    assert_eq!((found.environment, found.environments, found.step), (2, 2, 1));
    assert_eq!(found.stage, Some("solve_constraints"), "{found}");
    let before = sim.env_hashes().unwrap();
    assert_eq!(finding(&mut sim).environment, 2, "a batch with a finding stays refused");
    let after = sim.env_hashes().unwrap();
    assert_eq!(before[2..], after[2..], "what has a finding is not stepped");
}

fn finding(sim: &mut Simulation) -> Finding {
    match sim.step() {
        Err(SimError::Executor(phalanx::ExecutorError::Checked(finding))) => finding,
        other => panic!("{other:?} instead of a finding"),
    }
}

#[test]
fn a_frozen_environment_tells_what_froze_it() {
    let robot = "<worldbody><body><joint type='slide'/><geom size='.1'/>
                   <body><joint name='rail' type='slide'/><geom size='.1'/></body></body></worldbody>
                 <actuator><motor joint='rail'/></actuator>";
    for (input, value, field, index) in
        [("ctrl", 1e11, "ctrl", 0), ("qfrc_applied", 1e11, "qfrc_applied", 1), ("qvel", 9e9, "qpos", 1)]
    {
        // At such a speed it is too far away within two seconds.
        let timestep = if input == "qvel" { "<option timestep='2'/>" } else { "" };
        let mut sim = Simulation::new(&model(&format!("{timestep}{robot}")), envs(3)).unwrap();
        let mut values = vec![0.0; sim.read(input).unwrap().len()];
        let width = values.len() / 3;
        values[width + index] = value;
        sim.write(input, &values).unwrap();
        sim.step().unwrap();
        let bad = sim.first_bad_quantity().unwrap().unwrap();
        assert_eq!((bad.env, bad.field, bad.index), (1, field, index), "{input}");
        assert_eq!(sim.bad_quantity(1).unwrap(), Some(bad));
        assert_eq!(sim.bad_quantity(0).unwrap(), None, "{input}");
        assert_eq!(bad.to_string(), format!("environment 1, by its {field}[{index}]"));
        assert!(matches!(sim.bad_quantity(3), Err(SimError::NoSuchEnvironment { env: 3, .. })));
    }
}
