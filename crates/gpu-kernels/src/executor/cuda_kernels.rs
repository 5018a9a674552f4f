//! Which CUDA kernels a model needs, and their sources.
use crate::compile::SAME_BITS_OPTIONS;
use crate::shape::Shape;
use crate::sources::{SOURCES, source};
use crate::view::specialised_header;
use phalanx_launch_planner::{KernelPlan, Placement};

/// The header that a specialised kernel replaces.
const VIEW: &str = "generated/view.h";

/// Threads of a multiprocessor for which registers are kept below 128 each.
const THREADS_FOR_128_REGISTERS: u32 = 512;

/// What NVRTC is asked to compile.
#[derive(Clone, Debug)]
pub struct KernelRequest {
    /// The program's name in messages.
    pub name: String,
    /// The text.
    pub source: &'static str,
    /// Every header.
    pub headers: Vec<(String, String)>,
    /// Options beside the architecture.
    pub options: Vec<String>,
}

impl KernelRequest {
    /// The same kernel as a checked build: see `kernels/platform/checked.h`. It has a name and a place in the cache of its own.
    #[must_use]
    pub fn checked(mut self) -> KernelRequest {
        self.name = format!("checked_{}", self.name);
        self.options.push("-DPHALANX_CHECKED".to_owned());
        self
    }
}

/// The request for what is done between steps, for every model: `kernel` is the generic one.
pub fn between_steps_request(kernel: &KernelPlan) -> KernelRequest {
    let source = source("entry_between_steps.cu");
    KernelRequest { name: "between_steps.cu".to_owned(), source, ..kernel_request(kernel, None) }
}

/// The request for a kernel: specialised for `shape` in the memory layout of `kernel`, or generic for `None`.
///
/// # Panics
/// If a generic kernel is asked for with arrays in both memories: see [`is_mixed`](super::is_mixed).
pub fn kernel_request(kernel: &KernelPlan, shape: Option<&Shape>) -> KernelRequest {
    assert!(shape.is_some() || !super::is_mixed(kernel), "a generic kernel has its arrays in one memory");
    let view = shape.map(|shape| {
        let mut baked = shape.baked();
        let arrays = crate::planning::work_arrays(shape);
        for array in &kernel.layout.arrays {
            let shared = array.placement == Placement::Shared;
            let moves = arrays.iter().any(|a| a.name == array.name && a.depends_on_capacity());
            let name = crate::fields::find(&array.name).map_or("", |f| f.name);
            baked.work.insert(name, (shared, (!moves).then_some(array.offset_words as i64)));
        }
        let copy = shape.block_copy(kernel.model_words_per_block);
        let (topology, values) = (shape.topology_memory(), shape.value_memory());
        let topology = topology.iter().filter(|a| a.end <= copy.topology).map(|a| (a.name, a.first));
        let shared = values.iter().filter(|a| a.end <= copy.values && !shape.per_env.contains(a.name));
        baked.copied = topology.chain(shared.map(|a| (a.name, copy.topology + a.first))).collect();
        baked.copy = copy;
        specialised_header(&baked)
    });
    let headers = SOURCES.iter().filter(|(name, _)| name.ends_with(".h")).map(|(name, text)| {
        let text = if *name == VIEW { view.clone().unwrap_or_else(|| (*text).to_owned()) } else { (*text).to_owned() };
        ((*name).to_owned(), text)
    });
    let mut options: Vec<String> = SAME_BITS_OPTIONS.iter().map(|o| (*o).to_owned()).collect();
    let threads = kernel.threads_per_block.max(1);
    let blocks = (THREADS_FOR_128_REGISTERS / threads).max(1);
    // Costs neither code nor time, and profilers can name the line.
    options.push("-lineinfo".to_owned());
    options.push(format!("-DPHALANX_LANES={}", kernel.lanes_per_env));
    options.push(format!("-DPHALANX_MAX_THREADS={threads}"));
    options.push(format!("-DPHALANX_MIN_BLOCKS={blocks}"));
    let name = shape.map_or("generic.cu".to_owned(), |s| {
        format!("{}.cu", s.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
    });
    KernelRequest { name, source: source("entry_step.cu"), headers: headers.collect(), options }
}
