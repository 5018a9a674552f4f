//! Calls the driver and turns its numbers into errors.

use super::driver_entries;
use super::error::{CudaError, DriverCode};

/// `check!(cuFunction(arguments), "doing what with {how_much}")` calls `cust::sys::cuFunction`; the words are made only if it
/// fails. The caller writes the `unsafe` and says why it holds.
macro_rules! check {
    ($call:ident($($argument:expr),* $(,)?), $($doing:tt)+) => {
        $crate::cuda::driver::check_code(
            stringify!($call),
            // At once a number: a newer driver has results that cust's enum lacks, and nothing may match on them.
            cust::sys::$call($($argument),*) as u32,
            || format!($($doing)+),
        )
    };
}

pub(super) fn check_code(call: &'static str, code: u32, doing: impl FnOnce() -> String) -> Result<(), CudaError> {
    if code == 0 {
        return Ok(());
    }
    Err(CudaError::Driver { doing: doing(), call, code: DriverCode(code) })
}

/// Opens and initialises the driver; cheap after the first time.
pub(super) fn init() -> Result<(), CudaError> {
    driver_entries::open().map_err(|reason| CudaError::NoDriver { reason: reason.into() })?;
    // SAFETY: takes no pointer; may be called any number of times from any thread.
    unsafe { check!(cuInit(0), "initialising the driver") }
}

/// What a `Drop` does with an error: it cannot return it, so it logs it, unless the process is ending.
pub(super) fn log_failure(result: Result<(), CudaError>) {
    match result {
        Err(error) if error.code() != Some(DriverCode::DEINITIALIZED) => tracing::warn!("{error}"),
        _ => {}
    }
}
