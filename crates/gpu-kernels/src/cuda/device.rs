//! Opens a device: its primary context, which PyTorch and every other runtime-API user of the process share.

use std::ptr;
use std::sync::Arc;

use cust::sys::{CUcontext, CUdevice};
use serde::Serialize;

use super::driver::{self, log_failure};
use super::error::CudaError;
use super::limits::{DeviceAttributes, of_driver};

/// An open device. Cheap to clone; the context is released with the last clone and the last value made from it.
#[derive(Debug, Clone)]
pub struct Device(Arc<PrimaryContext>);

/// Bytes of a device's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MemoryInfo {
    /// Not in use by any process.
    pub free: u64,
    /// All of it.
    pub total: u64,
}

#[derive(Debug)]
struct PrimaryContext {
    device: CUdevice,
    raw: CUcontext,
    attributes: DeviceAttributes,
}

// SAFETY: a context may be made current on any thread, and the driver serialises what it must.
unsafe impl Send for PrimaryContext {}
// SAFETY: as above; the fields never change.
unsafe impl Sync for PrimaryContext {}

impl Device {
    /// Opens `cuda:ordinal`. Does not make it current: each call does so for its own duration.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`], [`CudaError::NoSuchDevice`], or the driver's.
    pub fn open(ordinal: usize) -> Result<Self, CudaError> {
        driver::init()?;
        let device = of_driver::handle(ordinal)?;
        let attributes = of_driver::attributes(ordinal)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a place for the result; the matching release is in `drop`.
        unsafe {
            check!(cuDevicePrimaryCtxRetain(&mut raw, device), "opening cuda:{ordinal} ({})", attributes.name)?;
        }
        Ok(Self(Arc::new(PrimaryContext { device, raw, attributes })))
    }

    /// The number in `cuda:0`.
    pub fn ordinal(&self) -> usize {
        self.0.attributes.ordinal
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.0.attributes.name
    }

    /// What the device offers, as asked when it was opened.
    pub fn attributes(&self) -> &DeviceAttributes {
        &self.0.attributes
    }

    /// The CUcontext, for other libraries.
    pub fn raw_context(&self) -> u64 {
        self.0.raw as u64
    }

    /// Free and total memory now.
    ///
    /// # Errors
    /// The driver's.
    pub fn memory(&self) -> Result<MemoryInfo, CudaError> {
        self.with_current(|| {
            let (mut free, mut total) = (0, 0);
            // SAFETY: both are places for results.
            unsafe { check!(cuMemGetInfo_v2(&mut free, &mut total), "asking {self}'s free memory")? };
            Ok(MemoryInfo { free: free as u64, total: total as u64 })
        })
    }

    /// Waits until everything on this device is done, in every stream. For tests and for the end; a step never does this.
    ///
    /// # Errors
    /// Those of the work that was waited for: a crashed kernel shows here.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        // SAFETY: takes no pointer.
        self.with_current(|| unsafe { check!(cuCtxSynchronize(), "waiting for {self}") })
    }

    /// Runs `work` with this device's context current, then puts back what was current before on this thread.
    ///
    /// # Errors
    /// Those of `work`, or the driver's.
    pub fn with_current<R>(&self, work: impl FnOnce() -> Result<R, CudaError>) -> Result<R, CudaError> {
        let mut now = ptr::null_mut();
        // SAFETY: `now` is a place for the result.
        unsafe { check!(cuCtxGetCurrent(&mut now), "asking which context is current")? };
        if now == self.0.raw {
            return work();
        }
        // SAFETY: the context is retained as long as `self` lives.
        unsafe { check!(cuCtxPushCurrent_v2(self.0.raw), "making {self} current")? };
        let _pop = PopOnDrop;
        work()
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "cuda:{} ({})", self.ordinal(), self.name())
    }
}

/// Pops the context that was pushed, also if the work in between panicked.
struct PopOnDrop;

impl Drop for PopOnDrop {
    fn drop(&mut self) {
        let mut popped = ptr::null_mut();
        // SAFETY: `popped` is a place for the result.
        log_failure(unsafe { check!(cuCtxPopCurrent_v2(&mut popped), "putting back the context") });
    }
}

impl Drop for PrimaryContext {
    fn drop(&mut self) {
        let name = &self.attributes.name;
        // SAFETY: matches the retain in `open`; nothing made from this context is alive, since all of it holds the Arc.
        log_failure(unsafe { check!(cuDevicePrimaryCtxRelease_v2(self.device), "closing {name}") });
    }
}
