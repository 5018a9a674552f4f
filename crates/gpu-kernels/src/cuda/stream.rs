//! Streams: our own, or the caller's by its raw handle.

use std::ptr;

use cust::sys::{CUstream, CUstream_flags, CUstreamCaptureStatus_enum};

use super::device::Device;
use super::driver::{check_code, log_failure};
use super::error::{CudaError, DriverCode};
use super::event::Event;

/// A stream that somebody owns: `torch.cuda.current_stream().cuda_stream`, say. 0 is the default stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamHandle(pub u64);

impl StreamHandle {
    pub(super) fn raw(self) -> CUstream {
        self.0 as CUstream
    }

    /// Waits until everything in the stream is done.
    ///
    /// # Errors
    /// Those of the work that was waited for: a crashed kernel shows here.
    pub fn synchronize(self, device: &Device) -> Result<(), CudaError> {
        device.with_current(|| {
            // SAFETY: whoever made the handle keeps the stream alive.
            unsafe { check!(cuStreamSynchronize(self.raw()), "waiting for a stream of {device}") }
        })
    }

    /// Whether everything in the stream is done, without waiting.
    ///
    /// # Errors
    /// Those of the work in the stream.
    pub fn is_idle(self, device: &Device) -> Result<bool, CudaError> {
        device.with_current(|| {
            // SAFETY: whoever made the handle keeps the stream alive.
            let code = DriverCode(unsafe { cust::sys::cuStreamQuery(self.raw()) } as u32);
            if code == DriverCode::NOT_READY {
                return Ok(false);
            }
            check_code("cuStreamQuery", code.0, || format!("looking at a stream of {device}"))?;
            Ok(true)
        })
    }

    /// Whether a CUDA graph is being captured from the stream: then nothing may be allocated or waited for.
    ///
    /// # Errors
    /// The driver's.
    pub fn is_capturing(self, device: &Device) -> Result<bool, CudaError> {
        device.with_current(|| {
            let mut status = CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE;
            // SAFETY: `status` is a place for the result; whoever made the handle keeps the stream alive.
            unsafe { check!(cuStreamIsCapturing(self.raw(), &mut status), "looking at a stream of {device}")? };
            Ok(status != CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE)
        })
    }

    /// Lets later work of this stream wait for the event; the host does not wait.
    ///
    /// # Errors
    /// The driver's.
    pub fn wait_for(self, event: &Event) -> Result<(), CudaError> {
        let device = event.device();
        device.with_current(|| {
            // SAFETY: whoever made the handle keeps the stream alive; the event is borrowed.
            unsafe { check!(cuStreamWaitEvent(self.raw(), event.raw(), 0), "letting a stream of {device} wait") }
        })
    }
}

/// A stream of our own, which never waits for the default stream.
#[derive(Debug)]
pub struct Stream {
    device: Device,
    handle: StreamHandle,
}

impl Stream {
    /// Makes a non-blocking stream.
    ///
    /// # Errors
    /// The driver's.
    pub fn new(device: &Device) -> Result<Self, CudaError> {
        let mut raw = ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        device.with_current(|| {
            // SAFETY: `raw` is a place for the result; `drop` destroys the stream.
            unsafe { check!(cuStreamCreate(&mut raw, flags), "making a stream of {device}") }
        })?;
        Ok(Self { device: device.clone(), handle: StreamHandle(raw as u64) })
    }

    /// Its handle, valid as long as this value lives.
    pub fn handle(&self) -> StreamHandle {
        self.handle
    }

    /// The device that it belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Waits until everything in the stream is done.
    ///
    /// # Errors
    /// Those of the work that was waited for: a crashed kernel shows here.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.handle.synchronize(&self.device)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let Self { device, handle } = self;
        log_failure(device.with_current(|| {
            // SAFETY: the stream was made in `new`; the driver lets the work in it finish.
            unsafe { check!(cuStreamDestroy_v2(handle.raw()), "closing a stream of {device}") }
        }));
    }
}
