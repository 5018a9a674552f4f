//! What a compiled kernel takes from the device: registers, local memory, static shared memory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The team sizes a kernel can be compiled for, in lanes per environment.
pub const TEAM_SIZES: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Registers per thread of a kernel compiled for four warps on each of an SM's four schedulers:
/// 65536 registers / (16 warps * 32 lanes). More warps were never faster in the probe, fewer registers spill.
const LAUNCH_BOUND_REGISTERS: u32 = 128;

/// Threads per block that such a kernel allows: 65536 / 128.
const LAUNCH_BOUND_THREADS: u32 = 512;

/// Code of a model's own kernel, bytes, at most by what was compiled so far. `tests/kernel_budget.rs` of the kernels holds that
/// no estimate here is less than what they take.
const CODE_BYTES: u64 = 256 * 1024;

/// Code of what is done between steps, bytes, at most.
const CODE_BYTES_BETWEEN_STEPS: u64 = 128 * 1024;

/// Local memory of a model's own kernel, bytes per thread, at most.
const LOCAL_BYTES: u32 = 1024;

/// What one compiled kernel takes from the device, by the names of `cuFuncGetAttribute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelAttributes {
    /// Registers per thread.
    pub registers_per_thread: u32,
    /// Local memory (spills and arrays), bytes per thread.
    pub local_bytes_per_thread: u32,
    /// Shared memory known at compile time, bytes per block.
    pub static_shared_bytes: u32,
    /// Threads of a block that the kernel can be launched with.
    pub max_threads_per_block: u32,
    /// True if no compiler has seen the kernel yet.
    pub estimated: bool,
    /// Bytes of machine code.
    pub code_bytes: u64,
}

/// The attributes of both kernels of a model.
///
/// The step kernel is another kernel for every team size, so its attributes are a map: a team size that is not in the
/// map is not a candidate. Before anything is compiled use [`KernelNeeds::estimate`]; once the chosen team size is
/// compiled, [`KernelNeeds::compiled`] plans again with what the compiler said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelNeeds {
    /// The step kernel, by lanes per environment.
    pub fast: BTreeMap<u32, KernelAttributes>,
    /// The retry kernel, of 32 lanes per environment; its local memory and code are those of all kernels but the step kernel.
    pub retry: KernelAttributes,
}

impl KernelAttributes {
    /// The attributes to expect of a step kernel before a compiler has seen it: every kernel so far filled its launch bound.
    /// Compiled for fewer registers it was slower on an H200 (humanoid with 96 instead of 128: 24.0 instead of 27.3 million
    /// steps per second, 80: 22.2; half cheetah and ant likewise).
    pub fn estimate() -> Self {
        KernelAttributes {
            registers_per_thread: LAUNCH_BOUND_REGISTERS,
            local_bytes_per_thread: LOCAL_BYTES,
            static_shared_bytes: 0,
            max_threads_per_block: LAUNCH_BOUND_THREADS,
            estimated: true,
            code_bytes: CODE_BYTES,
        }
    }
}

impl KernelNeeds {
    /// Estimates for every team size: nothing is compiled yet. Memory is rather too much than too little, so that a batch that
    /// fits by the estimate fits once its kernels are compiled.
    pub fn estimate() -> Self {
        let retry =
            KernelAttributes { code_bytes: CODE_BYTES + CODE_BYTES_BETWEEN_STEPS, ..KernelAttributes::estimate() };
        KernelNeeds::same_for_all(KernelAttributes::estimate(), retry)
    }

    /// One compiled step kernel of `lanes` lanes per environment: the only team size that is a candidate.
    pub fn compiled(lanes: u32, fast: KernelAttributes, retry: KernelAttributes) -> Self {
        KernelNeeds { fast: BTreeMap::from([(lanes, fast)]), retry }
    }

    /// The same attributes for every team size.
    pub fn same_for_all(fast: KernelAttributes, retry: KernelAttributes) -> Self {
        KernelNeeds { fast: TEAM_SIZES.iter().map(|&lanes| (lanes, fast)).collect(), retry }
    }
}
