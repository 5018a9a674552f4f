//! Ctrl-C: the first asks the run to stop after the steps in progress, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::INTERRUPTED;

/// Whether Ctrl-C was pressed.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on.
    pub fn listen() -> Interrupt {
        let pressed = Interrupt::default();
        let seen = pressed.clone();
        let installed = ctrlc::set_handler(move || {
            if seen.0.swap(true, Ordering::Relaxed) {
                // Partial files have no name of their own or a temporary one: nothing is left that looks whole.
                std::process::exit(INTERRUPTED.into());
            }
        });
        if let Err(error) = installed {
            tracing::warn!("Ctrl-C will end the run without a summary: {error}");
        }
        pressed
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
