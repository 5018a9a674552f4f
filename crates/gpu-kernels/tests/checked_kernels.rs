//! The checked build of the kernels on the CPU: it finds what was put there to be found, names it, and changes nothing else.

#[path = "emulation/batch.rs"]
#[allow(dead_code, reason = "the tests of many lanes use the rest")]
mod batch;

use batch::{Batch, Random, draw_controls, randomise};
use phalanx_gpu_kernels::executor::{CpuExecutor, CpuOptions, Executor, ExecutorError, Finding, Wrong};
use phalanx_gpu_kernels::shape::Shape;
use phalanx_launch_planner::Demand;
use phalanx_model::Model;
use std::path::Path;

const ENVIRONMENTS: usize = 5;
/// Steps of a run before something goes wrong in it.
const STEPS: usize = 3;

/// A batch of an asset, in motion, with the executor of a build.
struct Run {
    shape: Shape,
    batch: Batch,
    executor: CpuExecutor,
    random: Random,
}

impl Run {
    fn new(asset: &str, checked: bool) -> Run {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../assets/{asset}.xml"));
        let model = Model::from_file(path).unwrap();
        let shape = Shape::of(&model).unwrap();
        let mut batch = Batch::new(&shape, &model, ENVIRONMENTS);
        randomise(&mut batch, &model, 1);
        batch.block.set("substeps", 1);
        batch.block.set("output_level", 3);
        let options = CpuOptions { threads: Some(2), checked, ..CpuOptions::default() };
        let executor = CpuExecutor::new(&shape, &Demand::envs(ENVIRONMENTS as u64), &options).unwrap();
        let mut run = Run { shape, batch, executor, random: Random(7) };
        (0..STEPS).for_each(|_| run.step().unwrap());
        run
    }

    fn step(&mut self) -> Result<(), ExecutorError> {
        draw_controls(&mut self.batch, &mut self.random);
        self.executor.step(&self.batch.block)
    }

    /// What the next step finds.
    fn finding(&mut self) -> Finding {
        match self.executor.step(&self.batch.block) {
            Err(ExecutorError::Checked(finding)) => finding,
            other => panic!("{other:?} instead of a finding"),
        }
    }
}

#[test]
fn a_count_that_is_larger_than_its_arrays_is_found_and_named() {
    let mut run = Run::new("ant", true);
    let bodies = run.shape.sizes["nbody"];
    run.batch.block.set_signed("nbody", bodies + 1);
    let finding = run.finding();
    assert_eq!((finding.environment, finding.environments), (0, ENVIRONMENTS as u32));
    assert_eq!(finding.stage, Some("center_of_mass"));
    let (index, length) = (bodies as i32, bodies as i32);
    assert_eq!(finding.wrong, Wrong::Index { index, length });
    let text = finding.to_string();
    let start =
        format!("checked kernels: stage center_of_mass, environment 0 (first of {ENVIRONMENTS}), step {STEPS}: ");
    let end = format!("index {bodies} of {}, which holds {bodies}; a bug of Phalanx", finding.array);
    assert!(text.starts_with(&start) && text.contains(&end), "{text}");
}

#[test]
fn a_geom_on_a_body_that_there_is_none_of_is_found_where_it_is_used() {
    let mut run = Run::new("ant", true);
    let mut bodies = run.shape.topology["geom_bodyid"].clone();
    bodies[4] = 99;
    run.batch.block.set("geom_bodyid", bodies.as_ptr() as u64);
    let length = run.shape.sizes["nbody"] as i32;
    let wrong = Wrong::Index { index: 99, length };
    let expected = Finding {
        environment: 0,
        environments: ENVIRONMENTS as u32,
        stage: Some("find_pairs"),
        step: STEPS as u32,
        array: "body_orientation",
        wrong,
    };
    assert_eq!(run.finding(), expected);
}

#[test]
fn numbers_that_are_given_and_not_finite_are_found_when_they_are_loaded() {
    for (field, index, word) in [("body_mass", 2, None), ("geom_pos", 3, Some(1)), ("ctrl", 5, None)] {
        let mut run = Run::new("ant", true);
        if field != "ctrl" {
            run.batch.make_per_env(&[field]);
        }
        let values = run.batch.reals(field);
        let width = values.len() / ENVIRONMENTS;
        let place = word.map_or(index, |word| 3 * index + word);
        values[3 * width + place] = f32::NAN;
        let finding = run.finding();
        assert_eq!((finding.environment, finding.environments), (3, 1), "{field}");
        assert_eq!((finding.stage, finding.array), (Some("load"), field));
        let Wrong::NotFinite { index: found, word: found_word, value } = finding.wrong else { panic!("{finding}") };
        assert_eq!((found, found_word), (index as i32, word.map(|w| w as i32)), "{field}");
        assert!(value.is_nan());
        assert!(finding.to_string().contains("] is NaN; "), "{finding}");
    }
}

#[test]
fn a_number_that_overflows_is_found_at_the_stage_that_makes_it() {
    let mut run = Run::new("ant", true);
    run.batch.make_per_env(&["actuator_gainprm"]);
    let width = run.batch.reals("actuator_gainprm").len() / ENVIRONMENTS;
    run.batch.reals("actuator_gainprm")[2 * width + 3 * 6] = 3e38; // of actuator 6
    run.batch.make_per_env(&["actuator_gear"]);
    let width = run.batch.reals("actuator_gear").len() / ENVIRONMENTS;
    run.batch.reals("actuator_gear")[2 * width + 6 * 6] = 1e4;
    draw_controls(&mut run.batch, &mut run.random);
    let finding = run.finding();
    assert_eq!((finding.environment, finding.stage, finding.array), (2, Some("actuation"), "force_actuator"));
    assert!(matches!(finding.wrong, Wrong::NotFinite { value, .. } if value.is_infinite()), "{finding}");
}

#[test]
fn an_environment_with_a_finding_is_not_committed_and_the_others_go_on_with_their_bits() {
    let (mut checked, mut usual) = (Run::new("ant", true), Run::new("ant", false));
    assert_eq!(checked.batch.difference(&usual.batch), None);
    for run in [&mut checked, &mut usual] {
        run.batch.make_per_env(&["body_mass"]);
        let width = run.batch.reals("body_mass").len() / ENVIRONMENTS;
        run.batch.reals("body_mass")[width + 2] = f32::NAN;
    }
    let before = checked.batch.reals("qpos").to_vec();
    let first = checked.finding();
    assert_eq!(first.environment, 1);
    usual.executor.step(&usual.batch.block).unwrap();
    let (width, now) = (before.len() / ENVIRONMENTS, checked.batch.reals("qpos").to_vec());
    let expected = usual.batch.reals("qpos");
    for env in 0..ENVIRONMENTS {
        let row = env * width..(env + 1) * width;
        assert_eq!(now[row.clone()], expected[row.clone()], "{env}");
        assert_eq!(now[row.clone()] == before[row], env == 1, "{env}");
    }
    assert_eq!(checked.finding().environment, 1, "what was found is told again");
}

#[test]
fn the_checked_build_has_the_bits_of_the_usual_one_and_finds_nothing() {
    for asset in ["cartpole", "ant", "humanoid", "quadruped", "arm_cube"] {
        let (mut checked, mut usual) = (Run::new(asset, true), Run::new(asset, false));
        for _ in 0..20 {
            checked.step().unwrap();
            usual.step().unwrap();
        }
        assert_eq!(checked.batch.difference(&usual.batch), None, "{asset}");
    }
}
