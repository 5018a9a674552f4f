//! The `phalanx` command: runs, looks into and plans batches of robots.
//!
//! With `--json` standard output holds one JSON object and nothing else; progress and log go to standard error. Exit
//! codes: 0 done, 1 the run failed, 2 the command line is wrong, 130 interrupted by Ctrl-C. It holds no physics: what it
//! does, the library can.

mod arguments;
mod commands;
mod controls;
mod failure;
mod interrupt;
mod json_shape;
mod ladder;
mod log_output;
mod numpy_file;
mod progress;
mod record;
mod rollout;
mod same_file;
mod standard_output;
mod start_state;
mod trial;
mod trial_result;
mod whole_file;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    log_output::start(arguments.log);
    let result = match &arguments.command {
        Command::Run(arguments) => commands::run::run(arguments),
        Command::Forward(arguments) => commands::forward::forward(arguments),
        Command::Inspect(arguments) => commands::inspect::inspect(arguments),
        Command::Plan(arguments) => commands::plan::plan(arguments),
        Command::Ladder(arguments) => commands::ladder::ladder(arguments),
        Command::Tune(arguments) => commands::tune::tune(arguments),
        Command::Doctor(arguments) => commands::doctor::doctor(arguments),
    };
    result.unwrap_or_else(|failure| failure.report())
}
