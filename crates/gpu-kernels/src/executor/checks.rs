//! What a checked build of the kernels is given to check with, and what it found.
//!
//! Each kernel gets a table of all arrays of the field table with the lengths that were really reserved, not those that the
//! argument block claims. A finding is kept for each environment; the first environment's is told. A batch in which something
//! was found stays refused: its states are not to be trusted.
use super::{ExecutorError, Memory};
use crate::fields::{Element, FIELDS, Field, Owner, STAGES};
use crate::planning::work_arrays;
use crate::shape::Shape;
use crate::view::slot_index;
use phalanx_launch_planner::{KernelPlan, LaunchPlan, WorkArray};
use std::fmt;

/// Kernels of a plan.
const KERNELS: u64 = 2;

/// Bytes that the checks of a batch take on its device.
pub(super) fn bytes_of_checks(num_envs: u64) -> u64 {
    bytes_of_findings(num_envs) + KERNELS * size_of::<[[i32; 8]; FIELDS.len()]>() as u64
}

fn bytes_of_findings(num_envs: u64) -> u64 {
    num_envs.saturating_add(1).saturating_mul(size_of::<Record>() as u64)
}

/// The plan's kernels, for [`Checks::slots`].
pub(super) const STEP: usize = 0;
pub(super) const RETRY: usize = 1;

/// Numbers behind a workspace, so that element 0 of an empty array can be read.
pub(super) const SPARE_WORDS: usize = 16;

/// `CheckedPlace` of `kernels/platform/checked.h`.
const PLACE_TABLE: i32 = 0;
const PLACE_WORKSPACE: i32 = 1;
const PLACE_ROW: i32 = 2;
const PLACE_MODEL: i32 = 3;

/// `FindingKind` there.
const FOUND_INDEX: u32 = 1;
const FOUND_NOT_FINITE: u32 = 2;

/// The workspace arrays that loading writes in full.
const LOADED: [&str; 3] = ["q", "v", "warmstart"];

/// `CheckedArray` there.
struct CheckedArray {
    length: i32,
    words: i32,
    numbers: i32,
    slot: i32,
    place: i32,
    first_stage: i32,
    last_stage: i32,
    is_whole: i32,
}

/// `Finding` there: kind, stage, array, index, word, length, step, value.
type Record = [u32; 8];

/// What is wrong with an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wrong {
    /// An index that the array has not.
    Index {
        /// The index.
        index: i32,
        /// Elements of the array.
        length: i32,
    },
    /// A number that is NaN or infinite.
    NotFinite {
        /// The element.
        index: i32,
        /// Which of the element's numbers, where it has several.
        word: Option<i32>,
        /// The number.
        value: f32,
    },
}

/// The first thing that the checked kernels found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The environment, the lowest in which something was found.
    pub environment: u64,
    /// In how many environments something was found.
    pub environments: u32,
    /// The stage; `None` outside of all stages.
    pub stage: Option<&'static str>,
    /// Steps of the environment since its last reset.
    pub step: u32,
    /// The array, by its name in the field table.
    pub array: &'static str,
    /// What is wrong with it.
    pub wrong: Wrong,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Finding { environment, environments, step, array, .. } = self;
        let stage = self.stage.map_or("outside of the stages".into(), |stage| format!("stage {stage}"));
        let others = if *environments == 1 { String::new() } else { format!(" (first of {environments})") };
        write!(f, "checked kernels: {stage}, environment {environment}{others}, step {step}: ")?;
        match self.wrong {
            Wrong::Index { index, length } => write!(f, "index {index} of {array}, which holds {length}"),
            Wrong::NotFinite { index, word: None, value } => write!(f, "{array}[{index}] is {value}"),
            Wrong::NotFinite { index, word: Some(word), value } => write!(f, "{array}[{index}][{word}] is {value}"),
        }?;
        f.write_str("; ")?;
        f.write_str(self.advice())
    }
}

impl Finding {
    fn advice(&self) -> &'static str {
        let owner = crate::fields::find(self.array).map(|field| field.owner);
        match (self.wrong, owner) {
            (Wrong::Index { .. }, _) => "a bug of Phalanx: please report it with this line, the model and the command",
            (_, Some(Owner::Input)) => {
                "the controls or forces that were given are not finite: look at what computes them"
            }
            (_, Some(Owner::State)) => "the state that was given is not finite: reset this environment",
            (_, Some(Owner::Model)) => {
                "a model field is not finite: look at what was written to it, or to what it is derived from"
            }
            _ => {
                "what the stages before it wrote is finite: look at the state, masses and gains of this environment, or report it"
            }
        }
    }
}

/// Memory of the checks of one batch.
#[derive(Debug)]
pub struct Checks {
    /// A record for each environment, and the number of them before.
    records: Memory,
    /// One table for each kernel, in the plan's order.
    tables: Vec<Memory>,
    num_envs: u64,
}

impl Checks {
    /// Reserves records for the batch of a plan and a table for each of its kernels.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn new(
        shape: &Shape,
        plan: &LaunchPlan,
        allocate: impl Fn(usize, &str) -> Result<Memory, ExecutorError>,
    ) -> Result<Checks, ExecutorError> {
        let arrays = work_arrays(shape);
        let table = |kernel: &KernelPlan| {
            let rows: Vec<[i32; 8]> =
                FIELDS.iter().map(|f| checked_array(f, shape, &arrays, kernel).as_words()).collect();
            let bytes: &[u8] = bytemuck::cast_slice(&rows);
            let mut memory = allocate(bytes.len(), "the table of arrays that the checked kernels go by")?;
            memory.write(0, bytes)?;
            Ok::<_, ExecutorError>(memory)
        };
        let tables = plan.kernels.iter().map(table).collect::<Result<_, _>>()?;
        let records = allocate(bytes_of_findings(plan.num_envs) as usize, "what the checked kernels find")?;
        Ok(Checks { records, tables, num_envs: plan.num_envs })
    }

    /// What the argument block needs for kernel number `kernel` of the plan, as (index, value).
    pub fn slots(&self, kernel: usize) -> [(usize, u64); 4] {
        let records = self.records.address();
        [
            (slot_index("checked_arrays"), self.tables[kernel].address()),
            (slot_index("checked_count"), FIELDS.len() as u64),
            (slot_index("findings"), records + size_of::<Record>() as u64),
            (slot_index("finding_count"), records),
        ]
    }

    /// Waits for what was launched and refuses a batch in which something was found.
    ///
    /// # Errors
    /// What was found, or that the records cannot be read.
    pub fn judge(&self) -> Result<(), ExecutorError> {
        let mut count = [0; 4];
        self.records.read(0, &mut count)?;
        let environments = u32::from_le_bytes(count);
        if environments == 0 {
            return Ok(());
        }
        let mut records = vec![[0; 8]; self.num_envs as usize + 1];
        self.records.read(0, bytemuck::cast_slice_mut(&mut records))?;
        // The first record is the number.
        let first = records.iter().skip(1).zip(0..).find(|(record, _)| record[0] != 0);
        let finding = first.and_then(|(record, env)| Finding::of(record, env, environments));
        Err(finding.map_or(ExecutorError::LostFinding { environments }, ExecutorError::Checked))
    }
}

impl Finding {
    /// What a record says; `None` if it says nothing that this program knows.
    fn of(record: &Record, environment: u64, environments: u32) -> Option<Finding> {
        let [kind, stage, array, index, word, length, step, value] = *record;
        let field = FIELDS.get(array as usize)?;
        let (index, word, length) = (index as i32, word as i32, length as i32);
        let wrong = match kind {
            FOUND_NOT_FINITE => Wrong::NotFinite {
                index,
                word: (field.element.words() > 1).then_some(word),
                value: f32::from_bits(value),
            },
            FOUND_INDEX => Wrong::Index { index, length },
            _ => return None,
        };
        let stage = (stage as usize).checked_sub(1);
        let stage = stage.map(|stage| STAGES.get(stage).copied().unwrap_or("set_constants"));
        Some(Finding { environment, environments, stage, step, array: field.name, wrong })
    }
}

impl CheckedArray {
    fn as_words(&self) -> [i32; 8] {
        let CheckedArray { length, words, numbers, slot, place, first_stage, last_stage, is_whole } = *self;
        [length, words, numbers, slot, place, first_stage, last_stage, is_whole]
    }
}

/// A field as the kernel's checks know it.
fn checked_array(field: &Field, shape: &Shape, arrays: &[WorkArray], kernel: &KernelPlan) -> CheckedArray {
    let words = field.element.words() as i32;
    let numbers = match field.element {
        Element::Int => 0,
        Element::JacobianEntry => 3, // the fourth is the dof
        _ => words,
    };
    let row = CheckedArray {
        length: (field.fixed_words(|s| shape.size(s)) / field.element.words()) as i32,
        words,
        numbers,
        slot: slot_index(&match field.owner {
            Owner::Work { .. } => format!("{}_offset", field.name),
            _ => field.name.to_owned(),
        }) as i32,
        place: PLACE_ROW,
        first_stage: 0,
        last_stage: 0,
        is_whole: 1,
    };
    match field.owner {
        Owner::State | Owner::Input => row,
        Owner::Output => CheckedArray { numbers: 0, ..row },
        Owner::Topology => {
            let length = shape.topology.get(field.name).map_or(0, Vec::len) as i32;
            CheckedArray { length, place: PLACE_TABLE, numbers: 0, ..row }
        }
        Owner::Model => {
            let length = shape.values.get(field.name).map_or(0, Vec::len) as i32 / words;
            CheckedArray { length, place: PLACE_MODEL, ..row }
        }
        Owner::Work { .. } => {
            let placed = kernel.layout.arrays.iter().find(|a| a.name == field.name);
            let (first, last) =
                arrays.iter().find(|a| a.name == field.name).map_or((1, 0), |a| (a.first_stage, a.last_stage));
            CheckedArray {
                length: placed.map_or(0, |a| a.words as i32) / words,
                place: PLACE_WORKSPACE,
                first_stage: first as i32,
                last_stage: last as i32,
                is_whole: i32::from(LOADED.contains(&field.name)),
                ..row
            }
        }
    }
}
