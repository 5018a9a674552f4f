//! Occupancy against CUDA's calculator, worked by hand, and against what the H200 did in the probe.

mod models;

use models::preset;
use phalanx_launch_planner::{Limiter, occupancy};

/// Device, threads per block, registers per thread, shared bytes; blocks per multiprocessor and what limits them.
#[track_caller]
fn check(device: &str, block: (u32, u32, u64), expected: (u32, Limiter)) {
    let occupancy = occupancy(&preset(device), block.0, block.1, block.2);
    assert_eq!((occupancy.blocks_per_sm, occupancy.limiter), expected, "{device} {block:?}");
}

#[test]
fn occupancy_follows_cudas_calculator() {
    // 128 registers: 4096 per warp, 16384 / 4096 = 4 warps per partition, 16 warps, 2 warps a block.
    check("h200", (64, 128, 0), (8, Limiter::Registers));
    // 40 registers: 1280 per warp, 16384 / 1280 = 12 per partition, 48 warps; 32 blocks come first.
    check("h200", (32, 40, 0), (32, Limiter::Blocks));
    check("h200", (1024, 32, 0), (2, Limiter::Threads));
    // 33 registers round up to 40: 1280 * 32 warps = 40960 per block, 48 warps hold one block.
    check("h200", (1024, 33, 0), (1, Limiter::Registers));
    // 65 registers round up to 72: 2304 * 32 = 73728 registers are more than a block may have.
    check("h200", (1024, 65, 0), (0, Limiter::Registers));
    // 48 kB + 1 kB reserved: 228 / 49 = 4.65.
    check("h200", (128, 32, 48 * 1024), (4, Limiter::SharedMemory));
    check("h200", (128, 32, 227 * 1024), (1, Limiter::SharedMemory));
    check("h200", (128, 32, 227 * 1024 + 1), (0, Limiter::SharedMemory));
    // 100 kB hold two blocks of 49 kB + 1 kB, and not of a byte more.
    check("rtx4090", (128, 32, 49 * 1024), (2, Limiter::SharedMemory));
    check("rtx4090", (128, 32, 49 * 1024 + 1), (1, Limiter::SharedMemory));
    check("rtx4090", (64, 32, 0), (24, Limiter::Threads)); // 48 warps / 2, as many as blocks
    check("rtx3060", (32, 32, 0), (16, Limiter::Blocks));
    // Turing reserves nothing: 64 kB are 4 blocks of 16 kB; a byte more rounds up to 16640, 3 blocks.
    check("t4", (64, 32, 16 * 1024), (4, Limiter::SharedMemory));
    check("t4", (64, 32, 16 * 1024 + 1), (3, Limiter::SharedMemory));
    check("t4", (2048, 32, 0), (0, Limiter::Threads));
    check("h200", (32, 256, 0), (0, Limiter::Registers));
}

#[test]
fn occupancy_is_what_the_h200_gave_the_probe() {
    // Threads, registers and shared bytes of rows of fused_step_probe_h200.csv, and the blocks the driver reported.
    check("h200", (32, 96, 12544), (17, Limiter::SharedMemory));
    check("h200", (32, 113, 24960), (8, Limiter::SharedMemory));
    check("h200", (32, 112, 49792), (4, Limiter::SharedMemory));
    check("h200", (32, 117, 100480), (2, Limiter::SharedMemory));
    check("h200", (32, 127, 225864), (1, Limiter::SharedMemory));
    check("h200", (32, 96, 9216), (20, Limiter::Registers));
    check("h200", (64, 80, 17664), (12, Limiter::Registers));
    check("h200", (32, 72, 4480), (28, Limiter::Registers));
    check("h200", (128, 86, 0), (5, Limiter::Registers));
    check("h200", (64, 118, 0), (8, Limiter::Registers));
}
