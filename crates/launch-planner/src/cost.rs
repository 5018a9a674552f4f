//! How long a step takes under a mapping, in arbitrary units: good enough to rank mappings, nothing else.
//!
//! Fitted to the H200 probe (humanoid, nv 27, and ant, nv 14; team sizes 1 to 32; shared and global workspaces; 1024 to
//! 262144 environments). It puts the measured best first in each of them. Whole numbers, so that every machine that plans
//! gets the same plan.

/// A mapping, as the cost model sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    pub nv: u32,
    pub lanes: u32,
    pub num_envs: u64,
    pub multiprocessors: u32,
    /// Environments that the busiest team steps one after the other.
    pub waves: u64,
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
    // Measured: a wave takes 1.1 to 1.6 times as long with 17 to 24 warps per multiprocessor as with 4. The low end ranks
    // team sizes best.
    let neighbours = 96 + u128::from(mapping.warps_per_multiprocessor);
    // Measured: 1.6 to 1.8 times as long if every access goes to global memory.
    let memory = 10_000 + 7 * felt_traffic(mapping);
    // Measured: 1.3 times as long if a lane does not hold its own matrix row in registers.
    let factorisation = if mapping.lanes >= mapping.nv.min(32) { 10 } else { 13 };
    one_wave(mapping.nv, mapping.lanes)
        .saturating_mul(u128::from(mapping.waves))
        .saturating_mul(neighbours)
        .saturating_mul(memory)
        .saturating_mul(factorisation)
}

/// Traffic to global memory is bounded however many warps wait for it: with all arrays there, every team size of the
/// probe ended between 15 and 19 million humanoid steps per second, and between 60 and 80 million ant steps.
fn bandwidth_bound(mapping: &Mapping) -> u128 {
    let envs = u128::from(mapping.num_envs.div_ceil(u64::from(mapping.multiprocessors)));
    one_wave(mapping.nv, 1).saturating_mul(envs).saturating_mul(175 * felt_traffic(mapping)) // 1.75 if all is global, in the units above
}

/// The share of global traffic that is felt. Only none and all were measured; a warp waits for each access in its chain
/// of work, so any traffic at all is taken to cost most of what all of it would.
fn felt_traffic(mapping: &Mapping) -> u128 {
    match u128::from(mapping.global_traffic) {
        0 => 0,
        thousandths => 700 + 3 * thousandths / 10,
    }
}

/// A chain of work that no lane can shorten, in proportion to nv, and the matrix work nv^3 that up to nv lanes share.
/// Nothing smaller than the ant was measured, so smaller models are ranked as the ant is.
fn one_wave(nv: u32, lanes: u32) -> u128 {
    const ANT: u128 = 14;
    let nv = u128::from(nv).max(ANT);
    86 * nv + nv * nv * nv / u128::from(lanes).min(nv)
}
