//! The order of the argument block's 8-byte slots.
use crate::fields::{FIELDS, Owner, Size, owned};
use std::collections::HashMap;
use std::sync::OnceLock;

/// A slot of the argument block that no field of the table declares.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// The member's name in the kernels.
    pub name: &'static str,
    /// Its C++ type: 8 bytes.
    pub cpp: &'static str,
    /// What it is.
    pub meaning: &'static str,
}

const fn c(name: &'static str, cpp: &'static str, meaning: &'static str) -> Control {
    Control { name, cpp, meaning }
}

/// What a launch passes beside the fields.
pub const CONTROL: &[Control] = &[
    c("num_envs", "int64_t", "environments of the batch"),
    c("first_env", "int64_t", "identity of environment 0: random numbers depend on it"),
    c("substeps", "int64_t", "steps to advance"),
    c(
        "output_level",
        "int64_t",
        "0: no outputs; 1: of positions; 2: of velocities too; 3: of forces and accelerations too",
    ),
    c("opt_integrator", "int64_t", "0 Euler, 1 RK4, 3 implicitfast"),
    c("opt_disableflags", "int64_t", "MuJoCo's mjtDisableBit"),
    c("opt_iterations", "int64_t", "bound on solver iterations"),
    c("opt_ls_iterations", "int64_t", "bound on line-search iterations"),
    c("contact_capacity", "int64_t", "contacts that the workspace holds"),
    c("jacobian_capacity", "int64_t", "Jacobian entries that the workspace holds"),
    c("shared_words", "int64_t", "numbers of shared memory per environment"),
    c("global_words", "int64_t", "numbers of global memory per environment"),
    c("topology", "const int*", "all topology arrays, one after another"),
    c("values", "const real*", "all model fields that the environments share, one after another"),
    c("workspace", "real*", "global workspace of the resident teams"),
    c("fault", "uint32_t*", "fault bits of each environment"),
    c("step_count", "uint32_t*", "steps since the last reset of each environment"),
    c("mask", "const uint8_t*", "environments to run, or null for all"),
    c("retry_list", "uint32_t*", "environment and pass of each environment that did not fit"),
    c("progress", "Progress*", "what the kernels of a step tell each other"),
    c("is_retry", "int64_t", "1: run the retry list instead of the batch"),
    c("counters", "uint64_t*", "sums over the run: contacts, rows, iterations, solves, retried, not converged, steps"),
    c(
        "marks",
        "uint32_t*",
        "high-water marks: contacts, Jacobian entries, joint rows; then the ledger, where there is `news`",
    ),
    c("news", "uint32_t*", "where the host reads the marks without waiting, or null"),
    c("news_period", "int64_t", "of so many calls without retries one is told to the host"),
    c("seed", "uint64_t", "seed of the random controls"),
    c("random_step", "uint64_t", "step that the random controls belong to"),
    c("reset_qpos", "const real*", "positions to reset to"),
    c("reset_qvel", "const real*", "velocities to reset to"),
    c("reset_act", "const real*", "activations to reset to, or null: zero"),
    c("reset_ctrl", "const real*", "controls to reset to, with applied forces of zero, or null: the inputs stay"),
    c("reset_mocap_pos", "const real*", "positions of motion-capture bodies to reset to, or null: they stay"),
    c("reset_mocap_quat", "const real*", "orientations of motion-capture bodies to reset to, or null: they stay"),
    c("reset_stride", "int64_t", "0: one state for all environments; 1: one each"),
    c("stage_clocks", "uint64_t*", "clock cycles per stage, or null"),
    c("injected_contacts", "const real*", "contacts to use instead of collision (pair, dist, pos, frame), or null"),
    c("injected_count", "int64_t", "how many"),
    c("checked_arrays", "const CheckedArray*", "of a checked build: every array"),
    c("checked_count", "int64_t", "how many"),
    c("findings", "Finding*", "of a checked build: what was found, a record for each environment"),
    c("finding_count", "uint32_t*", "environments in which something was found"),
];

/// One 8-byte member of the argument block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The member's name.
    pub name: String,
    /// Its C++ type.
    pub cpp: String,
}

/// Every slot, in order.
pub fn slot_names() -> &'static [Slot] {
    static SLOTS: OnceLock<Vec<Slot>> = OnceLock::new();
    SLOTS.get_or_init(|| {
        let mut slots = Vec::new();
        let mut push = |name: String, cpp: &str| slots.push(Slot { name, cpp: cpp.into() });
        for size in Size::ALL {
            push(size.name().into(), "int64_t");
        }
        for field in owned(|o| o == Owner::Topology) {
            push(field.name.into(), "const int*");
        }
        for field in owned(|o| o == Owner::Model) {
            push(field.name.into(), "const real*");
            push(format!("{}_stride", field.name), "int64_t");
        }
        for field in FIELDS {
            match field.owner {
                Owner::State | Owner::Output => push(field.name.into(), "real*"),
                Owner::Input => push(field.name.into(), "const real*"),
                Owner::Work { .. } => push(format!("{}_offset", field.name), "int64_t"),
                Owner::Topology | Owner::Model => {}
            }
        }
        for control in CONTROL {
            push(control.name.into(), control.cpp);
        }
        slots
    })
}

/// Slots in the block.
pub fn slot_count() -> usize {
    slot_names().len()
}

/// Upper bound that the block must respect: 4096 bytes of kernel parameters on every architecture.
pub const SLOT_COUNT: usize = 512;

/// The index of the slot of that name.
///
/// # Panics
/// If there is no such slot: slot names are constants of this crate and its callers.
pub fn slot_index(name: &str) -> usize {
    static INDEX: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    let index = INDEX.get_or_init(|| slot_names().iter().enumerate().map(|(i, s)| (s.name.as_str(), i)).collect());
    *index.get(name).unwrap_or_else(|| panic!("no slot named {name}"))
}

/// The values of all slots.
#[derive(Clone, Debug)]
pub struct ArgumentBlock {
    slots: Vec<u64>,
}

impl Default for ArgumentBlock {
    fn default() -> Self {
        ArgumentBlock { slots: vec![0; slot_count()] }
    }
}

impl ArgumentBlock {
    /// Sets a pointer or count.
    pub fn set(&mut self, name: &str, value: u64) {
        self.slots[slot_index(name)] = value;
    }

    /// Sets a signed count or offset.
    pub fn set_signed(&mut self, name: &str, value: i64) {
        self.set(name, value as u64);
    }

    /// The value of a slot.
    pub fn get(&self, name: &str) -> u64 {
        self.slots[slot_index(name)]
    }

    /// Sets slots by index: what a launch does instead of looking names up.
    pub fn apply(&mut self, slots: &[(usize, u64)]) {
        slots.iter().for_each(|(index, value)| self.slots[*index] = *value);
    }

    /// Takes all values from another block, without allocating.
    pub fn copy_from(&mut self, other: &ArgumentBlock) {
        self.slots.copy_from_slice(&other.slots);
    }

    /// The block as the kernels take it.
    pub fn as_slice(&self) -> &[u64] {
        &self.slots
    }
}
