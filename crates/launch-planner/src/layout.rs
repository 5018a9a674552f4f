//! Where each workspace array lies inside a team's workspace.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Capacity, WorkArray};

/// The memory that an array lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// The block's shared memory.
    Shared,
    /// Global memory.
    Global,
}

/// One array of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedArray {
    /// The array's name.
    pub name: String,
    /// Its memory.
    pub placement: Placement,
    /// 4-byte words from the start of the team's workspace in that memory; a multiple of 4.
    pub offset_words: u64,
    /// Its words at the layout's capacity.
    pub words: u64,
}

/// Where each array lies inside a team's workspace, in the order of the model's arrays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceLayout {
    /// Every array of the model.
    pub arrays: Vec<PlacedArray>,
    /// Words from one team's shared workspace to the next one's in the block.
    pub shared_words_per_env: u64,
    /// Words from one team's global workspace to the next one's.
    pub global_words_per_env: u64,
}

/// Teams' global workspaces start on their own 128-byte cache lines.
pub(crate) const GLOBAL_STRIDE_WORDS: u64 = 32;

/// More words than any device has. Larger arrays are laid out as if they had this many, so that no sum overflows; they
/// are refused for their size later.
const TOO_MANY_WORDS: u64 = 1 << 56;

/// Times that every item of shared memory is tried at the front, at most.
const MOST_ROUNDS: usize = 4;

/// Offsets are multiples of 16 bytes, so that four words can be moved by one instruction.
const ALIGNMENT_WORDS: u64 = 4;

impl WorkspaceLayout {
    /// Where each array lives, by name.
    pub fn placement_map(&self) -> BTreeMap<String, Placement> {
        self.arrays.iter().map(|array| (array.name.clone(), array.placement)).collect()
    }
}

/// Packs arrays so that arrays that live in the same stage never share a word, and arrays that do not live at the same
/// time share as many as possible.
///
/// Arrays whose size does not depend on the capacity lie where they would if it were `usual`, the model's, so their offsets are
/// constants of the model and its placement. The others fill the gaps between them in time and space, and the words behind them.
/// The strides are the packed sizes; the planner pads them with [`bank_stride`] for its teams.
pub fn layout(
    arrays: &[WorkArray],
    usual: Capacity,
    capacity: Capacity,
    place: impl Fn(&str) -> Placement,
) -> WorkspaceLayout {
    let mut placed: Vec<PlacedArray> = arrays
        .iter()
        .map(|array| PlacedArray {
            name: array.name.clone(),
            placement: place(&array.name),
            offset_words: 0,
            words: array.words_at(capacity).min(TOO_MANY_WORDS),
        })
        .collect();
    let mut pack_all = |placement: Placement, rounds: usize| {
        let items = |capacity: Capacity| -> Vec<Item> {
            let here = |&(index, _): &(usize, &WorkArray)| placed[index].placement == placement;
            let item = |(index, array)| Item::new(index, array, capacity);
            arrays.iter().enumerate().filter(here).map(item).filter(|item| item.words > 0).collect()
        };
        let is_fixed = |item: &Item| !arrays[item.index].depends_on_capacity();
        let together = best_packing(&Packing::default(), &items(usual), rounds);
        let offset_together = |item: &Item| together.items.iter().find(|(other, _)| other.index == item.index);
        let mut growing: Vec<Item> = items(capacity).into_iter().filter(|item| !is_fixed(item)).collect();
        growing.sort_by_key(|item| offset_together(item).map(|(_, offset)| *offset));
        let fixed = Packing { items: together.items.iter().copied().filter(|(item, _)| is_fixed(item)).collect() };
        let packing = best_packing(&fixed, &growing, rounds);
        for (item, offset) in &packing.items {
            placed[item.index].offset_words = *offset;
        }
        packing.words()
    };
    let shared_words_per_env = pack_all(Placement::Shared, MOST_ROUNDS);
    let global_words_per_env = pack_all(Placement::Global, 1); // there is plenty
    WorkspaceLayout { arrays: placed, shared_words_per_env, global_words_per_env }
}

/// The distance in words between the shared workspaces of two teams of a block, at least `words`.
///
/// Word `w` of shared memory lies in bank `w mod 32`, and a warp is slowed where its lanes want different words of one
/// bank. A team of T lanes mostly reads T neighbouring words, and the warp's 32 / T teams read the same place of their
/// own workspaces. With a stride that is an odd multiple of T, the teams' T-word windows start at different multiples
/// of T modulo 32: each team has its own T banks. A team of 32 lanes is alone in its warp and needs no padding beyond
/// whole vectors. Teams of 1 and 2 lanes have windows of four words, since words are read up to four at a time: every eighth
/// team then shares a window.
pub fn bank_stride(words: u64, lanes: u32) -> u64 {
    let lanes = u64::from(lanes);
    if words == 0 {
        return 0;
    }
    if lanes >= 32 {
        return words.next_multiple_of(ALIGNMENT_WORDS);
    }
    let window = lanes.max(ALIGNMENT_WORDS);
    (words.div_ceil(window) | 1) * window
}

/// An array to pack.
#[derive(Clone, Copy, Debug)]
struct Item {
    index: usize,
    words: u64,
    first_stage: u32,
    last_stage: u32,
}

impl Item {
    fn new(index: usize, array: &WorkArray, capacity: Capacity) -> Self {
        let words = array.words_at(capacity).min(TOO_MANY_WORDS).next_multiple_of(ALIGNMENT_WORDS);
        let last_stage = array.last_stage.max(array.first_stage);
        Item { index, words, first_stage: array.first_stage, last_stage }
    }

    fn lives_with(&self, other: &Item) -> bool {
        self.first_stage <= other.last_stage && other.first_stage <= self.last_stage
    }
}

/// Items with their offsets.
#[derive(Clone, Debug, Default)]
struct Packing {
    items: Vec<(Item, u64)>,
}

impl Packing {
    /// Words from offset 0 to the end of the last item.
    fn words(&self) -> u64 {
        self.items.iter().map(|(item, offset)| offset.saturating_add(item.words)).max().unwrap_or(0)
    }

    fn sum_of_ends(&self) -> u128 {
        self.items.iter().map(|(item, offset)| u128::from(*offset) + u128::from(item.words)).sum()
    }

    /// This packing with more items, each in its first fit.
    fn with(&self, queue: &[Item]) -> Packing {
        let mut packing = self.clone();
        queue.iter().for_each(|&item| packing.first_fit(item));
        packing
    }

    /// Puts an item at the lowest offset at which it meets no item that lives at the same time.
    fn first_fit(&mut self, item: Item) {
        let living = self.items.iter().filter(|(other, _)| other.lives_with(&item));
        let mut taken: Vec<(u64, u64)> =
            living.map(|(other, offset)| (*offset, offset.saturating_add(other.words))).collect();
        taken.sort_unstable();
        let mut offset = 0u64;
        for (start, end) in taken {
            if offset.saturating_add(item.words) <= start {
                break;
            }
            offset = offset.max(end);
        }
        self.items.push((item, offset));
    }
}

/// Packs `group` around what is packed already.
///
/// First fit in five orders: by words, by stages, by the product of both, by the first stage, and as they come. Then each item in
/// turn is tried at the front of the queue and stays there if that helps, for so many rounds or until none does. Stops at a
/// packing that cannot be better.
fn best_packing(already: &Packing, group: &[Item], rounds: usize) -> Packing {
    let stages = |item: &Item| item.last_stage - item.first_stage;
    let area = |item: &Item| u128::from(item.words) * (u128::from(stages(item)) + 1);
    let mut queues: [Vec<Item>; 5] = std::array::from_fn(|_| group.to_vec());
    queues[0].sort_by_key(|item| (Reverse(item.words), item.first_stage, item.index));
    queues[1].sort_by_key(|item| (Reverse(stages(item)), Reverse(item.words), item.index));
    queues[2].sort_by_key(|item| (Reverse(area(item)), item.index));
    queues[3].sort_by_key(|item| (item.first_stage, Reverse(item.words), item.index));
    // Between equally small packings the one whose items lie lower: it has fewer items that stick out.
    let score = |packing: &Packing| (packing.words(), packing.sum_of_ends());
    let floor = {
        let items = already.items.iter().map(|(item, _)| *item).chain(group.iter().copied());
        most_words_alive(&items.collect::<Vec<_>>()).max(already.words())
    };

    let (mut best, mut queue) = queues
        .map(|queue| (already.with(&queue), queue))
        .into_iter()
        .min_by_key(|(packing, _)| score(packing))
        .expect("five orders");
    let mut best_score = score(&best);
    for _ in 0..rounds {
        let before = best_score;
        for position in 1..group.len() {
            if best_score.0 <= floor {
                return best;
            }
            queue[..=position].rotate_right(1);
            let packing = already.with(&queue);
            let new_score = score(&packing);
            if new_score < best_score {
                (best, best_score) = (packing, new_score);
            } else {
                queue[..=position].rotate_left(1);
            }
        }
        if best_score == before {
            break;
        }
    }
    best
}

/// The words alive in the fullest stage: no packing is smaller. A new maximum can only begin where an item begins.
fn most_words_alive(items: &[Item]) -> u64 {
    let alive_at = |stage: u32| {
        let alive = items.iter().filter(|item| item.first_stage <= stage && stage <= item.last_stage);
        alive.fold(0u64, |sum, item| sum.saturating_add(item.words))
    };
    items.iter().map(|item| alive_at(item.first_stage)).max().unwrap_or(0)
}
