//! A batch re-sizes its workspace to what its environments need, and no bit knows of it.

mod scenes;

use phalanx::{Capacity, Envs, Model, Options, Reset, Simulation, Target};
use scenes::{asset, batch, device, drive, envs};

/// Environments: enough that some touch the ground earlier than others.
const ENVS: u64 = 12;

/// Robots in the air, each higher than the one before: they have no contact, then suddenly many.
fn in_the_air(model: &Model, options: Options) -> Simulation {
    let mut sim = batch(model, options);
    let (qpos, qvel) = (sim.read("qpos").unwrap(), vec![0.0; ENVS as usize * model.nv]);
    let mut start = qpos.clone();
    for env in 0..ENVS as usize {
        start[env * model.nq + 2] += 0.5 + 0.01 * env as f64;
    }
    sim.reset(Reset { envs: Envs::All, to: Target::State { qpos: &start, qvel: &qvel } }).unwrap();
    sim
}

/// Steps with random controls one call at a time; the environments that each call retried.
fn retried_of_each_call(sim: &mut Simulation, steps: u64) -> Vec<u64> {
    let mut before = sim.seen().unwrap().retried;
    let mut call = |step| {
        drive(sim, step, 1);
        let now = sim.seen().unwrap().retried;
        std::mem::replace(&mut before, now).abs_diff(now)
    };
    (0..steps).map(&mut call).collect()
}

#[test]
fn robots_that_land_make_the_workspace_grow_until_nothing_retries_and_no_bit_changes() {
    for (name, steps) in [("ant", 150), ("humanoid", 250), ("quadruped", 250)] {
        let model = asset(name);
        let forced = Options { fast_contacts: Some(1), ..envs(ENVS) };
        let mut learning = in_the_air(&model, forced.clone());
        let mut fixed = in_the_air(&model, Options { fixed_workspace: true, ..forced });
        let mut usual = in_the_air(&model, Options { fixed_workspace: true, ..envs(ENVS) });

        let small = learning.plan().step().capacity;
        let retried = retried_of_each_call(&mut learning, steps);
        drive(&mut fixed, 0, steps);
        drive(&mut usual, 0, steps);
        let hashes = learning.env_hashes().unwrap();
        assert_eq!(hashes, fixed.env_hashes().unwrap(), "{name}: with and without learning");
        assert_eq!(hashes, usual.env_hashes().unwrap(), "{name}: as with a workspace that was large enough");

        let first = retried.iter().position(|retried| *retried > 0).unwrap();
        assert!(first > 10, "{name}: the robots begin in the air, and call {first} retried");
        let (seen, capacity) = (learning.seen().unwrap(), learning.plan().step().capacity);
        assert!(seen.resizes > 0 && capacity.contacts > small.contacts, "{name}: {seen:?}, {capacity:?}");
        assert!(
            u64::from(seen.most.contacts) * 4 >= u64::from(capacity.contacts) * 3,
            "{name}: {seen:?}, {capacity:?}"
        );
        assert_eq!(retried[retried.len() - 40..].iter().sum::<u64>(), 0, "{name}: still retries, {retried:?}");
        let without = fixed.seen().unwrap();
        assert_eq!((without.resizes, fixed.plan().step().capacity), (0, small));
        assert!(seen.retried * 4 < without.retried, "{name}: {} and {}", seen.retried, without.retried);
        assert_eq!(seen.most, without.most, "{name}: the marks are the same");
    }
}

#[test]
fn the_marks_are_those_of_the_whole_run_however_often_the_workspace_was_re_sized() {
    let model = asset("ant");
    let mut sim = batch(&model, Options { fast_contacts: Some(1), ..envs(ENVS) });
    drive(&mut sim, 0, 40);
    let standing = sim.seen().unwrap();
    assert!(standing.resizes > 0 && standing.most.contacts >= 4, "{standing:?}");
    assert_eq!((standing.calls, standing.retried_calls > 0), (40, true));
    // In the air nothing touches; what was seen is kept.
    let qpos = sim.read("qpos").unwrap();
    let up: Vec<f64> = qpos.chunks(model.nq).flat_map(|q| [&q[..2], &[50.0], &q[3..]].concat()).collect();
    let qvel = vec![0.0; ENVS as usize * model.nv];
    sim.reset(Reset { envs: Envs::All, to: Target::State { qpos: &up, qvel: &qvel } }).unwrap();
    drive(&mut sim, 40, 20);
    let flying = sim.seen().unwrap();
    assert!(flying.most.contacts >= standing.most.contacts, "{flying:?} after {standing:?}");
    assert_eq!(flying.calls, 60);
}

#[test]
fn a_workspace_that_is_large_enough_is_left_alone() {
    let mut sim = batch(&asset("ant"), envs(ENVS));
    let before = sim.plan().clone();
    drive(&mut sim, 0, 100);
    assert_eq!(sim.seen().unwrap().resizes, 0);
    assert_eq!(*sim.plan(), before);
}

#[test]
fn a_workspace_never_grows_beyond_what_is_proven() {
    let xml = "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .09'><freejoint/>
               <geom type='box' size='.1 .1 .1'/></body></worldbody>";
    let mut sim = batch(&scenes::model(xml), Options { fast_contacts: Some(1), ..envs(3) });
    drive(&mut sim, 0, 30);
    let plan = sim.plan();
    let Capacity { contacts, jacobian_words } = plan.step().capacity;
    assert_eq!(contacts, 4, "the corners of the box");
    assert!(jacobian_words <= plan.retry().capacity.jacobian_words);
    assert_eq!((sim.seen().unwrap().most.contacts, sim.seen().unwrap().resizes), (4, 1));
}

#[test]
fn the_slowest_call_is_told_with_its_retries() {
    let timed = |fast_contacts| Options { fast_contacts, fixed_workspace: true, time_calls: true, ..envs(ENVS) };
    let mut sim = batch(&asset("ant"), timed(Some(1)));
    drive(&mut sim, 0, 20);
    let times = sim.take_call_times().unwrap();
    assert_eq!(times.calls, 20);
    assert!(times.slowest_seconds >= times.mean_seconds() && times.mean_seconds() > 0.0, "{times:?}");
    let most = sim.seen().unwrap().most_retried;
    assert!(times.retried_in_slowest <= most && most <= ENVS as u32, "{times:?}, {most}");
    assert_eq!(sim.take_call_times().unwrap().calls, 0, "what was taken is not told again");

    let mut roomy = batch(&asset("ant"), timed(None));
    drive(&mut roomy, 0, 20);
    assert_eq!(roomy.take_call_times().unwrap().retried_in_slowest, 0);
    if device() != phalanx::DeviceChoice::Cpu {
        let mut untimed = batch(&asset("ant"), envs(ENVS));
        drive(&mut untimed, 0, 20);
        assert_eq!(untimed.take_call_times().unwrap().calls, 0, "a GPU's calls are timed on request");
    }
}
