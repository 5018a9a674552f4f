//! Compares the plans of two devices, row by row.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::explain::{bytes, environments};
use crate::{LaunchPlan, Placement};

/// Two plans, row by row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The models, which are mostly the same.
    pub models: [String; 2],
    /// The devices.
    pub devices: [String; 2],
    /// Environments of either batch.
    pub num_envs: [u64; 2],
    /// What there is to compare, in groups.
    pub rows: Vec<ComparedRow>,
}

/// One row of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedRow {
    /// "device", "step", "retry" or "memory".
    pub group: String,
    /// What is compared.
    pub name: String,
    /// It on either device, for people.
    pub values: [String; 2],
    /// The second in percent of the first, if they are numbers and the first is not 0.
    pub percent: Option<u64>,
}

/// A value on one device: its text, and its number if it has one.
type Value = (String, Option<u64>);

impl Comparison {
    /// Compares two plans.
    pub fn of(first: &LaunchPlan, second: &LaunchPlan) -> Self {
        let plans = [first, second];
        let rows = rows(first).into_iter().zip(rows(second));
        let rows = rows.map(|((group, name, (one, of)), (_, _, (other, number)))| ComparedRow {
            group: group.to_string(),
            name: name.to_string(),
            values: [one, other],
            percent: of.zip(number).and_then(|(of, number)| number.saturating_mul(100).checked_div(of)),
        });
        Comparison {
            models: plans.map(|plan| plan.model.clone()),
            devices: plans.map(|plan| plan.device.name.clone()),
            num_envs: plans.map(|plan| plan.num_envs),
            rows: rows.collect(),
        }
    }
}

/// The rows of one plan. Both plans have the same rows in the same order.
fn rows(plan: &LaunchPlan) -> Vec<(&'static str, &'static str, Value)> {
    let (device, step, retry, memory) = (&plan.device, plan.step(), plan.retry(), &plan.memory);
    let count = |number: u64| (number.to_string(), Some(number));
    let small = |number: u32| count(u64::from(number));
    let size = |number: u64| (bytes(number.into()), Some(number));
    let text = |text: String| (text, None);
    let global = step.layout.arrays.iter().filter(|array| array.placement == Placement::Global && array.words > 0);
    let shared =
        |kernel: &crate::KernelPlan| u64::from(kernel.static_shared_bytes) + u64::from(kernel.dynamic_shared_bytes);
    vec![
        ("device", "multiprocessors", small(device.multiprocessor_count)),
        ("device", "shared bytes of a multiprocessor", small(device.shared_memory_per_multiprocessor)),
        ("device", "registers of a multiprocessor", small(device.registers_per_multiprocessor)),
        ("device", "threads of a multiprocessor", small(device.max_threads_per_multiprocessor)),
        ("device", "memory", size(device.total_global_memory)),
        ("step", "lanes per environment", small(step.lanes_per_env)),
        ("step", "environments per block", small(step.envs_per_block)),
        ("step", "threads per block", small(step.threads_per_block)),
        ("step", "shared bytes per block", count(shared(step))),
        ("step", "registers per thread", small(step.registers_per_thread)),
        ("step", "blocks per multiprocessor", small(step.blocks_per_sm)),
        ("step", "blocks of the grid", small(step.grid_blocks)),
        ("step", "occupancy in percent", small(plan.occupancy_percent())),
        ("step", "environments at once", count(step.resident_envs)),
        ("step", "waves", count(step.waves)),
        ("step", "limited by", text(step.limiter.to_string())),
        ("step", "arrays in global memory", count(global.count() as u64)),
        ("step", "shared bytes per environment", count(step.layout.shared_words_per_env * 4)),
        ("step", "global bytes per environment", count(step.layout.global_words_per_env * 4)),
        ("retry", "environments at once", count(retry.resident_envs)),
        ("retry", "limited by", text(retry.limiter.to_string())),
        ("memory", "state", size(memory.state)),
        ("memory", "inputs", size(memory.inputs)),
        ("memory", "outputs", size(memory.outputs)),
        ("memory", "model", size(memory.model)),
        ("memory", "workspace", size(memory.workspace)),
        ("memory", "retry", size(memory.retry)),
        ("memory", "context", size(memory.hidden.context)),
        ("memory", "local memory", size(memory.hidden.local_memory)),
        ("memory", "code", size(memory.hidden.code)),
        ("memory", "reserve", size(memory.hidden.reserve)),
        ("memory", "total", size(memory.total)),
        ("memory", "largest number of environments", count(plan.max_num_envs)),
    ]
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.devices;
        writeln!(f, "{} of {}", environments(self.num_envs[0]), self.models[0])?;
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row.values[column].len());
            cells.chain([self.devices[column].len()]).max().unwrap_or(0)
        };
        let (one, other) = (width(0), width(1));
        let names = self.rows.iter().map(|row| row.name.len() + 2).max().unwrap_or(0);
        let mut group = "";
        for row in &self.rows {
            if row.group != group {
                let (left, right) = if group.is_empty() { (first.as_str(), second.as_str()) } else { ("", "") };
                group = &row.group;
                writeln!(f)?;
                writeln!(f, "{}", format!("{group:<names$}  {left:>one$}  {right:>other$}").trim_end())?;
            }
            let [left, right] = &row.values;
            let name = format!("  {}", row.name);
            let difference = match row.percent {
                _ if left == right => String::new(),
                Some(percent) => format!("{}.{:02} times", percent / 100, percent % 100),
                None => "differs".to_string(),
            };
            writeln!(f, "{}", format!("{name:<names$}  {left:>one$}  {right:>other$}   {difference}").trim_end())?;
        }
        Ok(())
    }
}
