//! Memory of a device, as untyped bytes: the arena's layout is the planner's business.

use cust::sys::CUdeviceptr;

use super::device::Device;
use super::driver::log_failure;
use super::error::{CudaError, DriverCode};
use super::stream::StreamHandle;

/// Bytes in a device's global memory, at an address that never changes and that is a multiple of 256.
#[derive(Debug)]
pub struct Buffer {
    device: Device,
    pointer: CUdeviceptr,
    bytes: u64,
    what: String,
}

impl Buffer {
    /// Allocates. The content is undefined until it is written. `what` names the buffer in messages.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] with what was asked and what is free.
    pub fn allocate(device: &Device, bytes: u64, what: impl Into<String>) -> Result<Self, CudaError> {
        let what = what.into();
        let mut pointer = 0;
        // The driver refuses an allocation of nothing; a buffer of nothing is at address 0.
        if bytes > 0 {
            let allocated = device.with_current(|| {
                // SAFETY: `pointer` is a place for the result; `drop` frees the memory.
                unsafe { check!(cuMemAlloc_v2(&mut pointer, bytes as usize), "allocating {bytes} bytes for {what}") }
            });
            allocated.map_err(|error| explain_shortage(error, device, &what, "device", bytes))?;
        }
        tracing::debug!("{bytes} bytes of device memory for {what}");
        Ok(Self { device: device.clone(), pointer, bytes, what })
    }

    /// The device that it belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The address on the device.
    pub fn pointer(&self) -> u64 {
        self.pointer
    }

    /// The size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fills everything with zeros, in the stream's order.
    ///
    /// # Errors
    /// The driver's.
    pub fn zero(&self, stream: StreamHandle) -> Result<(), CudaError> {
        self.fill_bytes(0, self.bytes, 0, stream)
    }

    /// Fills `count` bytes from `from` on with one value, in the stream's order.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], or the driver's.
    pub fn fill_bytes(&self, from: u64, count: u64, value: u8, stream: StreamHandle) -> Result<(), CudaError> {
        let Some(at) = self.inside(from, count)? else { return Ok(()) };
        let what = &self.what;
        self.device.with_current(|| {
            // SAFETY: the range is inside the buffer, which lives until the driver is told to free it.
            unsafe { check!(cuMemsetD8Async(at, value, count as usize, stream.raw()), "filling {what}") }
        })
    }

    /// Fills `count` 32-bit words from byte `from` on (a multiple of 4) with one value: a canonical NaN, say.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], or the driver's.
    pub fn fill_words(&self, from: u64, count: u64, value: u32, stream: StreamHandle) -> Result<(), CudaError> {
        let Some(at) = self.inside(from, count.saturating_mul(4))? else { return Ok(()) };
        let what = &self.what;
        self.device.with_current(|| {
            // SAFETY: the range is inside the buffer, which lives until the driver is told to free it.
            unsafe { check!(cuMemsetD32Async(at, value, count as usize, stream.raw()), "filling {what}") }
        })
    }

    /// Copies from the host, in the stream's order, and waits for it.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], or those of the work in the stream.
    pub fn copy_from_host(&self, to: u64, source: &[u8], stream: StreamHandle) -> Result<(), CudaError> {
        // SAFETY: the slice is borrowed until the copy is done.
        unsafe { self.copy_from_host_async(to, source, stream)? };
        stream.synchronize(&self.device)
    }

    /// Copies to the host, in the stream's order, and waits for it.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], or those of the work in the stream.
    pub fn copy_to_host(&self, from: u64, target: &mut [u8], stream: StreamHandle) -> Result<(), CudaError> {
        // SAFETY: the slice is borrowed until the copy is done. If it fails, the driver has given up the copy.
        unsafe { self.copy_to_host_async(from, target.as_mut_ptr(), target.len(), stream)? };
        stream.synchronize(&self.device)
    }

    /// Copies from the host in the stream's order, without waiting if `source` is pinned.
    ///
    /// # Safety
    /// `source` stays alive and unchanged until the stream has done the copy.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], or the driver's.
    pub unsafe fn copy_from_host_async(&self, to: u64, source: &[u8], stream: StreamHandle) -> Result<(), CudaError> {
        let Some(at) = self.inside(to, source.len() as u64)? else { return Ok(()) };
        let what = &self.what;
        self.device.with_current(|| {
            let (from, count) = (source.as_ptr().cast(), source.len());
            // SAFETY: the range is inside the buffer; the caller keeps the source.
            unsafe { check!(cuMemcpyHtoDAsync_v2(at, from, count, stream.raw()), "copying {count} bytes to {what}") }
        })
    }

    /// Copies to the host in the stream's order, without waiting if `target` is pinned.
    ///
    /// # Safety
    /// `target` has `count` bytes, stays alive, and is not looked at until the stream has done the copy.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], or the driver's.
    pub unsafe fn copy_to_host_async(
        &self,
        from: u64,
        target: *mut u8,
        count: usize,
        stream: StreamHandle,
    ) -> Result<(), CudaError> {
        let Some(at) = self.inside(from, count as u64)? else { return Ok(()) };
        let what = &self.what;
        self.device.with_current(|| {
            let to = target.cast();
            // SAFETY: the range is inside the buffer; the caller keeps the target.
            unsafe { check!(cuMemcpyDtoHAsync_v2(to, at, count, stream.raw()), "copying {count} bytes of {what}") }
        })
    }

    /// Copies within the device, in the stream's order. The ranges must not overlap.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], or the driver's.
    pub fn copy_from_device(
        &self,
        to: u64,
        source: &Buffer,
        from: u64,
        count: u64,
        stream: StreamHandle,
    ) -> Result<(), CudaError> {
        let (Some(to), Some(from)) = (self.inside(to, count)?, source.inside(from, count)?) else { return Ok(()) };
        let (what, of) = (&self.what, &source.what);
        self.device.with_current(|| {
            // SAFETY: both ranges are inside their buffers, which live until the driver is told to free them.
            unsafe {
                check!(
                    cuMemcpyDtoDAsync_v2(to, from, count as usize, stream.raw()),
                    "copying {count} bytes of {of} to {what}"
                )
            }
        })
    }

    /// The address of `count` bytes from `from` on; `None` if there is nothing to do.
    fn inside(&self, from: u64, count: u64) -> Result<Option<CUdeviceptr>, CudaError> {
        let to = from.saturating_add(count);
        if to > self.bytes {
            return Err(CudaError::OutOfBounds { what: self.what.clone(), from, to, bytes: self.bytes });
        }
        Ok((count > 0).then_some(self.pointer + from))
    }
}

/// Out of memory: says how much was asked and how much is free.
pub(super) fn explain_shortage(
    error: CudaError,
    device: &Device,
    what: &str,
    kind: &'static str,
    asked: u64,
) -> CudaError {
    if error.code() != Some(DriverCode::OUT_OF_MEMORY) {
        return error;
    }
    let free = match kind {
        "device" => device.memory().ok().map(|memory| (memory.free, memory.total)),
        _ => None,
    };
    CudaError::OutOfMemory { what: what.into(), kind, asked, free }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.pointer == 0 {
            return;
        }
        let Self { device, pointer, what, .. } = self;
        log_failure(device.with_current(|| {
            // SAFETY: the memory was allocated in `allocate`; the driver waits for the work that uses it.
            unsafe { check!(cuMemFree_v2(*pointer), "freeing {what}") }
        }));
    }
}
