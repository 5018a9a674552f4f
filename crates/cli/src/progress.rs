//! The progress bar of a run, with the live speed; shown on a terminal only.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::log_output;

/// How often the log is told.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// The bar, and lines in the log for who has no terminal. Off a terminal the bar does nothing.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    told: Instant,
}

impl Progress {
    /// A bar of `time_steps` to go, on standard error.
    pub fn start(time_steps: u64) -> Progress {
        let bar = ProgressBar::new(time_steps);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} steps  {msg}  {eta} left") {
            bar.set_style(style);
        }
        log_output::share_terminal_with(&bar);
        Progress { bar, told: Instant::now() }
    }

    /// `done` time steps are done, the last ones at `rate` environment steps per second.
    pub fn update(&mut self, done: u64, rate: f64) {
        let rate = with_unit(rate);
        if self.told.elapsed() >= TOLD_EVERY {
            self.told = Instant::now();
            tracing::info!("{done} of {} steps, {rate} steps/s", self.bar.length().unwrap_or(done));
        }
        self.bar.set_message(format!("{rate} steps/s"));
        self.bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// "950", "12.3 k", "5.4 M": three digits are what a speed is good for.
pub fn with_unit(number: f64) -> String {
    let (scaled, unit) = match number {
        n if n >= 1e9 => (n / 1e9, " G"),
        n if n >= 1e6 => (n / 1e6, " M"),
        n if n >= 1e3 => (n / 1e3, " k"),
        n => (n, ""),
    };
    match scaled {
        n if n >= 100.0 || n == 0.0 => format!("{n:.0}{unit}"),
        n if n >= 10.0 => format!("{n:.1}{unit}"),
        n => format!("{n:.2}{unit}"),
    }
}

/// "7 us", "82 ms", "0.82 s", "3 min 20 s".
pub fn duration(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    match whole {
        0 if seconds > 0.0 && seconds < 1e-3 => format!("{:.0} us", 1e6 * seconds),
        0 if seconds > 0.0 && seconds < 0.1 => format!("{:.1} ms", 1e3 * seconds),
        0..10 => format!("{seconds:.2} s"),
        10..60 => format!("{seconds:.1} s"),
        _ => format!("{} min {} s", whole / 60, whole % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_that_shows_them() {
        let texts = [0.0, 2.4e-5, 0.0123, 0.82, 12.34, 200.0].map(duration);
        assert_eq!(texts, ["0.00 s", "24 us", "12.3 ms", "0.82 s", "12.3 s", "3 min 20 s"]);
    }

    #[test]
    fn speeds_have_three_digits_and_a_unit() {
        let texts = [0.0, 9.87654, 950.4, 12_345.0, 5_400_000.0, 1.2e9].map(with_unit);
        assert_eq!(texts, ["0", "9.88", "950", "12.3 k", "5.40 M", "1.20 G"]);
    }
}
