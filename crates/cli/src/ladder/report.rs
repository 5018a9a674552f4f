//! The rungs as a table for people and as CSV for programs.

use serde_json::{Map, Value};

use crate::ladder::climb::{Climbed, Largest};
use crate::progress::with_unit;
use crate::trial_result::{Measured, TrialResult as Rung};

/// Columns of the table: title, width.
const COLUMNS: [(&str, usize); 13] = [
    ("environments", 12),
    ("steps/s", 8),
    ("memory", 9),
    ("occupancy", 9),
    ("lanes/env", 9),
    ("envs/block", 10),
    ("at once", 8),
    ("waves", 7),
    ("retried", 9),
    ("contacts", 12),
    ("not finite", 10),
    ("not converged", 13),
    ("limited by", 14),
];

/// The table, then what ended the climb.
pub fn table(model: &str, climbed: &Climbed) -> String {
    let device = climbed.rungs.iter().find_map(|rung| rung.measured.as_ref()).map(|measured| measured.device.as_str());
    let mut lines = vec![match device {
        Some(device) => format!("{model} on {device}"),
        None => model.to_string(),
    }];
    lines.push(line(COLUMNS.map(|(title, _)| title.to_string())));
    for rung in &climbed.rungs {
        lines.push(match &rung.measured {
            Some(measured) => line(cells(rung.num_envs, measured)),
            None => format!("{:>12}  {}", rung.num_envs, rung.failed.as_deref().unwrap_or("nothing was measured")),
        });
    }
    lines.push(String::new());
    lines.push("contacts: the most of one environment, of those that the fast workspace holds".to_string());
    lines.push(format!("ended: {}", climbed.ended));
    lines.push(largest(climbed.largest));
    lines.join("\n") + "\n"
}

/// The largest number of environments, and how far it is to be believed.
fn largest(largest: Option<Largest>) -> String {
    match largest {
        None => "largest number of environments: none".to_string(),
        Some(Largest { num_envs, run: true, is_edge: true }) => {
            format!("largest number of environments: {num_envs}, planned and run")
        }
        Some(Largest { num_envs, run: true, is_edge: false }) => {
            format!("largest number of environments that was run: {num_envs}; more may fit")
        }
        Some(Largest { num_envs, run: false, .. }) => {
            format!("largest number of environments: {num_envs} by the plan, not run")
        }
    }
}

fn line(cells: [String; COLUMNS.len()]) -> String {
    let last = COLUMNS.len() - 1;
    let padded =
        cells.iter().zip(COLUMNS).enumerate().map(|(i, (cell, (_, width)))| {
            if i == last { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
}

fn cells(num_envs: u64, measured: &Measured) -> [String; COLUMNS.len()] {
    [
        num_envs.to_string(),
        with_unit(measured.env_steps_per_second),
        bytes(measured.memory_bytes),
        format!("{} %", measured.occupancy_percent),
        measured.lanes_per_env.to_string(),
        measured.envs_per_block.to_string(),
        measured.resident_envs.to_string(),
        measured.waves.to_string(),
        measured.retried.to_string(),
        format!("{} of {}", measured.most_contacts, measured.contact_capacity),
        measured.not_finite.to_string(),
        measured.not_converged.to_string(),
        measured.limiter.to_string(),
    ]
}

/// "950 B", "12.3 MB".
fn bytes(bytes: u64) -> String {
    let text = with_unit(bytes as f64);
    if text.contains(' ') { text + "B" } else { text + " B" }
}

/// One line for every rung, with every number; text that is not a number is quoted.
pub fn csv(climbed: &Climbed) -> String {
    let rows: Vec<Map<String, Value>> = climbed.rungs.iter().map(row).collect();
    // A measured rung has all columns, in the order of the struct; a failed one the first two.
    let columns: Vec<&str> =
        rows.iter().max_by_key(|row| row.len()).into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let mut text = columns.join(",") + "\n";
    for row in &rows {
        let cells = columns.iter().map(|column| row.get(*column).map_or(String::new(), cell));
        text += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

fn row(rung: &Rung) -> Map<String, Value> {
    match serde_json::to_value(rung) {
        Ok(Value::Object(row)) => row,
        _ => Map::new(),
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => format!("\"{}\"", text.replace('"', "\"\"").replace('\n', " ")),
        number => number.to_string(),
    }
}
