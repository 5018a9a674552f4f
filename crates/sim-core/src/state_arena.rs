//! The memory of a batch: one arena for state and inputs, one for the model's values, and what is allocated on request.
use crate::SimError;
use crate::pieces::Source;
use phalanx_gpu_kernels::executor::{COUNTER_BANKS, COUNTERS, Executor, Memory, PROGRESS_WORDS};
use phalanx_gpu_kernels::fields::{FIELDS, Field, Owner, owned};
use phalanx_gpu_kernels::planning::reset_row_words;
use phalanx_gpu_kernels::shape::Shape;
use phalanx_gpu_kernels::view::ArgumentBlock;
use std::collections::BTreeMap;

/// Bytes behind tables and values, so that element 0 of an empty one can be read: a checked build turns a wrong index into 0.
const SPARE: usize = 64;

/// Every field of the arena starts on its own lines.
const ALIGNMENT: u64 = 256;

/// Where a field lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Bytes from the start of its memory.
    pub(crate) offset: u64,
}

/// All memory of a batch, and the argument block that points into it.
pub(crate) struct StateArena {
    pub(crate) arena: Memory,
    pub(crate) places: BTreeMap<&'static str, Place>,
    /// Bytes of the arena's leading part that is state: what a snapshot keeps.
    pub(crate) state_bytes: u64,
    /// Held for the kernels, which read it through the argument block.
    _topology: Memory,
    pub(crate) values: Memory,
    /// Offsets in `values` of the fields that all environments share.
    pub(crate) shared_values: BTreeMap<&'static str, u64>,
    /// Outputs, rarely used inputs and per-environment model fields, allocated on request.
    pub(crate) extra: BTreeMap<&'static str, Memory>,
    /// What the last reset was to, and its bytes: at first for what all environments are reset to alike.
    pub(crate) reset_rows: (Memory, usize),
    /// Fault bits, step counts, mask, retry list, counters, marks, clocks.
    pub(crate) control: Memory,
    pub(crate) control_offsets: BTreeMap<&'static str, u64>,
    pub(crate) arguments: ArgumentBlock,
}

/// Numbers of a field per environment.
pub(crate) fn width(shape: &Shape, field: &Field) -> usize {
    field.fixed_words(|s| shape.size(s))
}

/// Inputs that few users write: their memory is taken when they are first written.
pub(crate) fn is_on_request(field: &Field) -> bool {
    matches!(field.owner, Owner::Output) || ["qfrc_applied", "xfrc_applied"].contains(&field.name)
}

impl StateArena {
    pub(crate) fn new(
        executor: &dyn Executor,
        shape: &Shape,
        num_envs: u64,
        stages: usize,
    ) -> Result<StateArena, SimError> {
        let real = executor.real_bytes() as u64;
        let mut places = BTreeMap::new();
        let mut end = 0u64;
        let mut state_bytes = 0;
        for owner in [Owner::State, Owner::Input] {
            for field in owned(move |o| o == owner).filter(|f| !is_on_request(f)) {
                let width = width(shape, field);
                places.insert(field.name, Place { offset: end });
                end = (end + num_envs * width as u64 * real).next_multiple_of(ALIGNMENT);
            }
            if owner == Owner::State {
                state_bytes = end;
            }
        }
        let arena = executor.allocate(end as usize, "the state of all environments")?;
        let (topology, topology_offsets) = topology(executor, shape)?;
        let (values, shared_values) = values(executor, shape, real)?;
        let sizes = [
            ("fault", 4 * num_envs),
            ("step_count", 4 * num_envs),
            ("mask", num_envs),
            ("retry_list", 8 * num_envs),
            ("progress", 4 * PROGRESS_WORDS),
            ("marks", 16),
            ("counters", (8 * COUNTER_BANKS * COUNTERS) as u64),
            ("stage_clocks", 8 * stages as u64),
        ];
        let mut control_offsets = BTreeMap::new();
        let mut control_end = 0u64;
        for (name, bytes) in sizes {
            control_offsets.insert(name, control_end);
            control_end = (control_end + bytes).next_multiple_of(ALIGNMENT);
        }
        let control = executor.allocate(control_end as usize, "faults and counters")?;
        let reset_bytes = reset_row_words(shape) * real as usize;
        let reset_rows = executor.allocate(reset_bytes, "the state to reset to")?;
        let mut arguments = ArgumentBlock::default();
        shape.sizes.iter().for_each(|(name, n)| arguments.set_signed(name, *n));
        arguments.set("topology", topology.address());
        arguments.set("values", values.address());
        topology_offsets.iter().for_each(|(name, offset)| arguments.set(name, topology.address() + offset));
        shared_values.iter().for_each(|(name, offset)| arguments.set(name, values.address() + offset));
        places.iter().for_each(|(name, place)| arguments.set(name, arena.address() + place.offset));
        for name in ["fault", "step_count", "retry_list", "progress", "marks", "counters"] {
            arguments.set(name, control.address() + control_offsets[name]);
        }
        Ok(StateArena {
            arena,
            places,
            state_bytes,
            _topology: topology,
            values,
            shared_values,
            extra: BTreeMap::new(),
            reset_rows: (reset_rows, reset_bytes),
            control,
            control_offsets,
            arguments,
        })
    }

    /// Takes memory for a field that is allocated on request, and points the block at it.
    pub(crate) fn request(
        &mut self,
        executor: &dyn Executor,
        shape: &Shape,
        name: &str,
        num_envs: u64,
    ) -> Result<(), SimError> {
        let Some(field) = FIELDS.iter().find(|f| f.name == name) else { return Ok(()) };
        if self.extra.contains_key(field.name) {
            return Ok(());
        }
        let bytes = num_envs as usize * width(shape, field) * executor.real_bytes();
        let memory = executor.allocate(bytes, field.name)?;
        self.arguments.set(field.name, memory.address());
        self.extra.insert(field.name, memory);
        Ok(())
    }

    /// Integers of the control memory.
    pub(crate) fn control(&self, name: &str, bytes: usize) -> Source<'_> {
        Source { memory: Some(&self.control), offset: self.control_offsets[name] as usize, bytes }
    }

    /// Reads integers of the control memory at once.
    pub(crate) fn read_control(&self, name: &str, bytes: usize) -> Result<Vec<u8>, SimError> {
        let mut out = vec![0u8; bytes];
        self.control(name, bytes).read(0, &mut out)?;
        Ok(out)
    }
}

type Offsets = BTreeMap<&'static str, u64>;

/// Numbers as bytes in the build's precision.
pub(crate) fn to_bytes(values: &[f64], real_bytes: usize) -> Vec<u8> {
    if real_bytes == 8 {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    } else {
        values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect()
    }
}

/// Bytes in the build's precision as numbers.
pub(crate) fn from_bytes(bytes: &[u8], real_bytes: usize) -> impl Iterator<Item = f64> + '_ {
    let number = |b: &[u8]| match *b {
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => f64::from_le_bytes(b.try_into().unwrap_or([0; 8])),
    };
    bytes.chunks_exact(real_bytes).map(number)
}

/// Bytes as words of 32 bits.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn topology(executor: &dyn Executor, shape: &Shape) -> Result<(Memory, Offsets), SimError> {
    let mut bytes = Vec::new();
    let mut offsets = Offsets::new();
    for array in shape.topology_memory() {
        let first = 4 * array.first;
        bytes.resize(first as usize, 0);
        shape.topology[array.name].iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        offsets.insert(array.name, first);
    }
    bytes.resize(bytes.len() + SPARE, 0);
    upload(executor, &bytes, "the model's topology").map(|memory| (memory, offsets))
}

fn values(executor: &dyn Executor, shape: &Shape, real: u64) -> Result<(Memory, Offsets), SimError> {
    let mut bytes = Vec::new();
    let mut offsets = Offsets::new();
    for array in shape.value_memory() {
        let first = real * array.first;
        bytes.resize(first as usize, 0);
        bytes.extend(to_bytes(&shape.values[array.name], real as usize));
        offsets.insert(array.name, first);
    }
    bytes.resize(bytes.len() + SPARE, 0);
    upload(executor, &bytes, "the model's values").map(|memory| (memory, offsets))
}

/// Whole groups of 16 bytes, which kernels copy at once.
fn upload(executor: &dyn Executor, bytes: &[u8], what: &str) -> Result<Memory, SimError> {
    let mut memory = executor.allocate(bytes.len().next_multiple_of(16), what)?;
    memory.write(0, bytes)?;
    Ok(memory)
}
