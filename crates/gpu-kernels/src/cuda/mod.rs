//! Everything that talks to the CUDA driver.
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod driver_entries;
