//! The slots of the argument block that describe a workspace, as (index, value) pairs that a launch copies in.
use crate::planning::JACOBIAN_ENTRY_WORDS;
use crate::view::slot_index;
use phalanx_launch_planner::{KernelPlan, Placement};

/// Offsets, strides and capacities of a kernel's workspace.
pub fn workspace_slots(kernel: &KernelPlan) -> Vec<(usize, u64)> {
    let mut slots = Vec::new();
    for array in &kernel.layout.arrays {
        slots.push((slot_index(&format!("{}_offset", array.name)), array.offset_words));
    }
    let entries = u64::from(kernel.capacity.jacobian_words) / JACOBIAN_ENTRY_WORDS;
    slots.push((slot_index("shared_words"), kernel.layout.shared_words_per_env));
    slots.push((slot_index("global_words"), kernel.layout.global_words_per_env));
    slots.push((slot_index("contact_capacity"), u64::from(kernel.capacity.contacts)));
    slots.push((slot_index("jacobian_capacity"), entries));
    slots
}

/// Whether some arrays of the kernel are in shared and some in global memory: a generic kernel cannot have both.
pub fn is_mixed(kernel: &KernelPlan) -> bool {
    let shared = kernel.placement.values().filter(|p| **p == Placement::Shared).count();
    shared > 0 && shared < kernel.placement.len()
}
