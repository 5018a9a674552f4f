//! Memory that a batch takes: within its limit, and as the plan says.

use phalanx::{DeviceChoice, Envs, Model, Options, Reset, SimError, Simulation, Target};

const ENVS: u64 = 1000;

fn ant() -> Model {
    Model::from_file("assets/ant.xml").unwrap()
}

fn options(memory_limit: Option<u64>, requests: &[&str]) -> Options {
    let requests = requests.iter().map(|name| (*name).to_owned()).collect();
    Options { device: DeviceChoice::Cpu, threads: Some(1), memory_limit, requests, ..Options::envs(ENVS) }
}

/// A batch whose limit leaves `room` bytes beyond its plan.
fn with_room(room: u64) -> Simulation {
    let total = Simulation::new(&ant(), options(None, &[])).unwrap().plan().memory.total;
    Simulation::new(&ant(), options(Some(total + room), &[])).unwrap()
}

#[test]
fn what_is_requested_counts_in_the_plan_and_never_exceeds_the_limit() {
    let bytes = |floats: u64| 4 * ENVS * floats;
    let (nv, nbody) = (ant().nv as u64, ant().nbody as u64);
    let mut sim = with_room(bytes(nv) + bytes(6 * nbody));
    let before = sim.plan().memory.clone();

    sim.request("qacc").unwrap();
    sim.request("qacc").unwrap();
    sim.write("xfrc_applied", &vec![0.0; 6 * nbody as usize]).unwrap();
    let memory = sim.plan().memory.clone();
    assert_eq!(memory.outputs, bytes(nv));
    assert_eq!(memory.inputs, before.inputs + bytes(6 * nbody));
    assert_eq!(memory.total, memory.limit);

    let refused = [sim.request("xpos"), sim.write("qfrc_applied", &vec![0.0; nv as usize])];
    for (error, need) in refused.into_iter().zip([bytes(3 * nbody), bytes(nv)]) {
        let error = error.unwrap_err().to_string();
        for part in [format!("{need} bytes more are needed, 0 of the"), "Options::requests".into()] {
            assert!(error.contains(&part), "{error}");
        }
    }
    assert_eq!(sim.plan().memory, memory);
    sim.step().unwrap();
    assert_eq!(sim.read("qacc").unwrap().len(), (ENVS * nv) as usize);
}

#[test]
fn what_is_requested_at_the_start_is_planned_for() {
    let plain = Simulation::new(&ant(), options(None, &[])).unwrap();
    let mut early = Simulation::new(&ant(), options(None, &["xpos", "xfrc_applied"])).unwrap();
    let mut late = Simulation::new(&ant(), options(None, &[])).unwrap();
    late.request("xpos").unwrap();
    late.write("xfrc_applied", &vec![0.0; 6 * ant().nbody]).unwrap();
    assert_eq!(early.plan().memory.total, late.plan().memory.total);
    assert!(early.plan().memory.outputs > plain.plan().memory.outputs);

    early.step().unwrap();
    late.step().unwrap();
    assert_eq!(early.read("xpos").unwrap(), late.read("xpos").unwrap());

    let limit = plain.plan().memory.total;
    let error = Simulation::new(&ant(), options(Some(limit), &["xpos"])).err().unwrap().to_string();
    let largest: u64 = error.rsplit(' ').next().unwrap().parse().unwrap();
    let fits = |num_envs| {
        let options = Options { num_envs, ..options(Some(limit), &["xpos"]) };
        Simulation::new(&ant(), options).is_ok()
    };
    assert!(fits(largest) && !fits(largest + 1), "{error}");
    let state = Simulation::new(&ant(), options(None, &["qpos"])).err().unwrap();
    assert!(matches!(state, SimError::WrongUse { .. }), "{state}");
}

#[test]
fn the_largest_batch_that_fits_can_be_reset_to_one_state_for_all() {
    let mut sim = with_room(0);
    sim.reset(Reset { envs: Envs::All, to: Target::Keyframe(0) }).unwrap();
    let (qpos, qvel) = (vec![0.5; ant().nq], vec![0.0; ant().nv]);
    sim.reset(Reset { envs: Envs::All, to: Target::State { qpos: &qpos, qvel: &qvel } }).unwrap();
    assert_eq!(sim.plan().memory.total, sim.plan().memory.limit);

    let before = sim.snapshot().unwrap();
    let qpos = qpos.repeat(ENVS as usize);
    let error = sim.reset(Reset { envs: Envs::All, to: Target::State { qpos: &qpos, qvel: &qvel } }).unwrap_err();
    assert!(error.to_string().contains("reset to one state for all"), "{error}");
    assert_eq!(sim.snapshot().unwrap(), before);
}

#[test]
fn memory_for_a_state_of_each_environment_is_taken_once() {
    let (nq, nv) = (ant().nq, ant().nv);
    let mut sim = with_room(4 * ENVS * (nq + nv) as u64);
    let (qpos, qvel) = (vec![0.5; nq * ENVS as usize], vec![0.0; nv]);
    let total = |sim: &mut Simulation| {
        sim.reset(Reset { envs: Envs::All, to: Target::State { qpos: &qpos, qvel: &qvel } }).unwrap();
        sim.plan().memory.total
    };
    let first = total(&mut sim);
    assert!(first <= sim.plan().memory.limit);
    assert_eq!(total(&mut sim), first);
}
