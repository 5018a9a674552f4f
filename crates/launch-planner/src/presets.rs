//! The limits of well-known devices, to plan for a device that is not at hand.
//!
//! Sources: the table "Technical Specifications per Compute Capability" of NVIDIA's CUDA C++ Programming Guide 13 for
//! everything per multiprocessor, block and thread; `cuda_occupancy.h` for the allocation units; NVIDIA's architecture
//! whitepapers and datasheets for multiprocessors, cache and memory. Memory is a little less than the datasheet's: about
//! what the driver reports after the firmware and error correction took theirs. Context sizes are estimates.

use crate::DeviceLimits;

const KIB: u32 = 1024;
const MIB: u64 = 1024 * 1024;

/// What follows from the compute capability alone.
struct Architecture {
    compute_capability: (u32, u32),
    threads: u32,
    blocks: u32,
    /// KiB of shared memory of a multiprocessor.
    shared: u32,
    /// KiB of shared memory that a block may opt in to.
    shared_optin: u32,
    reserved: u32,
    shared_unit: u32,
}

#[rustfmt::skip]
mod architectures {
    use super::Architecture;
    pub const TURING:       Architecture = Architecture { compute_capability: (7, 5),  threads: 1024, blocks: 16, shared: 64,  shared_optin: 64,  reserved: 0,    shared_unit: 256 };
    pub const AMPERE_A100:  Architecture = Architecture { compute_capability: (8, 0),  threads: 2048, blocks: 32, shared: 164, shared_optin: 163, reserved: 1024, shared_unit: 128 };
    pub const AMPERE:       Architecture = Architecture { compute_capability: (8, 6),  threads: 1536, blocks: 16, shared: 100, shared_optin: 99,  reserved: 1024, shared_unit: 128 };
    pub const AMPERE_ORIN:  Architecture = Architecture { compute_capability: (8, 7),  threads: 1536, blocks: 16, shared: 164, shared_optin: 163, reserved: 1024, shared_unit: 128 };
    pub const ADA:          Architecture = Architecture { compute_capability: (8, 9),  threads: 1536, blocks: 24, shared: 100, shared_optin: 99,  reserved: 1024, shared_unit: 128 };
    pub const HOPPER:       Architecture = Architecture { compute_capability: (9, 0),  threads: 2048, blocks: 32, shared: 228, shared_optin: 227, reserved: 1024, shared_unit: 128 };
    pub const BLACKWELL:    Architecture = Architecture { compute_capability: (12, 0), threads: 1536, blocks: 24, shared: 100, shared_optin: 99,  reserved: 1024, shared_unit: 128 };
}

struct Preset {
    key: &'static str,
    name: &'static str,
    architecture: Architecture,
    multiprocessors: u32,
    memory_mib: u64,
    context_mib: u64,
    l2_mib: u64,
}

#[rustfmt::skip]
const PRESETS: [Preset; 9] = {
    use architectures::*;
    [
        Preset { key: "rtx3060",     name: "NVIDIA GeForce RTX 3060", architecture: AMPERE,      multiprocessors: 28,  memory_mib: 12_036,  context_mib: 300, l2_mib: 3 },
        Preset { key: "rtx4090",     name: "NVIDIA GeForce RTX 4090", architecture: ADA,         multiprocessors: 128, memory_mib: 24_210,  context_mib: 400, l2_mib: 72 },
        Preset { key: "rtx5090",     name: "NVIDIA GeForce RTX 5090", architecture: BLACKWELL,   multiprocessors: 170, memory_mib: 32_100,  context_mib: 500, l2_mib: 96 },
        Preset { key: "a100",        name: "NVIDIA A100-SXM4-80GB",   architecture: AMPERE_A100, multiprocessors: 108, memory_mib: 81_150,  context_mib: 450, l2_mib: 40 },
        Preset { key: "h100",        name: "NVIDIA H100 80GB HBM3",   architecture: HOPPER,      multiprocessors: 132, memory_mib: 81_000,  context_mib: 550, l2_mib: 50 },
        Preset { key: "h200",        name: "NVIDIA H200",             architecture: HOPPER,      multiprocessors: 132, memory_mib: 143_000, context_mib: 550, l2_mib: 50 },
        Preset { key: "l40s",        name: "NVIDIA L40S",             architecture: ADA,         multiprocessors: 142, memory_mib: 45_400,  context_mib: 400, l2_mib: 96 },
        Preset { key: "t4",          name: "NVIDIA T4",               architecture: TURING,      multiprocessors: 40,  memory_mib: 15_000,  context_mib: 200, l2_mib: 4 },
        Preset { key: "jetson-orin", name: "NVIDIA Jetson AGX Orin",  architecture: AMPERE_ORIN, multiprocessors: 16,  memory_mib: 62_000,  context_mib: 200, l2_mib: 4 },
    ]
};

/// The presets' names, in the order of the table.
const NAMES: [&str; PRESETS.len()] = {
    let mut names = [""; PRESETS.len()];
    let mut i = 0;
    while i < PRESETS.len() {
        names[i] = PRESETS[i].key;
        i += 1;
    }
    names
};

impl DeviceLimits {
    /// The limits of a well-known device; `None` for a name that is not in [`DeviceLimits::preset_names`].
    pub fn preset(name: &str) -> Option<Self> {
        PRESETS.iter().find(|preset| preset.key == name).map(Preset::limits)
    }

    /// The names that [`DeviceLimits::preset`] knows.
    pub fn preset_names() -> &'static [&'static str] {
        &NAMES
    }
}

impl Preset {
    fn limits(&self) -> DeviceLimits {
        let architecture = &self.architecture;
        DeviceLimits {
            name: self.name.to_string(),
            compute_capability: architecture.compute_capability,
            multiprocessor_count: self.multiprocessors,
            // The rows below without a field in the table are the same for all these architectures.
            warp_size: 32,
            max_threads_per_block: 1024,
            max_threads_per_multiprocessor: architecture.threads,
            max_blocks_per_multiprocessor: architecture.blocks,
            shared_memory_per_block: 48 * KIB,
            shared_memory_per_block_optin: architecture.shared_optin * KIB,
            shared_memory_per_multiprocessor: architecture.shared * KIB,
            reserved_shared_memory_per_block: architecture.reserved,
            shared_memory_allocation_unit: architecture.shared_unit,
            registers_per_block: 64 * KIB,
            registers_per_multiprocessor: 64 * KIB,
            register_allocation_unit: 256,
            max_registers_per_thread: 255,
            max_grid_dim_x: i32::MAX as u32,
            total_global_memory: self.memory_mib * MIB,
            context_bytes: self.context_mib * MIB,
            l2_cache_bytes: self.l2_mib * MIB,
        }
    }
}
