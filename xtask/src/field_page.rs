//! Writes `docs/fields.md`, the page of all fields, from the field table.
use std::fmt::Write;

use crate::fields::{FIELDS, Field, Owner, STAGES, Size};

const INTRODUCTION: &str = "\
<!-- Generated from the field table by `cargo xtask generate`; do not edit. -->

# Fields

Every array of the simulator: name, shape, unit, meaning. Names are MuJoCo's for what MuJoCo names. The table is
`crates/gpu-kernels/src/fields/table.rs`; buffers, the kernels' view and this page come from it.

`env` is the number of environments; the other sizes are listed at the end. Units are SI, angles are radians,
quaternions are w, x, y, z, matrices are by rows. `m | rad` is metres for what slides and radians for what turns.
";

/// A group of fields with one owner: heading, introduction, which owner.
type Group = (&'static str, &'static str, fn(Owner) -> bool);

/// What users see.
const VISIBLE: &[Group] = &[
    (
        "State",
        "What is saved and restored. Read and written at any time. `time`, in seconds, is read and written like a field too.",
        |owner| owner == Owner::State,
    ),
    ("Inputs", "What is written before a step. Zero until then.", |owner| owner == Owner::Input),
    (
        "Outputs",
        "What a step computes on the way. Written only when asked for with `request`, and current then after every step, \
         reset and forward pass.",
        |owner| owner == Owner::Output,
    ),
    (
        "Model fields",
        "Numbers of the model: one value for all environments, or one for each where `Options::per_env` names the field.",
        |owner| owner == Owner::Model,
    ),
];

/// The page.
pub fn field_page() -> String {
    let mut page = String::from(INTRODUCTION);
    for (heading, text, of_group) in VISIBLE {
        let _ = write!(page, "\n## {heading}\n\n{text}\n\n");
        table(&mut page, &["name", "shape", "unit", "meaning"], FIELDS.iter().filter(|f| of_group(f.owner)).map(row));
    }
    page.push_str(
        "\n# Inside\n\n\
         What users do not see: the working memory of a team. An array lives from the first to the last stage named; arrays\n\
         that are not alive together share memory.\n\n",
    );
    table(&mut page, &["name", "shape", "stages", "meaning"], FIELDS.iter().filter_map(work_row));
    page.push_str("\n# Sizes\n\n");
    table(&mut page, &["name", "number of"], Size::ALL.iter().map(|s| vec![code(s.name()), s.meaning().into()]));
    page
}

fn row(field: &Field) -> Vec<String> {
    vec![code(field.name), field.shape(), field.unit.replace('|', "\\|"), field.meaning.into()]
}

fn work_row(field: &Field) -> Option<Vec<String>> {
    let Owner::Work { first, last } = field.owner else { return None };
    let stages =
        if first == last { STAGES[first].to_owned() } else { format!("{} to {}", STAGES[first], STAGES[last]) };
    // One for each team that works now, whatever the number of environments.
    let shape = field.shape().replacen("env, ", "", 1);
    Some(vec![code(field.name), shape, stages, field.meaning.into()])
}

fn code(name: &str) -> String {
    format!("`{name}`")
}

fn table(page: &mut String, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(page, "| {} |\n|{}", heads.join(" | "), "---|".repeat(heads.len()));
    for row in rows {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_that_users_or_stages_see_is_on_the_page_once() {
        let page = field_page();
        for field in FIELDS.iter().filter(|f| f.owner != Owner::Topology) {
            let start = format!("\n| `{}` |", field.name);
            assert_eq!(page.matches(&start).count(), 1, "{}", field.name);
        }
    }

    #[test]
    fn a_bar_in_a_unit_does_not_split_the_cell() {
        assert!(field_page().contains("| `qpos` | (env, nq) | m \\| rad | generalized position |"));
    }
}
