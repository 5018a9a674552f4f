//! Explains a plan to someone who has never seen one: what runs, in words and numbers; which memory it takes; how many
//! environments would fit; and what was considered instead.

use std::fmt;

use crate::{KernelPlan, LaunchPlan, Limiter, Placement};

/// Bytes in decimal units with one decimal, rounded: "512 bytes", "1.5 kB", "46.8 GB".
pub(crate) fn bytes(bytes: u128) -> String {
    const UNITS: [(u128, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        None => counted(u64::try_from(bytes).unwrap_or(u64::MAX), "byte"),
        Some((unit, name)) => {
            let tenths = (bytes / unit * 10) + (bytes % unit * 10 + unit / 2) / unit;
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
    }
}

/// Bytes of so many words.
fn words(words: u64) -> String {
    bytes(u128::from(words) * 4)
}

/// Lines are at most this long, so that they fit a terminal.
const LINE: usize = 110;

/// "1 environment", "8192 environments".
pub(crate) fn environments(count: u64) -> String {
    counted(count, "environment")
}

/// "1 lane", "32 lanes".
pub(crate) fn counted(count: u64, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
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
            "{} per environment, {} per block of {}, {} ({} per multiprocessor, {} % occupancy), {} at once in {}, \
             limited by {}; {} of {}",
            counted(step.lanes_per_env.into(), "lane"),
            environments(u64::from(step.envs_per_block)),
            counted(step.threads_per_block.into(), "thread"),
            counted(step.grid_blocks.into(), "block"),
            step.blocks_per_sm,
            self.occupancy_percent(),
            environments(step.resident_envs),
            counted(step.waves, "wave"),
            step.limiter,
            bytes(self.memory.total.into()),
            bytes(self.memory.limit.into()),
        )
    }

    /// What became of the fast workspace since the plan `before`, in one line for a log.
    pub fn resized(&self, before: &LaunchPlan) -> String {
        let (now, old) = (self.step(), before.step());
        format!(
            "{} instead of {}, {} of Jacobian instead of {}, {} at once instead of {}",
            counted(now.capacity.contacts.into(), "contact"),
            old.capacity.contacts,
            words(now.capacity.jacobian_words.into()),
            words(old.capacity.jacobian_words.into()),
            environments(now.resident_envs),
            old.resident_envs,
        )
    }
}

impl fmt::Display for LaunchPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} on {}", environments(self.num_envs), self.model, self.device.name)?;
        if self.estimated {
            writeln!(
                f,
                "registers are estimated: the kernels are not compiled yet, and what follows may change a little"
            )?;
        }
        if self.tuned {
            writeln!(f, "the step kernel's row was found by measuring, not by the estimate")?;
        }
        writeln!(f)?;
        write_in_words(f, self)?;
        writeln!(f)?;
        write_kernels(f, self)?;
        writeln!(f)?;
        self.kernels.iter().try_for_each(|kernel| write_workspace(f, self, kernel))?;
        writeln!(f)?;
        write_memory(f, self)?;
        writeln!(f, "\nlargest number of environments on this device: {}", self.max_num_envs)?;
        let end = "  with everything but what grows with their number at its least: a single block and a single retry workspace";
        writeln!(f, "{end}")?;
        if !self.rejected.is_empty() {
            writeln!(f, "\nconsidered and not chosen, every team size at its best")?;
        }
        for rejected in &self.rejected {
            writeln!(f, "  {}", rejected.row)?;
            write_wrapped(f, "      ", rejected.reason.split(' '))?;
        }
        Ok(())
    }
}

/// The plan as a story.
fn write_in_words(f: &mut fmt::Formatter<'_>, plan: &LaunchPlan) -> fmt::Result {
    let (step, retry) = (plan.step(), plan.retry());
    let lanes = match step.lanes_per_env {
        1 => "One lane (a thread of the device) steps one environment alone".to_string(),
        lanes => format!("Teams of {lanes} lanes (threads of the device) step one environment each"),
    };
    let turns = match step.waves {
        1 => "so all of them are stepped at once".to_string(),
        waves => format!("so a team steps up to {waves} of them one after the other"),
    };
    let more = match step.limiter {
        Limiter::Environments => "There are no more environments to step at once.".to_string(),
        limiter => format!("What keeps more from being stepped at once: {limiter}{}.", in_numbers(limiter, plan)),
    };
    let misfits = if plan.never_retries() {
        ", the most that this model can have. So none is ever stepped again; the other kernel below stands in while the step \
         kernel is compiled."
            .to_string()
    } else {
        let most = retry.capacity.contacts;
        format!(
            ": one that has more is stepped again by the retry kernel, whose workspaces hold {most}, the most that this \
             model can have."
        )
    };
    let text = format!(
        "{lanes}; the device holds {} of the {}, {turns}. {more} While an environment is stepped it has a workspace with room \
         for {}{misfits}",
        step.resident_envs.min(plan.num_envs),
        environments(plan.num_envs),
        counted(step.capacity.contacts.into(), "contact"),
    );
    write_wrapped(f, "", text.split(' '))
}

/// What the limiter is for the step kernel: how much a block takes of how much there is.
fn in_numbers(limiter: Limiter, plan: &LaunchPlan) -> String {
    let (step, device) = (plan.step(), &plan.device);
    match limiter {
        Limiter::Registers => format!(
            " (a block takes {} x {} = {} of a multiprocessor's {})",
            step.threads_per_block,
            step.registers_per_thread,
            u64::from(step.threads_per_block) * u64::from(step.registers_per_thread),
            device.registers_per_multiprocessor
        ),
        Limiter::SharedMemory => format!(
            " (a block takes {} of a multiprocessor's {} bytes)",
            u64::from(step.static_shared_bytes)
                + u64::from(step.dynamic_shared_bytes)
                + u64::from(device.reserved_shared_memory_per_block),
            device.shared_memory_per_multiprocessor
        ),
        Limiter::Threads => format!(
            " (a block takes {} of a multiprocessor's {})",
            step.threads_per_block, device.max_threads_per_multiprocessor
        ),
        Limiter::Blocks => format!(" (a multiprocessor holds {} at most)", device.max_blocks_per_multiprocessor),
        Limiter::Memory => {
            format!(" ({} for each environment that is stepped)", words(step.layout.global_words_per_env))
        }
        Limiter::Grid => format!(" ({} blocks at most)", device.max_grid_dim_x),
        Limiter::Environments => String::new(),
    }
}

/// Words, wrapped, every line after the same indent.
fn write_wrapped<'a>(f: &mut fmt::Formatter<'_>, indent: &str, words: impl Iterator<Item = &'a str>) -> fmt::Result {
    let mut line = indent.to_string();
    for word in words {
        if line.len() + 1 + word.len() > LINE && line.len() > indent.len() {
            writeln!(f, "{line}")?;
            line = indent.to_string();
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(f, "{line}")
}

/// What the table calls a kernel: where nothing is ever retried, the second one has another purpose.
fn title<'a>(plan: &LaunchPlan, kernel: &'a KernelPlan) -> &'a str {
    if kernel.name == "retry" && plan.never_retries() { "stand-in" } else { &kernel.name }
}

fn write_kernels(f: &mut fmt::Formatter<'_>, plan: &LaunchPlan) -> fmt::Result {
    let device = &plan.device;
    let shared = |kernel: &KernelPlan| u64::from(kernel.static_shared_bytes) + u64::from(kernel.dynamic_shared_bytes);
    let row = |name: &str, cell: &dyn Fn(&KernelPlan) -> String, meaning: String| {
        (name.to_string(), plan.kernels.iter().map(cell).collect::<Vec<_>>(), meaning)
    };
    let rows = [
        row("kernel", &|kernel| title(plan, kernel).to_string(), String::new()),
        row("lanes per environment", &|kernel| kernel.lanes_per_env.to_string(), "threads of one team".into()),
        row("environments per block", &|kernel| kernel.envs_per_block.to_string(), "teams of a block".into()),
        row(
            "threads per block",
            &|kernel| kernel.threads_per_block.to_string(),
            format!("of {}", device.max_threads_per_block),
        ),
        row(
            "shared bytes per block",
            &|kernel| shared(kernel).to_string(),
            format!(
                "of {}; a multiprocessor has {}",
                device.shared_memory_per_block_optin, device.shared_memory_per_multiprocessor
            ),
        ),
        row(
            "of them for the model",
            &|kernel| (4 * kernel.model_words_per_block).to_string(),
            "a copy that the block's environments share".into(),
        ),
        row(
            "registers per thread",
            &|kernel| kernel.registers_per_thread.to_string(),
            format!(
                "of {}; a multiprocessor has {}",
                device.max_registers_per_thread, device.registers_per_multiprocessor
            ),
        ),
        row(
            "blocks per multiprocessor",
            &|kernel| kernel.blocks_per_sm.to_string(),
            format!("at most, on {} multiprocessors", device.multiprocessor_count),
        ),
        row("blocks of the grid", &|kernel| kernel.grid_blocks.to_string(), "what is launched".into()),
        row("environments at once", &|kernel| kernel.resident_envs.to_string(), "teams of the grid".into()),
        row(
            "waves",
            // How many environments retry is known only afterwards.
            &|kernel| if title(plan, kernel) == "retry" { "as needed".to_string() } else { kernel.waves.to_string() },
            "environments of one team, one after the other".into(),
        ),
        row("limited by", &|kernel| kernel.limiter.to_string(), "what keeps more from being stepped at once".into()),
    ];
    for (name, cells, meaning) in rows {
        let cells: String = cells.iter().map(|cell| format!("  {cell:>14}")).collect();
        writeln!(f, "{}", format!("{name:<25}{cells}   {meaning}").trim_end())?;
    }
    Ok(())
}

fn write_workspace(f: &mut fmt::Formatter<'_>, plan: &LaunchPlan, kernel: &KernelPlan) -> fmt::Result {
    let (layout, capacity) = (&kernel.layout, kernel.capacity);
    writeln!(
        f,
        "a {} workspace holds {} and {} of Jacobian: {} of shared and {} of global memory",
        title(plan, kernel),
        counted(capacity.contacts.into(), "contact"),
        words(capacity.jacobian_words.into()),
        words(layout.shared_words_per_env),
        words(layout.global_words_per_env),
    )?;
    let global = layout.arrays.iter().filter(|array| array.placement == Placement::Global && array.words > 0);
    let moved: Vec<&str> = global.map(|array| array.name.as_str()).collect();
    if kernel.name == "step" && moved.is_empty() {
        writeln!(f, "  all arrays in shared memory")?;
    } else if kernel.name == "step" && layout.shared_words_per_env == 0 {
        writeln!(f, "  all arrays in global memory")?;
    } else if kernel.name == "step" {
        writeln!(f, "  in global memory, since they take much room for how often they are used:")?;
        write_wrapped(f, "    ", moved.into_iter())?;
    }
    Ok(())
}

fn write_memory(f: &mut fmt::Formatter<'_>, plan: &LaunchPlan) -> fmt::Result {
    let memory = &plan.memory;
    let each = |size: u64| format!("{} bytes for each environment", size / plan.num_envs.max(1));
    let workspaces = |kernel: &KernelPlan| {
        let size = words(kernel.layout.global_words_per_env);
        match kernel.resident_envs {
            1 => format!("{size} for the environment that is stepped"),
            many => format!("{size} for each of the {many} environments stepped at once"),
        }
    };
    let step = plan.step();
    let taken = step.resident_envs.saturating_mul(step.layout.global_words_per_env).saturating_mul(4);
    let room = match memory.workspace.saturating_sub(taken) {
        0 => String::new(),
        room => format!(", and {} to grow", bytes(room.into())),
    };
    let rows = [
        ("state", memory.state, each(memory.state)),
        ("inputs", memory.inputs, each(memory.inputs)),
        ("outputs", memory.outputs, "what is asked for".into()),
        ("model", memory.model, "constants, and fields per environment".into()),
        ("workspace", memory.workspace, workspaces(plan.step()) + &room),
        (title(plan, plan.retry()), memory.retry, workspaces(plan.retry())),
        ("context", memory.hidden.context, "taken by the driver, an estimate".into()),
        ("local memory", memory.hidden.local_memory, "of every thread that the device holds".into()),
        ("code", memory.hidden.code, "of the kernels".into()),
        ("reserve", memory.hidden.reserve, "left untouched".into()),
        ("total", memory.total, format!("of {}", bytes(memory.limit.into()))),
    ];
    writeln!(f, "memory")?;
    for (name, size, meaning) in rows {
        writeln!(f, "  {name:<14}{:>12}   {meaning}", bytes(size.into()))?;
    }
    Ok(())
}
