//! How long a step takes under a mapping, in arbitrary units: good enough to rank mappings, nothing else.
//!
//! Fitted to measurements on an H200: a probe (humanoid, nv 27, and ant, nv 14; team sizes 1 to 32; shared and global workspaces;
//! 1024 to 262144 environments), and team sizes and placements of half cheetah, ant, Go1, humanoid, G1 and three humanoids.
//! Whole numbers, so that every machine that plans gets the same plan.

/// A mapping, as the cost model sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    pub nv: u32,
    pub lanes: u32,
    pub num_envs: u64,
    pub multiprocessors: u32,
    /// Sixteenths of environments that a team steps one after the other, at least 16: teams that are done take the next
    /// environment, so that the last wave is shared.
    pub sixteenths: u64,
    /// Warps of the grid on the busiest multiprocessor.
    pub warps_per_multiprocessor: u64,
    /// The share of workspace accesses that go to global memory, in thousandths.
    pub global_traffic: u64,
}

/// The larger of two times: that of the busiest warp, and that of the memory that all of them share.
pub(crate) fn cost(mapping: &Mapping) -> u128 {
    latency_bound(mapping).max(bandwidth_bound(mapping))
}

/// Every warp works through its waves, slowed by the other warps of its multiprocessor and by global memory.
fn latency_bound(mapping: &Mapping) -> u128 {
    // Measured: 1.2 to 1.3 times as long if every access goes to global memory (G1, ant), nothing to be seen for the
    // contacts' Jacobian alone (G1, Go1).
    let memory = 10_000 + 3 * u128::from(mapping.global_traffic);
    // Measured: 1.3 times as long if the matrix is not in registers. They have room for two columns a lane.
    let factorisation = if mapping.lanes > 2 && 2 * mapping.lanes >= mapping.nv.min(48) { 10 } else { 13 };
    one_wave(mapping.nv, mapping.lanes)
        .saturating_mul(turns_time(mapping.sixteenths, mapping.warps_per_multiprocessor))
        .saturating_mul(memory)
        .saturating_mul(factorisation)
}

/// How long turns take beside other warps of their multiprocessor. Measured on an H200: with 16 warps per multiprocessor a wave
/// takes about 1.2 times as long as with 8 or 10 (three humanoids, G1), with 24 hardly fewer environments are stepped than
/// could be (humanoid: 4 % more than with 16).
pub(crate) fn turns_time(sixteenths: u64, warps_per_multiprocessor: u64) -> u128 {
    let warps = u128::from(warps_per_multiprocessor).min(64);
    u128::from(sixteenths).saturating_mul(800 + warps * warps)
}

/// Environments that a team steps one after the other, in sixteenths, at least 16.
pub(crate) fn sixteenths(num_envs: u64, resident_envs: u64) -> u64 {
    num_envs.saturating_mul(16).div_ceil(resident_envs).max(16)
}

/// Traffic to global memory is bounded however many warps wait for it: with all arrays there, every team size of the
/// probe ended between 15 and 19 million humanoid steps per second, and between 60 and 80 million ant steps.
fn bandwidth_bound(mapping: &Mapping) -> u128 {
    let envs = u128::from(mapping.num_envs.div_ceil(u64::from(mapping.multiprocessors)));
    // In the units above, so that a kernel with all arrays in global memory is just bound by it.
    one_wave(mapping.nv, 1)
        .saturating_mul(envs)
        .saturating_mul(16 * 400)
        .saturating_mul(u128::from(mapping.global_traffic))
}

/// Every dof's work takes a turn of the lanes, and a little is shared by more lanes than there are dofs. Measured on an H200 with
/// 16 warps per multiprocessor, microseconds a wave: half cheetah, nv 9, 97 with 8 lanes and 67 with 16; ant, nv 14, 182 with 8,
/// 87 with 16 and 72 with 32; Go1, nv 18, 140 with 16 and 71 with 32.
fn one_wave(nv: u32, lanes: u32) -> u128 {
    let (nv, lanes) = (u128::from(nv).max(1), u128::from(lanes));
    nv * (100 * nv.div_ceil(lanes) + 320 / lanes)
}
