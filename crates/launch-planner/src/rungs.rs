//! Which arrays live in global memory, rung by rung: those first that free most for what they cost.

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

/// All rungs: first as much in shared memory as may be, then one array after the other moves. Only the stage that needs most
/// counts, so the next to move is alive there: the one that frees most words for the accesses that it costs.
pub(crate) fn placements(model: &ModelDims, demand: &Demand, capacity: Capacity) -> Vec<Rung> {
    let arrays = &model.arrays;
    let mut global: Vec<bool> = arrays.iter().map(|array| demand.pin_global.contains(&array.name)).collect();
    let movable = |i: usize, global: &[bool]| {
        !global[i] && !demand.pin_shared.contains(&arrays[i].name) && arrays[i].words_at(capacity) > 0
    };
    // Words per access, in thousandths: whole numbers, so that every machine moves the same.
    let worth = |i: usize| u128::from(arrays[i].words_at(capacity)) * 1000 / u128::from(arrays[i].traffic + 1);
    let mut rungs = vec![rung(model, capacity, &global, demand)];
    loop {
        let peak = peak_stage(arrays, capacity, &global);
        let alive = |i: &usize| arrays[*i].first_stage <= peak && peak <= arrays[*i].last_stage;
        let here = (0..arrays.len()).filter(|i| movable(*i, &global)).filter(alive);
        // Of the rest, which no longer decides, whatever is left moves as well: an array of the ladder's end.
        let next = here.max_by_key(|&i| (worth(i), Reverse(i)));
        let Some(next) = next.or_else(|| (0..arrays.len()).find(|&i| movable(i, &global))) else { return rungs };
        global[next] = true;
        let candidate = rung(model, capacity, &global, demand);
        if rungs.last().is_some_and(|last| candidate.layout.shared_words_per_env < last.layout.shared_words_per_env) {
            rungs.push(candidate);
        }
    }
}

/// The stage whose arrays in shared memory have the most words.
fn peak_stage(arrays: &[WorkArray], capacity: Capacity, global: &[bool]) -> u32 {
    let stages = || arrays.iter().zip(global).filter(|&(_, &moved)| !moved).map(|(array, _)| array.first_stage);
    stages().max_by_key(|&stage| (words_alive(arrays, capacity, global, stage), Reverse(stage))).unwrap_or(0)
}

/// Words of shared memory that are alive in a stage.
fn words_alive(arrays: &[WorkArray], capacity: Capacity, global: &[bool], stage: u32) -> u64 {
    let alive = arrays
        .iter()
        .zip(global)
        .filter(|&(array, &moved)| !moved && array.first_stage <= stage && stage <= array.last_stage);
    alive.fold(0u64, |sum, (array, _)| sum.saturating_add(array.words_at(capacity)))
}

fn rung(model: &ModelDims, capacity: Capacity, global: &[bool], demand: &Demand) -> Rung {
    let arrays = &model.arrays;
    let place = |name: &str| {
        let index = arrays.iter().position(|array| array.name == name).expect("a name of the model");
        if global[index] { Placement::Global } else { Placement::Shared }
    };
    let mut layout = layout(arrays, model.usual, capacity, place);
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
