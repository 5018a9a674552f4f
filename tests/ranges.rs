//! What a profiler hears of the calls of a batch.
#![cfg(all(feature = "cuda", target_os = "linux"))]

mod profiler;
mod scenes;

use phalanx::{Envs, Options, Reset, Simulation, Target};
use profiler::Profiler;
use std::process::Command;

#[test]
#[ignore = "the calls that the test below listens to, in a process of their own"]
fn calls_of_every_kind() {
    // A box that lies on its four corners, in a workspace of one contact: every pass is retried.
    let xml = "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .09'><freejoint/>
               <geom type='box' size='.1 .1 .1'/></body></worldbody>";
    let options = Options { fast_contacts: Some(1), fixed_workspace: true, ..scenes::envs(3) };
    let mut sim = Simulation::new(&scenes::model(xml), options).unwrap();
    sim.request("qacc").unwrap();
    sim.reset(Reset { envs: Envs::All, to: Target::Default }).unwrap();
    sim.reset(Reset { envs: Envs::Ids(&[3]), to: Target::Default }).unwrap_err();
    sim.draw_random_controls(0).unwrap();
    sim.step().unwrap();
    sim.step_many(5).unwrap();
    sim.forward().unwrap();
    sim.write("body_mass", &[0.0, 2.0]).unwrap();
}

#[test]
fn every_call_is_a_range_and_what_it_launches_lies_within() {
    let profiler = Profiler::new("calls");
    let mut command = Command::new(std::env::current_exe().unwrap());
    profiler.attach(command.args(["calls_of_every_kind", "--exact", "--ignored"]));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let expected = "
reset
  reset kernel
  step kernel
  retry kernel
reset
random_controls kernel
step 1
  step kernel
  retry kernel
step 5
  step kernel
  retry kernel
forward
  step kernel
  retry kernel
set_constants kernel
";
    assert_eq!(profiler.heard(), expected.trim_start());
}
