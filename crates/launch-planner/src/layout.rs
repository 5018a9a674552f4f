//! Where each workspace array lies inside a team's workspace.

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

/// Packs arrays so that arrays that live at the same time never share a word.
pub fn layout(arrays: &[WorkArray], capacity: Capacity, place: impl Fn(&str) -> Placement) -> WorkspaceLayout {
    let _ = (arrays, capacity, place);
    todo!()
}

/// The stride to use instead of `words`.
pub fn bank_stride(words: u64, lanes: u32) -> u64 {
    let _ = lanes;
    words
}
