//! Writes the C++ headers `Arguments`, `Model` and `Env` from the field table.
use super::slots::slot_names;
use crate::fields::{Dim, Element, FIELDS, Field, Owner, STAGES, Size, owned};
use std::collections::BTreeMap;
use std::fmt::Write;

const NOTICE: &str = "// Generated from the field table by `cargo xtask generate`; do not edit.\n";

/// How many words of the topology and of the values every block of a specialised kernel copies into shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockCopy {
    /// From the start of the topology.
    pub topology: u64,
    /// From the start of the values.
    pub values: u64,
}

impl BlockCopy {
    /// Words of shared memory.
    pub fn words(self) -> u64 {
        self.topology + self.values
    }
}

/// What a specialised header holds as constants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baked {
    /// Every size.
    pub sizes: BTreeMap<&'static str, i64>,
    /// Every topology array.
    pub topology: BTreeMap<&'static str, Vec<i32>>,
    /// `opt_integrator` and `opt_disableflags`.
    pub options: BTreeMap<&'static str, i64>,
    /// Workspace arrays: whether they live in shared memory and, where it cannot move with the capacity, their offset.
    pub work: BTreeMap<&'static str, (bool, Option<i64>)>,
    /// What every block copies into its shared memory.
    pub copy: BlockCopy,
    /// Where the arrays of that copy lie in it, in words.
    pub copied: BTreeMap<&'static str, u64>,
}

/// The header that reads everything from the argument block.
pub fn generic_header() -> String {
    header(None)
}

/// The header of one model's shape: sizes, topology and the placement of fixed arrays are constants.
pub fn specialised_header(baked: &Baked) -> String {
    header(Some(baked))
}

fn header(baked: Option<&Baked>) -> String {
    let mut out = String::new();
    out.push_str(match baked {
        None => "// The model and the workspace as the kernels see them, read from the argument block at run time.\n",
        Some(_) => "// The model and the workspace as the kernels see them; sizes and topology are constants.\n",
    });
    out.push_str(NOTICE);
    out.push_str("#pragma once\n#include \"view/elements.h\"\n\n");
    let _ = writeln!(out, "#define PHALANX_SPECIALISED {}\n", i32::from(baked.is_some()));
    arguments(&mut out);
    stages(&mut out);
    array_numbers(&mut out);
    if let Some(baked) = baked {
        tables(&mut out, baked);
        out.push_str("PHALANX_SHARED_ARRAY(phalanx_shared)\n\n");
    }
    model(&mut out, baked);
    env(&mut out, baked);
    out
}

fn arguments(out: &mut String) {
    out.push_str("/// What a launch passes: 8-byte slots only.\nstruct Arguments {\n");
    for slot in slot_names() {
        let _ = writeln!(out, "  {} {};", slot.cpp, slot.name);
    }
    out.push_str("};\n\n");
}

/// The stages, which clocks and checked builds know by their numbers.
fn stages(out: &mut String) {
    out.push_str("/// The stages of a step in the order in which they run, and what recomputes edited model fields.\nenum Stage {\n");
    for stage in STAGES.iter().chain(["set_constants"].iter()) {
        let _ = writeln!(out, "  stage_{stage},");
    }
    out.push_str("};\n\n");
}

/// The numbers by which a checked build knows the fields.
fn array_numbers(out: &mut String) {
    out.push_str("/// Fields by their number in the table.\nenum Array {\n");
    for field in FIELDS {
        let _ = writeln!(out, "  array_{},", field.name);
    }
    out.push_str("};\n\n");
}

/// An index as the generic header has it, which a checked build looks at: in the environment that `environment` names.
fn index(field: &Field, environment: &str, baked: Option<&Baked>) -> String {
    if baked.is_some() { "i".into() } else { format!("CHECKED({}, {environment}, i)", field.name) }
}

fn tables(out: &mut String, baked: &Baked) {
    out.push_str("namespace table {\n");
    for field in owned(|o| o == Owner::Topology) {
        let values = baked.topology.get(field.name).map_or(&[][..], |v| v);
        let text = values.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
        let text = if values.is_empty() { "0".into() } else { text };
        // Whole words: a narrower load needs another instruction to widen it.
        let _ = writeln!(out, "constexpr int {}[] = {{{text}}};", field.name);
    }
    blocks(out, baked);
    out.push_str("}  // namespace table\n\n");
}

/// For each dof the sets of dofs above it and below it, and for each body the chain that moves it, as words of bits: all dofs
/// in one block, or where they are too many a block for each tree. Then the runs of a block's dofs that are on one body.
fn blocks(out: &mut String, baked: &Baked) {
    let list = |name: &str| baked.topology.get(name).map_or(&[][..], |v| v);
    let size = |name: &str| baked.sizes.get(name).copied().unwrap_or(0);
    let (parents, last_dofs, bodies) = (list("dof_parentid"), list("body_lastdof"), list("dof_bodyid"));
    let by_tree = size("tree_lower") > 0 || size("pivot_words") == 0;
    let _ = writeln!(out, "constexpr bool blocks_are_trees = {by_tree};");
    let block = |dof: usize| if by_tree { list("tree_dofadr")[list("dof_treeid")[dof] as usize] as usize } else { 0 };
    let longest = if by_tree { size("tree_dof_max") as usize } else { parents.len() };
    let words = longest.div_ceil(32).max(1);
    let mut above = vec![vec![0u32; words]; parents.len()];
    let mut below = above.clone();
    let mark = |bits: &mut Vec<u32>, dof: usize| bits[(dof - block(dof)) / 32] |= 1 << ((dof - block(dof)) % 32);
    for dof in 0..parents.len() {
        let mut next = parents[dof];
        while let Ok(ancestor) = usize::try_from(next) {
            mark(&mut above[dof], ancestor);
            mark(&mut below[ancestor], dof);
            next = parents[ancestor];
        }
    }
    let chain = |last: &i32| {
        let mut bits = vec![0u32; words];
        if let Ok(last) = usize::try_from(*last) {
            bits.clone_from(&above[last]);
            mark(&mut bits, last);
        }
        bits
    };
    let moving: Vec<Vec<u32>> = last_dofs.iter().map(chain).collect();
    for (name, rows) in [("dof_ancestors", &above), ("dof_descendants", &below), ("body_chain", &moving)] {
        let row =
            |bits: &Vec<u32>| format!("{{{}}}", bits.iter().map(|b| format!("{b}u")).collect::<Vec<_>>().join(", "));
        let rows =
            if rows.is_empty() { "{0u}".to_owned() } else { rows.iter().map(row).collect::<Vec<_>>().join(", ") };
        let _ = writeln!(out, "constexpr uint32_t {name}[][{words}] = {{{rows}}};");
    }
    // A run ends where any block goes on to another body, or ends.
    let ends_at = |place: usize| {
        (0..parents.len()).any(|dof| dof > 0 && dof - block(dof) == place && bodies[dof] != bodies[dof - 1])
            || (by_tree && list("tree_dofnum").iter().any(|count| *count as usize == place))
    };
    let starts: Vec<usize> = (0..longest).filter(|place| *place == 0 || ends_at(*place)).collect();
    let lengths = starts.iter().zip(starts.iter().skip(1).chain([&longest])).map(|(start, end)| end - start);
    let text = |values: Vec<usize>| {
        if values.is_empty() {
            "0".to_owned()
        } else {
            values.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
        }
    };
    let _ = writeln!(out, "constexpr int run_count = {};", starts.len());
    let _ = writeln!(out, "constexpr int run_length[] = {{{}}};", text(lengths.collect()));
    let _ = writeln!(out, "constexpr int run_first[] = {{{}}};", text(starts));
}

fn model(out: &mut String, baked: Option<&Baked>) {
    out.push_str("/// The model as one environment sees it.\nstruct Model {\n");
    out.push_str("  const Arguments* arguments;\n  int env;\n");
    let copy = baked.map_or_else(BlockCopy::default, |b| b.copy);
    out.push_str("  // Words of topology and values that every block keeps in shared memory, before its workspaces.\n");
    let _ =
        writeln!(out, "  static constexpr int copied_topology = {}, copied_values = {};", copy.topology, copy.values);
    for size in Size::ALL {
        match baked {
            None => {
                let _ = writeln!(out, "  int {};", size.name());
            }
            Some(b) => {
                let _ =
                    writeln!(out, "  static constexpr Constant<{1}> {0} = {{}};", size.name(), b.sizes[size.name()]);
            }
        }
    }
    for option in ["opt_integrator", "opt_disableflags"] {
        match baked {
            None => {
                let _ = writeln!(out, "  int {option};");
            }
            Some(b) => {
                let _ = writeln!(out, "  static constexpr int {option} = {};", b.options[option]);
            }
        }
    }
    out.push_str("  INLINE Model(const Arguments& a, int64_t environment) : arguments(&a), env((int)environment)");
    if baked.is_none() {
        for size in Size::ALL {
            let _ = write!(out, ",\n    {0}((int)a.{0})", size.name());
        }
        out.push_str(",\n    opt_integrator((int)a.opt_integrator), opt_disableflags((int)a.opt_disableflags)");
    }
    out.push_str(" {}\n");
    for field in owned(|o| o == Owner::Topology) {
        let name = field.name;
        let from = match baked {
            Some(Baked { copied, .. }) if copied.contains_key(name) => {
                format!("((const int*)phalanx_shared + {})", copied[name])
            }
            Some(_) => format!("table::{name}"),
            None => format!("arguments->{name}"),
        };
        let index = index(field, "env", baked);
        let _ = writeln!(out, "  INLINE int {name}(int i) const {{ return {from}[{index}]; }}");
    }
    for field in owned(|o| o == Owner::Model) {
        model_value(out, field, baked);
    }
    out.push_str("};\n\n");
}

fn model_value(out: &mut String, field: &Field, baked: Option<&Baked>) {
    let (name, cpp) = (field.name, field.element.cpp());
    let single = field.dims.iter().all(|d| *d == Dim::Fixed(1));
    let (parameter, index) = if single { ("", "0".into()) } else { ("int i", index(field, "env", baked)) };
    let from = match baked.and_then(|b| b.copied.get(name)) {
        Some(first) => format!("phalanx_shared + {first}"),
        None => format!("arguments->{name} + wide_product(env, (int)arguments->{name}_stride)"),
    };
    let _ = writeln!(out, "  INLINE {cpp} {name}({parameter}) const {{ return ((const {cpp}*)({from}))[{index}]; }}");
}

/// An element of the environment's own row.
fn row(out: &mut String, field: &Field, baked: Option<&Baked>) {
    let count = |dim: &Dim| match (dim, baked) {
        (Dim::Of(size), None) => format!("arguments->{}", size.name()),
        (Dim::Of(size), Some(baked)) => baked.sizes[size.name()].to_string(),
        (Dim::Fixed(n), _) => n.to_string(),
        (Dim::Contacts | Dim::JacobianEntries, _) => unreachable!("rows have no capacity"),
    };
    let length = field.dims.iter().map(count).collect::<Vec<_>>().join(" * ");
    let length = if field.dims.len() == 1 { length } else { format!("({length})") };
    let constant = if field.owner == Owner::Input { "const " } else { "" };
    let (name, cpp, index) = (field.name, field.element.cpp(), index(field, "index", baked));
    let pointer = if field.element == Element::Real {
        format!("arguments->{name}")
    } else {
        format!("(({cpp}*)arguments->{name})")
    };
    let _ = writeln!(
        out,
        "  INLINE {constant}{cpp}& {name}(int i) const {{ return {pointer}[this->index * {length} + {index}]; }}"
    );
}

fn env(out: &mut String, baked: Option<&Baked>) {
    out.push_str("/// One environment's workspace and the team's own counts.\nstruct Env : EnvState {\n");
    // A specialised kernel names the shared array itself, so that the compiler knows which memory it is. A generic kernel's
    // arrays are all in one memory, so that a place is one addition.
    out.push_str("  const Arguments* arguments;\n  int first_shared;\n  real* global;\n  real* base;\n");
    for field in owned(|o| matches!(o, Owner::State | Owner::Input | Owner::Output)) {
        row(out, field, baked);
    }
    for field in owned(|o| matches!(o, Owner::Work { .. })) {
        let (name, cpp) = (field.name, field.element.cpp());
        let words = field.element.words();
        let base = match baked.and_then(|b| b.work.get(name)) {
            None => format!("base + (int)arguments->{name}_offset"),
            Some((true, Some(offset))) => format!("phalanx_shared + (first_shared + {offset})"),
            Some((false, Some(offset))) => format!("global + {offset}"),
            Some((true, None)) => format!("phalanx_shared + (first_shared + (int)arguments->{name}_offset)"),
            Some((false, None)) => format!("global + (int)arguments->{name}_offset"),
        };
        let scale = if words == 1 { String::new() } else { format!("{words} * ") };
        let value = if field.element == Element::Real {
            format!("({base})[{}]", index(field, "index", baked))
        } else {
            format!("*({cpp}*)(({base}) + {scale}{})", index(field, "index", baked))
        };
        let _ = writeln!(out, "  INLINE {cpp}& {name}(int i) const {{ return {value}; }}");
    }
    out.push_str("};\n");
}
