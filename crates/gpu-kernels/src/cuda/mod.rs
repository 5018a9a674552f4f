//! Runs cubins on NVIDIA GPUs: devices, modules, memory, streams, and a report of what a machine lacks.
//!
//! Builds without a CUDA toolkit and runs with or without a driver (`driver_entries.rs` says how). No globals: every value holds
//! the device that it belongs to, every call makes that device's primary context current for its own duration (so PyTorch
//! and this crate share memory and streams) and puts back what was current before. Nothing uses the default stream unless the
//! caller passes its handle. Nothing panics; dropping a value whose context is gone logs and goes on.

#[cfg(all(feature = "cuda", target_os = "linux"))]
#[macro_use]
mod driver;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod driver_entries;

#[cfg(all(feature = "cuda", target_os = "linux"))]
mod device;
mod doctor;
mod driver_codes;
mod error;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod event;
mod limits;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod memory;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod module;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod overlap;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod pinned;
#[cfg(all(feature = "cuda", target_os = "linux"))]
mod stream;

#[cfg(all(feature = "cuda", target_os = "linux"))]
pub use self::{
    device::{Device, MemoryInfo},
    event::Event,
    memory::Buffer,
    module::{Kernel, KernelAttributes, LaunchShape, Module},
    pinned::PinnedBuffer,
    stream::{Stream, StreamHandle},
};
pub use doctor::{DoctorReport, DriverReport, Missing, NvrtcReport};
pub use error::{CudaError, DriverCode};
pub use limits::{DeviceAttributes, DriverVersion, device_count, devices, driver_version};
