//! Marks in a stream: has the GPU come this far, and when?

use std::ptr;

use cust::sys::{CUevent, CUevent_flags_enum};

use super::device::Device;
use super::driver::{check_code, log_failure};
use super::error::{CudaError, DriverCode};
use super::stream::StreamHandle;

/// A mark that a stream passes.
#[derive(Debug)]
pub struct Event {
    device: Device,
    raw: CUevent,
}

// SAFETY: the driver lets any thread use an event.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// Makes an event that keeps the time.
    ///
    /// # Errors
    /// The driver's.
    pub fn with_timing(device: &Device) -> Result<Self, CudaError> {
        Self::new(device, CUevent_flags_enum::CU_EVENT_DEFAULT)
    }

    /// Makes an event that only orders, which is cheaper.
    ///
    /// # Errors
    /// The driver's.
    pub fn without_timing(device: &Device) -> Result<Self, CudaError> {
        Self::new(device, CUevent_flags_enum::CU_EVENT_DISABLE_TIMING)
    }

    fn new(device: &Device, flags: CUevent_flags_enum) -> Result<Self, CudaError> {
        let mut raw = ptr::null_mut();
        device.with_current(|| {
            // SAFETY: `raw` is a place for the result; `drop` destroys the event.
            unsafe { check!(cuEventCreate(&mut raw, flags as u32), "making an event of {device}") }
        })?;
        Ok(Self { device: device.clone(), raw })
    }

    pub(super) fn raw(&self) -> CUevent {
        self.raw
    }

    /// The device that it belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Puts the mark behind everything that is in the stream now.
    ///
    /// # Errors
    /// The driver's.
    pub fn record(&self, stream: StreamHandle) -> Result<(), CudaError> {
        let device = &self.device;
        device.with_current(|| {
            // SAFETY: the event is ours; whoever made the handle keeps the stream alive.
            unsafe { check!(cuEventRecord(self.raw, stream.raw()), "recording an event of {device}") }
        })
    }

    /// Waits until the stream has passed the mark.
    ///
    /// # Errors
    /// Those of the work before the mark.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        let device = &self.device;
        device.with_current(|| {
            // SAFETY: the event is ours.
            unsafe { check!(cuEventSynchronize(self.raw), "waiting for an event of {device}") }
        })
    }

    /// Whether the stream has passed the mark, without waiting. True before the first record.
    ///
    /// # Errors
    /// Those of the work before the mark.
    pub fn is_passed(&self) -> Result<bool, CudaError> {
        self.device.with_current(|| {
            // SAFETY: the event is ours.
            let code = DriverCode(unsafe { cust::sys::cuEventQuery(self.raw) } as u32);
            if code == DriverCode::NOT_READY {
                return Ok(false);
            }
            check_code("cuEventQuery", code.0, || format!("looking at an event of {}", self.device))?;
            Ok(true)
        })
    }

    /// The milliseconds of GPU time between two passed marks with timing.
    ///
    /// # Errors
    /// The driver's, if a mark is not passed yet or keeps no time.
    pub fn milliseconds_since(&self, earlier: &Event) -> Result<f32, CudaError> {
        let mut milliseconds = 0.0;
        self.device.with_current(|| {
            // SAFETY: `milliseconds` is a place for the result; both events are alive.
            unsafe { check!(cuEventElapsedTime(&mut milliseconds, earlier.raw, self.raw), "timing two events") }
        })?;
        Ok(milliseconds)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let Self { device, raw } = self;
        log_failure(device.with_current(|| {
            // SAFETY: the event was made in `new`.
            unsafe { check!(cuEventDestroy_v2(*raw), "closing an event of {device}") }
        }));
    }
}
