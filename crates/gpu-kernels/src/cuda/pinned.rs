//! Host memory that kernels write to directly: counters that the host reads without waiting, and staging for copies.

use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicU32;

use super::device::Device;
use super::driver::log_failure;
use super::error::CudaError;
use super::memory::explain_shortage;

/// Bytes of pinned host memory, mapped into the device's addresses, zero at first.
#[derive(Debug)]
pub struct PinnedBuffer {
    device: Device,
    host: NonNull<u8>,
    device_pointer: u64,
    bytes: usize,
}

// SAFETY: the memory is plain host memory; every access goes through atomics or through `unsafe` functions.
unsafe impl Send for PinnedBuffer {}
// SAFETY: as above.
unsafe impl Sync for PinnedBuffer {}

impl PinnedBuffer {
    /// Allocates at least one byte. `what` names the buffer in messages.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], or the driver's.
    pub fn allocate(device: &Device, bytes: usize, what: &str) -> Result<Self, CudaError> {
        let bytes = bytes.max(1);
        let flags = cust::sys::CU_MEMHOSTALLOC_PORTABLE | cust::sys::CU_MEMHOSTALLOC_DEVICEMAP;
        let mut raw = ptr::null_mut();
        let mut device_pointer = 0;
        let allocated = device.with_current(|| {
            // SAFETY: `raw` is a place for the result; `drop` frees the memory.
            unsafe { check!(cuMemHostAlloc(&mut raw, bytes, flags), "pinning {bytes} bytes for {what}") }
        });
        allocated.map_err(|error| explain_shortage(error, device, what, "pinned host", bytes as u64))?;
        let Some(host) = NonNull::new(raw.cast::<u8>()) else {
            return Err(CudaError::OutOfMemory {
                what: what.into(),
                kind: "pinned host",
                asked: bytes as u64,
                free: None,
            });
        };
        // From here on `drop` frees it.
        let mut buffer = Self { device: device.clone(), host, device_pointer, bytes };
        // SAFETY: the driver has just given these bytes, and nobody else knows them.
        unsafe { ptr::write_bytes(host.as_ptr(), 0, bytes) };
        device.with_current(|| {
            // SAFETY: the memory was mapped by the flag above; `device_pointer` is a place for the result.
            unsafe { check!(cuMemHostGetDevicePointer_v2(&mut device_pointer, raw, 0), "mapping {what}") }
        })?;
        buffer.device_pointer = device_pointer;
        Ok(buffer)
    }

    /// The address on the device.
    pub fn device_pointer(&self) -> u64 {
        self.device_pointer
    }

    /// The size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// All whole 32-bit words, to be read at any time: a kernel may be writing them just now.
    pub fn counters(&self) -> &[AtomicU32] {
        // SAFETY: the memory is page-aligned, has room for these words, and lives as long as `self`; atomics may change
        // under a shared reference.
        unsafe { std::slice::from_raw_parts(self.host.as_ptr().cast(), self.bytes / 4) }
    }

    /// The bytes.
    ///
    /// # Safety
    /// No kernel, copy or other thread writes them while the slice lives.
    pub unsafe fn as_slice(&self) -> &[u8] {
        // SAFETY: inside the allocation; the caller promises that nobody writes.
        unsafe { std::slice::from_raw_parts(self.host.as_ptr(), self.bytes) }
    }

    /// The bytes, to be written.
    ///
    /// # Safety
    /// No kernel, copy or other thread uses them while the slice lives.
    pub unsafe fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: inside the allocation; the caller promises that nobody else uses it.
        unsafe { std::slice::from_raw_parts_mut(self.host.as_ptr(), self.bytes) }
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        let Self { device, host, bytes, .. } = self;
        log_failure(device.with_current(|| {
            // SAFETY: the memory was allocated in `allocate`; the driver waits for the work that uses it.
            unsafe { check!(cuMemFreeHost(host.as_ptr().cast()), "freeing {bytes} bytes of pinned memory") }
        }));
    }
}
