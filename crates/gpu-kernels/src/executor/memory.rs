//! A piece of memory that kernels read and write, on the host or on a device.
use super::ExecutorError;
use super::cpu_memory::HostMemory;
#[cfg(all(feature = "cuda", target_os = "linux"))]
use crate::cuda::{Buffer, StreamHandle};

/// Zeroed memory with a stable address.
#[derive(Debug)]
pub enum Memory {
    /// The host's.
    Host(HostMemory),
    /// A GPU's; copies go through the stream.
    #[cfg(all(feature = "cuda", target_os = "linux"))]
    Device(Buffer, StreamHandle),
}

impl Memory {
    /// Where it is, as the kernels see it.
    pub fn address(&self) -> u64 {
        match self {
            Memory::Host(memory) => memory.address() as u64,
            #[cfg(all(feature = "cuda", target_os = "linux"))]
            Memory::Device(buffer, _) => buffer.pointer(),
        }
    }

    /// Copies `bytes` to `offset`; waits for the kernels launched before.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), ExecutorError> {
        match self {
            Memory::Host(memory) => memory.bytes_mut()[offset..offset + bytes.len()].copy_from_slice(bytes),
            #[cfg(all(feature = "cuda", target_os = "linux"))]
            Memory::Device(buffer, stream) => buffer.copy_from_host(offset as u64, bytes, *stream)?,
        }
        Ok(())
    }

    /// Copies from `offset` into `bytes`; waits for the kernels launched before.
    ///
    /// # Errors
    /// If the driver refuses or a kernel failed.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), ExecutorError> {
        match self {
            Memory::Host(memory) => bytes.copy_from_slice(&memory.bytes()[offset..offset + bytes.len()]),
            #[cfg(all(feature = "cuda", target_os = "linux"))]
            Memory::Device(buffer, stream) => buffer.copy_to_host(offset as u64, bytes, *stream)?,
        }
        Ok(())
    }
}
