//! Where arrays lie inside a workspace.

mod models;

use models::{any_arrays, any_capacity, humanoid};
use phalanx_launch_planner::{Capacity, Placement, WorkArray, bank_stride, layout};
use proptest::prelude::*;

fn scratch(name: &str, words: u64, first_stage: u32, last_stage: u32) -> WorkArray {
    WorkArray { name: name.to_string(), words, first_stage, last_stage, ..WorkArray::default() }
}

/// A placement that depends on nothing but the name.
fn mixed(name: &str) -> Placement {
    if name.len().is_multiple_of(2) || name.ends_with('3') { Placement::Global } else { Placement::Shared }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn arrays_that_live_together_never_overlap(arrays in any_arrays(), usual in any_capacity(), capacity in any_capacity()) {
        let layout = layout(&arrays, usual, capacity, mixed);
        for (i, a) in layout.arrays.iter().enumerate() {
            prop_assert_eq!(a.words, arrays[i].words_at(capacity));
            prop_assert_eq!(a.offset_words % 4, 0);
            let size = if a.placement == Placement::Shared { layout.shared_words_per_env } else { layout.global_words_per_env };
            prop_assert!(a.offset_words + a.words <= size);
            for (j, b) in layout.arrays.iter().enumerate().skip(i + 1) {
                if a.placement == b.placement && arrays[i].lives_with(&arrays[j]) && a.words > 0 && b.words > 0 {
                    let apart = a.offset_words + a.words <= b.offset_words || b.offset_words + b.words <= a.offset_words;
                    prop_assert!(apart, "{} and {} overlap", a.name, b.name);
                }
            }
        }
    }

    #[test]
    fn fixed_offsets_do_not_move_with_the_capacity(
        arrays in any_arrays(), usual in any_capacity(), one in any_capacity(), other in any_capacity()
    ) {
        let (one, other) = (layout(&arrays, usual, one, mixed), layout(&arrays, usual, other, mixed));
        for (index, array) in arrays.iter().enumerate().filter(|(_, array)| !array.depends_on_capacity()) {
            prop_assert_eq!(&one.arrays[index], &other.arrays[index], "{} moved", array.name);
        }
    }

    #[test]
    fn teams_of_one_warp_use_different_banks(words in 1u64..100_000, log_lanes in 0u32..5) {
        let lanes = 1u32 << log_lanes;
        let stride = bank_stride(words, lanes);
        let window = u64::from(lanes.max(4));
        prop_assert!(stride >= words && stride < words + 2 * window);
        prop_assert_eq!(stride % 4, 0, "a team's words are read four at a time");
        let mut banks = [false; 32];
        for lane in 0..32u64 {
            let (team, lane_of_team) = (lane / window, lane % window);
            let bank = (team * stride + lane_of_team) % 32;
            prop_assert!(!banks[bank as usize], "bank {} twice", bank);
            banks[bank as usize] = true;
        }
    }
}

#[test]
fn arrays_that_do_not_live_together_share_their_words() {
    let arrays = [scratch("kinematics", 100, 0, 3), scratch("solver", 80, 4, 9), scratch("always", 20, 0, 9)];
    assert_eq!(
        layout(&arrays, Capacity::default(), Capacity::default(), |_| Placement::Shared).shared_words_per_env,
        120
    );
}

#[test]
fn arrays_that_grow_with_the_capacity_use_what_dead_arrays_left() {
    let grows = WorkArray { words_per_contact: 10, ..scratch("contact", 0, 5, 9) };
    let arrays = [scratch("kinematics", 100, 0, 3), grows, scratch("always", 20, 0, 9)];
    let words = |contacts| {
        let capacity = |contacts| Capacity { contacts, jacobian_words: 0 };
        layout(&arrays, capacity(10), capacity(contacts), |_| Placement::Global).global_words_per_env
    };
    assert_eq!((words(1), words(10), words(12)), (120, 120, 140));
}

#[test]
fn a_chain_of_lifetimes_packs_as_tightly_as_its_fullest_stage() {
    // Each array lives in two stages, so two neighbours are alive at any time.
    let arrays: Vec<WorkArray> =
        (0..12).map(|i| scratch(&format!("a{i}"), 40 + 16 * u64::from(i % 2), i, i + 1)).collect();
    let fullest = (0..11).map(|i| arrays[i].words + arrays[i + 1].words).max().unwrap();
    assert_eq!(
        layout(&arrays, Capacity::default(), Capacity::default(), |_| Placement::Shared).shared_words_per_env,
        fullest
    );
}

#[test]
fn the_humanoid_packs_as_tightly_as_its_fullest_stage() {
    let model = humanoid();
    let layout = layout(&model.arrays, model.usual, model.usual, |_| Placement::Shared);
    let aligned = |array: &WorkArray| array.words_at(model.usual).next_multiple_of(4);
    let alive = |stage| {
        let arrays = model.arrays.iter().filter(move |array| array.first_stage <= stage && stage <= array.last_stage);
        arrays.map(aligned).sum::<u64>()
    };
    let fullest = (0..10).map(alive).max().unwrap();
    assert!(layout.shared_words_per_env * 100 <= fullest * 102, "{} {fullest}", layout.shared_words_per_env);
}

#[test]
fn sizes_beyond_any_memory_do_not_overflow() {
    let huge = WorkArray { words_per_contact: u64::MAX, ..scratch("huge", u64::MAX, 0, 9) };
    let arrays = [huge, scratch("also_huge", u64::MAX, 0, 9)];
    let capacity = Capacity { contacts: u32::MAX, jacobian_words: u32::MAX };
    assert!(layout(&arrays, capacity, capacity, |_| Placement::Global).global_words_per_env > 1 << 56);
}
