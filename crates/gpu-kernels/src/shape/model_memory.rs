//! Where the model's topology and values lie in memory, and how much of that a block of a specialised kernel keeps in its shared
//! memory.
//!
//! Both are rows of arrays, each from a multiple of four words on, so that a kernel reads and copies four words at once. What is
//! read most comes first: a block's copy is the beginning of both.
use super::Shape;
use crate::fields::{Field, Owner, owned};
use crate::view::BlockCopy;

/// Words of which an array's place is a multiple.
const ALIGNED_WORDS: u64 = 4;

/// One array's place, in words from the start of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelArray {
    /// The field.
    pub name: &'static str,
    /// Its first word.
    pub first: u64,
    /// One past the last word that is its own.
    pub end: u64,
}

impl Shape {
    /// The topology arrays in the order in which they lie; a word is an integer. The collision table, the longest and read only
    /// once a step, comes last.
    pub fn topology_memory(&self) -> Vec<ModelArray> {
        let (last, first): (Vec<&Field>, Vec<&Field>) =
            owned(|o| o == Owner::Topology).partition(|f| is_collision_table(f.name));
        one_after_another(first.into_iter().chain(last).map(|f| (f.name, self.topology[f.name].len() as u64)))
    }

    /// The model fields in the order in which they lie; a word is a number.
    pub fn value_memory(&self) -> Vec<ModelArray> {
        one_after_another(owned(|o| o == Owner::Model).map(|f| (f.name, self.values[f.name].len() as u64)))
    }

    /// What fits into `most` words of every block: all of the topology but the collision table, or nothing at all, then as many
    /// of the values as there is room for.
    pub fn block_copy(&self, most: u64) -> BlockCopy {
        let topology = self.topology_memory();
        let wanted = topology.iter().filter(|a| !is_collision_table(a.name));
        let topology = wanted.map(aligned_end).max().unwrap_or(0);
        let Some(room) = most.checked_sub(topology) else { return BlockCopy::default() };
        let values = self.value_memory().iter().map(aligned_end).take_while(|end| *end <= room).last().unwrap_or(0);
        BlockCopy { topology, values }
    }
}

fn is_collision_table(name: &str) -> bool {
    name.starts_with("collision_")
}

fn aligned_end(array: &ModelArray) -> u64 {
    array.end.next_multiple_of(ALIGNED_WORDS)
}

fn one_after_another(arrays: impl Iterator<Item = (&'static str, u64)>) -> Vec<ModelArray> {
    let mut next = 0;
    let place = |(name, words): (&'static str, u64)| {
        let array = ModelArray { name, first: next, end: next + words };
        next = aligned_end(&array);
        array
    };
    arrays.map(place).collect()
}
