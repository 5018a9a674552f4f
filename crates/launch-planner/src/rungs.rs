//! Which arrays live in global memory, rung by rung: least traffic first.

use std::cmp::Reverse;

use crate::layout::{GLOBAL_STRIDE_WORDS, Placement, WorkspaceLayout, layout};
use crate::{Capacity, Demand, ModelDims, WorkArray};

/// One rung of the ladder: which arrays live in global memory, and the layout that follows.
pub(crate) struct Rung {
    /// Names of the arrays in global memory that have words, in the model's order.
    pub moved: Vec<String>,
    pub layout: WorkspaceLayout,
    /// Share of the workspace's accesses that go to global memory, in thousandths.
    pub global_traffic: u64,
    /// The largest array in shared memory: name, bytes, pinned there.
    pub largest_shared: Option<(String, u64, bool)>,
}

/// All rungs: first as much in shared memory as may be, then one array after the other moves, least traffic first.
pub(crate) fn placements(model: &ModelDims, demand: &Demand, capacity: Capacity) -> Vec<Rung> {
    let arrays = &model.arrays;
    let mut global: Vec<bool> = arrays.iter().map(|array| demand.pin_global.contains(&array.name)).collect();
    let mut movable: Vec<usize> = (0..arrays.len())
        .filter(|&i| !global[i] && !demand.pin_shared.contains(&arrays[i].name) && arrays[i].words_at(capacity) > 0)
        .collect();
    movable.sort_by_key(|&i| (arrays[i].traffic, Reverse(arrays[i].words_at(capacity)), i));

    let mut rungs = vec![rung(arrays, capacity, &global, demand)];
    for position in 0..movable.len() {
        global[movable[position]] = true;
        let mut next = rung(arrays, capacity, &global, demand);
        // An earlier move that saves nothing any more is taken back: its words are free beside what is left.
        let mut thrifty = global.clone();
        for &earlier in movable[..=position].iter().rev() {
            thrifty[earlier] = false;
            thrifty[earlier] = most_words_alive(arrays, capacity, &thrifty) > next.layout.shared_words_per_env;
        }
        if thrifty != global {
            let thrifty = rung(arrays, capacity, &thrifty, demand);
            if thrifty.layout.shared_words_per_env <= next.layout.shared_words_per_env {
                next = thrifty;
            }
        }
        if rungs.last().is_some_and(|last| next.layout.shared_words_per_env < last.layout.shared_words_per_env) {
            rungs.push(next);
        }
    }
    rungs
}

/// Words of shared memory in the stage that needs most: no layout takes less.
fn most_words_alive(arrays: &[WorkArray], capacity: Capacity, global: &[bool]) -> u64 {
    let shared = || arrays.iter().zip(global).filter(|&(_, &moved)| !moved).map(|(array, _)| array);
    let alive_at = |stage: u32| {
        let alive = shared().filter(|array| array.first_stage <= stage && stage <= array.last_stage);
        alive.fold(0u64, |sum, array| sum.saturating_add(array.words_at(capacity)))
    };
    shared().map(|array| alive_at(array.first_stage)).max().unwrap_or(0)
}

fn rung(arrays: &[WorkArray], capacity: Capacity, global: &[bool], demand: &Demand) -> Rung {
    let place = |name: &str| {
        let index = arrays.iter().position(|array| array.name == name).expect("a name of the model");
        if global[index] { Placement::Global } else { Placement::Shared }
    };
    let mut layout = layout(arrays, capacity, place);
    layout.global_words_per_env = layout.global_words_per_env.next_multiple_of(GLOBAL_STRIDE_WORDS);

    let weigh = |weight: &dyn Fn(&WorkArray) -> u64| {
        let sum = |only_global: bool| -> u128 {
            let counted = arrays.iter().zip(global).filter(|&(_, &moved)| moved || !only_global);
            counted.map(|(array, _)| u128::from(weight(array))).sum()
        };
        (sum(true) * 1000).checked_div(sum(false))
    };
    let used = |array: &WorkArray| if array.words_at(capacity) > 0 { array.traffic } else { 0 };
    let by_traffic = weigh(&used).or_else(|| weigh(&|array| array.words_at(capacity)));
    let in_shared = layout.arrays.iter().filter(|array| array.placement == Placement::Shared && array.words > 0);
    let largest = in_shared.max_by_key(|array| array.words);
    Rung {
        moved: layout
            .arrays
            .iter()
            .filter(|array| array.placement == Placement::Global && array.words > 0)
            .map(|array| array.name.clone())
            .collect(),
        global_traffic: by_traffic.unwrap_or(0) as u64, // at most 1000
        largest_shared: largest
            .map(|array| (array.name.clone(), array.words * 4, demand.pin_shared.contains(&array.name))),
        layout,
    }
}
