//! Explains a plan to someone who has never seen one.

use std::fmt;

use crate::{KernelPlan, LaunchPlan, Limiter, Placement};

/// Bytes in decimal units with one decimal: "512 bytes", "1.5 kB", "46.8 GB".
pub(crate) fn bytes(bytes: u128) -> String {
    const UNITS: [(u128, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        None => format!("{bytes} bytes"),
        Some((unit, name)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
    }
}

/// "1 environment", "8192 environments".
pub(crate) fn environments(count: u64) -> String {
    if count == 1 { "1 environment".to_string() } else { format!("{count} environments") }
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Limiter::Registers => "registers",
            Limiter::SharedMemory => "shared memory",
            Limiter::Threads => "threads",
            Limiter::Blocks => "blocks",
            Limiter::Environments => "environments",
            Limiter::Memory => "global memory",
            Limiter::Grid => "grid dimension",
        })
    }
}

impl LaunchPlan {
    /// The plan in one line, for a log.
    pub fn summary(&self) -> String {
        let step = self.step();
        format!(
            "{} lanes per environment, {} per block of {} threads, {} blocks ({} per multiprocessor, {} % occupancy), {} \
             at once in {} waves, limited by {}; {} of {}",
            step.lanes_per_env,
            environments(u64::from(step.envs_per_block)),
            step.threads_per_block,
            step.grid_blocks,
            step.blocks_per_sm,
            self.occupancy_percent(),
            environments(step.resident_envs),
            step.waves,
            step.limiter,
            bytes(self.memory.total.into()),
            bytes(self.memory.limit.into()),
        )
    }
}

impl fmt::Display for LaunchPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} on {}", environments(self.num_envs), self.model, self.device.name)?;
        if self.estimated {
            writeln!(f, "registers are estimated: the kernels are not compiled yet")?;
        }
        writeln!(f)?;
        write_kernels(f, self)?;
        writeln!(f)?;
        self.kernels.iter().try_for_each(|kernel| write_workspace(f, kernel))?;
        writeln!(f)?;
        write_memory(f, self)?;
        writeln!(f, "\nlargest number of environments on this device: {}", self.max_num_envs)?;
        if !self.rejected.is_empty() {
            writeln!(f, "\nnot chosen")?;
        }
        self.rejected.iter().try_for_each(|rejected| writeln!(f, "  {}\n      {}", rejected.row, rejected.reason))
    }
}

fn write_kernels(f: &mut fmt::Formatter<'_>, plan: &LaunchPlan) -> fmt::Result {
    let columns = [
        ("kernel", 6),
        ("lanes/env", 9),
        ("envs/block", 10),
        ("threads", 7),
        ("shared bytes", 12),
        ("registers", 9),
        ("grid", 10),
        ("blocks/SM", 9),
        ("envs at once", 12),
        ("waves", 10),
        ("limited by", 14),
    ];
    let mut line = |cells: [String; 11]| {
        let padded = cells.iter().zip(columns).enumerate().map(|(i, (cell, (_, width)))| match i {
            0 | 10 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        writeln!(f, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    line(columns.map(|(title, _)| title.to_string()))?;
    for kernel in &plan.kernels {
        line([
            kernel.name.clone(),
            kernel.lanes_per_env.to_string(),
            kernel.envs_per_block.to_string(),
            kernel.threads_per_block.to_string(),
            (u64::from(kernel.static_shared_bytes) + u64::from(kernel.dynamic_shared_bytes)).to_string(),
            kernel.registers_per_thread.to_string(),
            kernel.grid_blocks.to_string(),
            kernel.blocks_per_sm.to_string(),
            kernel.resident_envs.to_string(),
            // How many environments retry is known only afterwards.
            if kernel.name == "retry" { "as needed".to_string() } else { kernel.waves.to_string() },
            kernel.limiter.to_string(),
        ])?;
    }
    Ok(())
}

fn write_workspace(f: &mut fmt::Formatter<'_>, kernel: &KernelPlan) -> fmt::Result {
    let (layout, capacity) = (&kernel.layout, kernel.capacity);
    let in_bytes = |words: u64| bytes(u128::from(words) * 4);
    writeln!(
        f,
        "{} workspace holds {} contacts and {} Jacobian words: {} shared and {} global for each environment at once",
        kernel.name,
        capacity.contacts,
        capacity.jacobian_words,
        in_bytes(layout.shared_words_per_env),
        in_bytes(layout.global_words_per_env),
    )?;
    let global = layout.arrays.iter().filter(|array| array.placement == Placement::Global && array.words > 0);
    let moved: Vec<&str> = global.map(|array| array.name.as_str()).collect();
    if kernel.name == "step" && !moved.is_empty() {
        writeln!(f, "  in global memory: {}", moved.join(", "))?;
    }
    Ok(())
}

fn write_memory(f: &mut fmt::Formatter<'_>, plan: &LaunchPlan) -> fmt::Result {
    let memory = &plan.memory;
    let rows = [
        ("state", memory.state, "of every environment"),
        ("inputs", memory.inputs, "of every environment"),
        ("outputs", memory.outputs, "that were asked for"),
        ("model", memory.model, "constants, and fields per environment"),
        ("workspace", memory.workspace, "of the environments stepped at once"),
        ("retry", memory.retry, "workspaces of the proven maximum"),
        ("context", memory.hidden.context, "taken by the driver, an estimate"),
        ("local memory", memory.hidden.local_memory, "of every thread the device holds"),
        ("code", memory.hidden.code, "of the kernels"),
        ("reserve", memory.hidden.reserve, "left untouched"),
    ];
    writeln!(f, "memory")?;
    for (name, size, meaning) in rows {
        writeln!(f, "  {name:<14}{:>12}   {meaning}", bytes(size.into()))?;
    }
    writeln!(f, "  {:<14}{:>12}   of {}", "total", bytes(memory.total.into()), bytes(memory.limit.into()))
}
