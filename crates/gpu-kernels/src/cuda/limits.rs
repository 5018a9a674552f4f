//! Tells which devices there are and what each offers, without making a context.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::CudaError;
use crate::compile::Architecture;

/// The newest CUDA that a driver serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DriverVersion {
    /// 13 of 13.0.
    pub major: u32,
    /// 0 of 13.0.
    pub minor: u32,
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What a device offers. Names are those of `cuDeviceGetAttribute` in snake case; sizes are bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceAttributes {
    /// The number in `cuda:0`.
    pub ordinal: usize,
    /// The device's name.
    pub name: String,
    /// Where it is on the bus, as `nvidia-smi` writes it.
    pub pci_bus_id: String,
    /// Major and minor compute capability.
    pub compute_capability: (u32, u32),
    /// Multiprocessors (SMs).
    pub multiprocessor_count: u32,
    /// Lanes of a warp.
    pub warp_size: u32,
    /// Threads of one block.
    pub max_threads_per_block: u32,
    /// Threads that a multiprocessor holds at a time.
    pub max_threads_per_multiprocessor: u32,
    /// Blocks that a multiprocessor holds at a time.
    pub max_blocks_per_multiprocessor: u32,
    /// Shared memory of a block that does not ask for more.
    pub shared_memory_per_block: u32,
    /// Shared memory of a block that does.
    pub shared_memory_per_block_optin: u32,
    /// Shared memory of a multiprocessor.
    pub shared_memory_per_multiprocessor: u32,
    /// Shared memory that the driver takes from every block.
    pub reserved_shared_memory_per_block: u32,
    /// Registers of one block.
    pub registers_per_block: u32,
    /// Registers of a multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Blocks of a grid in its first dimension.
    pub max_grid_dim_x: u32,
    /// Constant memory.
    pub total_constant_memory: u32,
    /// Global memory.
    pub total_global_memory: u64,
    /// Level 2 cache.
    pub l2_cache_bytes: u64,
    /// The multiprocessors' clock, kHz.
    pub clock_rate_khz: u32,
    /// The memory's clock, kHz.
    pub memory_clock_rate_khz: u32,
    /// The memory's bus, bits.
    pub global_memory_bus_width: u32,
    /// Whether kernels can use pinned host memory.
    pub can_map_host_memory: bool,
    /// Whether the device shares the host's memory (Jetson).
    pub integrated: bool,
    /// Whether its memory corrects errors.
    pub ecc_enabled: bool,
    /// Whether a display's watchdog ends long kernels.
    pub kernel_exec_timeout: bool,
    /// Whether memory pools and stream-ordered allocation work.
    pub memory_pools_supported: bool,
}

impl DeviceAttributes {
    /// What to compile for.
    pub fn architecture(&self) -> Architecture {
        Architecture::from_capability(self.compute_capability.0, self.compute_capability.1)
    }
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
pub use of_driver::{device_count, devices, driver_version};
#[cfg(not(all(feature = "cuda", target_os = "linux")))]
pub use without_driver::{device_count, devices, driver_version};

#[cfg(all(feature = "cuda", target_os = "linux"))]
pub(super) mod of_driver {
    use std::ffi::{CStr, c_char, c_int};

    use cust::sys::CUdevice_attribute_enum::{self, *};

    use super::super::driver;
    use super::*;
    use crate::cuda::DriverCode;

    /// The newest CUDA that the driver serves.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`].
    pub fn driver_version() -> Result<DriverVersion, CudaError> {
        // The version can be asked before cuInit, which fails if there is a driver and no device.
        let opened = driver::init();
        if matches!(opened, Err(CudaError::NoDriver { .. })) {
            opened?;
        }
        let mut number: c_int = 0;
        // SAFETY: `number` is a place for the result.
        unsafe { check!(cuDriverGetVersion(&mut number), "asking the driver's version")? };
        Ok(DriverVersion { major: number as u32 / 1000, minor: number as u32 % 1000 / 10 })
    }

    /// How many devices there are; 0 if there is a driver and no device.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`].
    pub fn device_count() -> Result<usize, CudaError> {
        match driver::init() {
            Err(error) if error.code() == Some(DriverCode::NO_DEVICE) => return Ok(0),
            other => other?,
        }
        let mut count: c_int = 0;
        // SAFETY: `count` is a place for the result.
        unsafe { check!(cuDeviceGetCount(&mut count), "counting the devices")? };
        Ok(count as usize)
    }

    /// What every device offers.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`], or the driver's.
    pub fn devices() -> Result<Vec<DeviceAttributes>, CudaError> {
        (0..device_count()?).map(attributes).collect()
    }

    /// The driver's handle of a device.
    pub(in crate::cuda) fn handle(ordinal: usize) -> Result<cust::sys::CUdevice, CudaError> {
        let count = device_count()?;
        if ordinal >= count {
            return Err(CudaError::NoSuchDevice { ordinal, count });
        }
        let mut device = 0;
        // SAFETY: `device` is a place for the result.
        unsafe { check!(cuDeviceGet(&mut device, ordinal as c_int), "opening cuda:{ordinal}")? };
        Ok(device)
    }

    /// What one device offers.
    pub(in crate::cuda) fn attributes(ordinal: usize) -> Result<DeviceAttributes, CudaError> {
        let device = handle(ordinal)?;
        let get = |attribute: CUdevice_attribute_enum| -> Result<u32, CudaError> {
            let mut value: c_int = 0;
            // SAFETY: `value` is a place for the result, and `device` came from the driver.
            unsafe {
                let what = attribute as u32;
                check!(
                    cuDeviceGetAttribute(&mut value, attribute, device),
                    "asking attribute {what} of cuda:{ordinal}"
                )?
            };
            Ok(value as u32)
        };
        let mut text = [0 as c_char; 256];
        let length = text.len() as c_int;
        // SAFETY: the buffer has the length that is passed.
        unsafe {
            check!(cuDeviceGetName(text.as_mut_ptr(), length, device), "asking the name of cuda:{ordinal}")?;
        }
        let name = until_nul(&text);
        // SAFETY: the buffer has the length that is passed.
        unsafe {
            check!(cuDeviceGetPCIBusId(text.as_mut_ptr(), length, device), "asking the bus of cuda:{ordinal}")?;
        }
        let pci_bus_id = until_nul(&text);
        let mut total_global_memory = 0;
        // SAFETY: `total_global_memory` is a place for the result.
        unsafe {
            check!(cuDeviceTotalMem_v2(&mut total_global_memory, device), "asking the memory of cuda:{ordinal}")?;
        }
        Ok(DeviceAttributes {
            ordinal,
            name,
            pci_bus_id,
            compute_capability: (
                get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            multiprocessor_count: get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            warp_size: get(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
            max_threads_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            max_threads_per_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            max_blocks_per_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
            shared_memory_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
            shared_memory_per_block_optin: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            shared_memory_per_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
            reserved_shared_memory_per_block: get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
            registers_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
            registers_per_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
            max_grid_dim_x: get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            total_constant_memory: get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)?,
            total_global_memory: total_global_memory as u64,
            l2_cache_bytes: get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
            clock_rate_khz: get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            memory_clock_rate_khz: get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
            global_memory_bus_width: get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
            can_map_host_memory: get(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)? != 0,
            integrated: get(CU_DEVICE_ATTRIBUTE_INTEGRATED)? != 0,
            ecc_enabled: get(CU_DEVICE_ATTRIBUTE_ECC_ENABLED)? != 0,
            kernel_exec_timeout: get(CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT)? != 0,
            memory_pools_supported: get(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0,
        })
    }

    fn until_nul(text: &[c_char; 256]) -> String {
        let mut text = *text;
        text[255] = 0;
        // SAFETY: the last element is a NUL, so one is found inside the array.
        unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
    }
}

#[cfg(not(all(feature = "cuda", target_os = "linux")))]
mod without_driver {
    use super::*;

    /// Always [`CudaError::NotBuilt`] in this build.
    pub fn driver_version() -> Result<DriverVersion, CudaError> {
        Err(CudaError::NotBuilt)
    }

    /// Always [`CudaError::NotBuilt`] in this build.
    pub fn device_count() -> Result<usize, CudaError> {
        Err(CudaError::NotBuilt)
    }

    /// Always [`CudaError::NotBuilt`] in this build.
    pub fn devices() -> Result<Vec<DeviceAttributes>, CudaError> {
        Err(CudaError::NotBuilt)
    }
}
