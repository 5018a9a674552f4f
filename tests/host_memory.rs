//! Reading, writing and hashing make no copy of the batch beside the caller's own: a batch that fills the host's memory
//! can still be used. The plan counts what the batch takes, and a step on the CPU allocates nothing.
//!
//! One test, since the counts are the program's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use phalanx::{DeviceChoice, Model, Options, Simulation};

/// The system's allocator, counting.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Relaxed);
        PEAK.fetch_max(NOW.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that were allocated at a time while `f` ran, beside those from before and those of its result.
fn beside<T>(f: impl FnOnce() -> T, bytes_of: impl FnOnce(&T) -> usize) -> usize {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = f();
    PEAK.load(Relaxed) - before - bytes_of(&result)
}

#[test]
fn a_batch_takes_what_was_planned_and_calls_copy_in_pieces_and_a_step_allocates_nothing() {
    /// So many that a field of the batch is several pieces long: qpos takes 12.8 MB in float.
    const ENVS: u64 = 1_600_000;
    /// What a call may take for itself: a few pieces of 4 MiB, whatever the batch.
    const FEW_PIECES: usize = 17 << 20;
    let model = Model::from_file(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/cartpole.xml")).unwrap();
    let options = Options { device: DeviceChoice::Cpu, threads: Some(1), ..Options::envs(ENVS) };
    let before = NOW.load(Relaxed);
    let mut sim = Simulation::new(&model, options).unwrap();
    let taken = (NOW.load(Relaxed) - before) as u64;
    assert!(taken <= sim.plan().memory.total + (1 << 20), "{taken} bytes, planned {}", sim.plan().memory.total);

    let few = |what: &str, bytes: usize| assert!(bytes < FEW_PIECES, "{what} took {bytes} bytes for itself");
    few("read", beside(|| sim.read("qpos").unwrap(), |numbers| 8 * numbers.len()));
    few("read in float", beside(|| sim.read_f32("qpos").unwrap(), |numbers| 4 * numbers.len()));
    few("env_hashes", beside(|| sim.env_hashes().unwrap(), |hashes| 8 * hashes.len()));
    few("state_hash", beside(|| sim.state_hash().unwrap(), |_| 0));
    few("statistics", beside(|| sim.statistics().unwrap(), |_| 0));
    few("time", beside(|| sim.read("time").unwrap(), |numbers| 8 * numbers.len()));
    let qpos: Vec<f64> = (0..2 * ENVS).map(|i| (i % 1001) as f64 / 1024.0).collect();
    few("write", beside(|| sim.write("qpos", &qpos).unwrap(), |()| 0));
    assert!(sim.read("qpos").unwrap() == qpos, "what was written in pieces is read in pieces");
    few("write for all alike", beside(|| sim.write("qpos", &[0.5, 0.25]).unwrap(), |()| 0));
    assert!(sim.read("qpos").unwrap().chunks(2).all(|row| row == [0.5, 0.25]));

    sim.step().unwrap();
    let calls = CALLS.load(Relaxed);
    sim.step_many(2).unwrap();
    assert_eq!(CALLS.load(Relaxed), calls, "allocations of a step");
}
