//! Host memory that kernels write through raw pointers.
use super::ExecutorError;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// A cache line, and enough for any vector load.
const ALIGNMENT: usize = 64;

/// Zeroed, aligned host memory with a stable address.
#[derive(Debug)]
pub struct HostMemory {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory is owned; kernels that write it are launched through `&mut` executors and joined before they return.
unsafe impl Send for HostMemory {}
// SAFETY: shared access reads only; see above.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Allocates `bytes` (one at least).
    ///
    /// # Errors
    /// If the host has not enough.
    pub fn zeroed(bytes: usize, what: &str) -> Result<HostMemory, ExecutorError> {
        let error = || ExecutorError::HostMemory { bytes, what: what.into() };
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).map_err(|_| error())?;
        // SAFETY: the layout has a size above zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(error)?;
        tracing::debug!("{bytes} bytes of host memory for {what}");
        Ok(HostMemory { start, layout })
    }

    /// Where it starts.
    pub fn address(&self) -> usize {
        self.start.as_ptr() as usize
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the memory is live and initialised; no kernel runs while the executor's caller holds this.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }

    /// All bytes, to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated in `zeroed` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}
