//! How many blocks of a kernel one multiprocessor holds, by the rules of CUDA's occupancy calculator.

use serde::{Deserialize, Serialize};

use crate::{DeviceLimits, Limiter};

/// How many blocks of a kernel one multiprocessor holds, and what keeps it from holding more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Occupancy {
    /// Blocks that one multiprocessor holds at a time; 0 if the block cannot be launched.
    pub blocks_per_sm: u32,
    /// What keeps it from holding more.
    pub limiter: Limiter,
}

/// The occupancy of a block of `threads_per_block` threads that use `registers_per_thread` registers each and
/// `shared_bytes` of static and dynamic shared memory together.
///
/// Source: `cuda_occupancy.h` of the CUDA toolkit, for compute capability 7.5 and later.
pub fn occupancy(
    device: &DeviceLimits,
    threads_per_block: u32,
    registers_per_thread: u32,
    shared_bytes: u64,
) -> Occupancy {
    let warps = u64::from(threads_per_block.div_ceil(device.warp_size)).max(1);
    let limits = [
        (Limiter::Threads, blocks_by_threads(device, threads_per_block, warps)),
        (Limiter::Registers, blocks_by_registers(device, registers_per_thread, warps)),
        (Limiter::SharedMemory, blocks_by_shared_memory(device, shared_bytes)),
        (Limiter::Blocks, u64::from(device.max_blocks_per_multiprocessor)),
    ];
    // `min_by_key` keeps the first of equals, so ties name the limit that is listed first.
    let (limiter, blocks) = limits.into_iter().min_by_key(|&(_, blocks)| blocks).expect("four limits");
    Occupancy { blocks_per_sm: u32::try_from(blocks).unwrap_or(u32::MAX), limiter }
}

fn blocks_by_threads(device: &DeviceLimits, threads_per_block: u32, warps: u64) -> u64 {
    if threads_per_block > device.max_threads_per_block {
        return 0;
    }
    u64::from(device.max_threads_per_multiprocessor / device.warp_size) / warps
}

/// A warp's registers come from one of the multiprocessor's four partitions, in whole allocation units.
fn blocks_by_registers(device: &DeviceLimits, registers_per_thread: u32, warps: u64) -> u64 {
    const PARTITIONS: u64 = 4;
    if registers_per_thread > device.max_registers_per_thread {
        return 0;
    }
    let unit = u64::from(device.register_allocation_unit);
    let per_warp = (u64::from(registers_per_thread.max(1)) * u64::from(device.warp_size)).next_multiple_of(unit);
    // A block's warps are spread over the partitions, so a block takes as much as a multiple of four warps.
    if per_warp * warps.next_multiple_of(PARTITIONS) > u64::from(device.registers_per_block) {
        return 0;
    }
    let warps_per_partition = u64::from(device.registers_per_multiprocessor) / PARTITIONS / per_warp;
    warps_per_partition * PARTITIONS / warps
}

fn blocks_by_shared_memory(device: &DeviceLimits, shared_bytes: u64) -> u64 {
    if shared_bytes > u64::from(device.shared_memory_per_block_optin) {
        return 0;
    }
    let unit = u64::from(device.shared_memory_allocation_unit);
    let per_block = (shared_bytes + u64::from(device.reserved_shared_memory_per_block)).next_multiple_of(unit);
    match per_block {
        0 => u64::MAX,
        _ => u64::from(device.shared_memory_per_multiprocessor) / per_block,
    }
}
