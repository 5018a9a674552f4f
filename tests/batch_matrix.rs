//! The bits of an environment in every kind of batch: sizes, numbers of the first environment, threads, retries, lanes, places of
//! the workspace.

mod scenes;

use phalanx::{DeviceChoice, Model, Options, Simulation};
use scenes::{asset, benchmark, device, envs, rollout};

/// Environments of the batch that all others are parts of.
const WHOLE: u64 = 1040;
const STEPS: u64 = 12;
const SIZES: [u64; 5] = [1, 2, 7, 33, 1000];
/// Numbers of the first environment: none is a multiple of a team's, a warp's or a thread's share.
const FIRSTS: [u64; 3] = [0, 5, 37];
const FAST_CONTACTS: [Option<u32>; 3] = [None, Some(1), Some(3)];

/// Sizes with first environments: all pairs on the CPU, on a GPU, where each batch is loaded anew, each at least once.
fn parts() -> Vec<(u64, u64)> {
    match device() {
        DeviceChoice::Cpu => SIZES.iter().flat_map(|size| FIRSTS.map(|first| (*size, first))).collect(),
        _ => SIZES.iter().copied().zip(FIRSTS.into_iter().cycle()).collect(),
    }
}

/// A batch's own choices beside its size.
struct Kind {
    what: String,
    options: Options,
}

/// What differs between batches on the CPU: threads, more and fewer than environments and cores.
fn on_cpu() -> Vec<Kind> {
    let kind =
        |threads| Kind { what: format!("{threads} threads"), options: Options { threads: Some(threads), ..envs(1) } };
    [1, 2, 5].map(kind).into()
}

/// What differs between batches on a GPU: lanes, and where the workspace's arrays lie.
fn on_gpu(model: &Model) -> Vec<Kind> {
    let sim = Simulation::new(model, envs(1)).unwrap();
    let all: Vec<String> = sim.plan().step().layout.arrays.iter().map(|array| array.name.clone()).collect();
    let some: Vec<String> = all.iter().step_by(2).cloned().collect();
    let mut kinds = Vec::new();
    for lanes in [1, 2, 4, 8, 16, 32] {
        for (where_to, pin_global) in [("chosen", &[][..]), ("every second", &some), ("all", &all)] {
            let what = format!("{lanes} lanes, {where_to} of the arrays in global memory");
            kinds.push(Kind {
                what,
                options: Options { lanes: Some(lanes), pin_global: pin_global.to_vec(), ..envs(1) },
            });
        }
    }
    let generic = Options { generic_only: true, ..envs(1) };
    kinds.push(Kind { what: "the generic kernel".into(), options: generic });
    kinds
}

#[test]
fn an_environment_has_the_same_bits_in_every_kind_of_batch() {
    for name in ["ant", "arm_cube"] {
        let model = asset(name);
        let whole = rollout(&model, STEPS, envs(WHOLE));
        let kinds = if device() == DeviceChoice::Cpu { on_cpu() } else { on_gpu(&model) };
        for Kind { what, options } in &kinds {
            for (num_envs, first_env) in parts() {
                for fast_contacts in FAST_CONTACTS {
                    let part =
                        rollout(&model, STEPS, Options { num_envs, first_env, fast_contacts, ..options.clone() });
                    let expected = &whole[first_env as usize..(first_env + num_envs) as usize];
                    let context =
                        format!("{name}: {num_envs} from {first_env}, {what}, fast contacts {fast_contacts:?}");
                    assert!(part == expected, "{context}: other hashes");
                }
            }
        }
    }
}

#[test]
fn a_scene_with_many_contacts_has_the_same_bits_in_every_kind_of_batch() {
    let model = benchmark("boxes_30");
    let run = |num_envs: u64, options: &Options| {
        let mut sim = Simulation::new(&model, Options { num_envs, ..options.clone() }).unwrap();
        let velocities = (0..num_envs as usize * model.nv).map(|k| (k as f64 * 0.7).sin() as f32);
        sim.write("qvel", &velocities.map(f64::from).collect::<Vec<_>>()).unwrap();
        sim.step_many(120).unwrap();
        sim.env_hashes().unwrap()
    };
    let whole = run(7, &envs(1));
    let kinds = if device() == DeviceChoice::Cpu { on_cpu() } else { on_gpu(&model) };
    // Where arrays lie is the test above's; each place is another kernel to compile.
    for Kind { what, options } in kinds.iter().filter(|kind| kind.options.pin_global.is_empty()) {
        for (num_envs, fast_contacts) in [(1, None), (2, Some(1)), (7, Some(20))] {
            let part = run(num_envs, &Options { fast_contacts, ..options.clone() });
            assert!(
                part == whole[..num_envs as usize],
                "{num_envs}, {what}, fast contacts {fast_contacts:?}: other hashes"
            );
        }
    }
}

#[test]
fn sizes_around_8192_and_primes_step() {
    let model = asset("cartpole");
    let whole = rollout(&model, 3, envs(10_007));
    for num_envs in [8160, 8161, 8167, 8169, 8170, 8171, 8179, 8181, 8191, 8192, 8193, 8209, 8210, 9973, 10_007] {
        assert!(rollout(&model, 3, envs(num_envs)) == whole[..num_envs as usize], "{num_envs} environments");
    }
}
