//! Writes the log to standard error, above a progress bar if there is one.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;

use indicatif::ProgressBar;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// The bar that shares the terminal with the log.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Sends what is logged at `level` or above to standard error.
pub fn start(level: LevelFilter) {
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(io::stderr().is_terminal())
        .with_target(level >= LevelFilter::DEBUG)
        .without_time()
        .with_writer(AboveTheBar)
        .init();
}

/// Lets the log move `bar` out of its way.
pub fn share_terminal_with(bar: &ProgressBar) {
    if let Ok(mut shared) = BAR.lock() {
        *shared = Some(bar.clone());
    }
}

struct AboveTheBar;

impl MakeWriter<'_> for AboveTheBar {
    type Writer = AboveTheBar;

    fn make_writer(&self) -> AboveTheBar {
        AboveTheBar
    }
}

impl Write for AboveTheBar {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let bar = BAR.lock().ok().and_then(|bar| bar.clone());
        match bar {
            Some(bar) => bar.suspend(|| io::stderr().write_all(line))?,
            None => io::stderr().write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
