//! docs/launch-planning.md as a test reads it: its text, its sentences and its table, and numbers as it writes them.

use std::collections::BTreeMap;
use std::path::Path;

pub mod humanoids;

/// The text of docs/launch-planning.md.
pub fn text() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/launch-planning.md");
    std::fs::read_to_string(page).unwrap()
}

/// The rows of the worked example's first table: name, T4, H200.
pub fn table(page: &str) -> BTreeMap<String, [String; 2]> {
    let example = page.split("\n## By hand").nth(1).expect("the page has the example");
    let first_table =
        example.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let lines = first_table.filter(|line| line.starts_with("| "));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().replace(',', "")).collect::<Vec<_>>();
    lines.map(cells).map(|cells| (cells[1].clone(), [cells[2].clone(), cells[3].clone()])).collect()
}

/// The page has this sentence, wherever its lines break.
#[track_caller]
pub fn says(sentence: &str) {
    let page = text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(sentence), "docs/launch-planning.md does not say: {sentence}");
}

/// A quotient to the nearest tenth.
pub fn tenths(dividend: u64, divisor: u64) -> String {
    let tenths = (10 * dividend + divisor / 2) / divisor;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// A quotient to the nearest hundredth.
pub fn hundredths(dividend: u64, divisor: u64) -> String {
    let hundredths = (100 * dividend + divisor / 2) / divisor;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A number as the page writes it: commas from five digits on.
pub fn grouped(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        _ => with_commas(number),
    }
}

fn with_commas(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", with_commas(number / 1000), number % 1000),
    }
}
