//! Loads cubins and launches their kernels.

use std::ffi::{CString, c_int, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;

use cust::sys::CUfunction_attribute_enum::{self, *};
use cust::sys::{CUfunction, CUmodule};
use serde::{Deserialize, Serialize};

use super::device::Device;
use super::driver::{check_code, log_failure};
use super::error::{CudaError, DriverCode};
use super::overlap::launch_overlapping;
use super::stream::StreamHandle;
use crate::compile::Cubin;

/// A cubin on a device. Any number may be loaded; the code stays as long as this value or one of its kernels lives.
#[derive(Debug, Clone)]
pub struct Module(Arc<LoadedModule>);

#[derive(Debug)]
struct LoadedModule {
    device: Device,
    raw: CUmodule,
    contents: Cubin,
}

// SAFETY: the driver lets any thread use a module.
unsafe impl Send for LoadedModule {}
// SAFETY: as above; the fields never change.
unsafe impl Sync for LoadedModule {}

impl Module {
    /// Loads a cubin. The driver may put off loading a kernel until [`Module::kernel`] finds it, not longer.
    ///
    /// # Errors
    /// [`CudaError::BadModule`] if it is no cubin; the driver's if it was compiled for another GPU or a newer driver.
    pub fn load(device: &Device, cubin: &[u8]) -> Result<Self, CudaError> {
        let contents = Cubin::read(cubin).map_err(|error| CudaError::BadModule { reason: error.to_string() })?;
        let mut raw = ptr::null_mut();
        device.with_current(|| {
            let (arch, bytes) = (contents.arch, cubin.len());
            // SAFETY: the ELF file was parsed above and says its own length; `drop` unloads the module.
            unsafe {
                check!(
                    cuModuleLoadData(&mut raw, cubin.as_ptr().cast()),
                    "loading {bytes} bytes of code for {arch} on {device}"
                )
            }
        })?;
        tracing::debug!("loaded {} bytes of code for {} on {device}", cubin.len(), contents.arch);
        Ok(Self(Arc::new(LoadedModule { device: device.clone(), raw, contents })))
    }

    /// The device that it is loaded on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// What the cubin says about itself.
    pub fn contents(&self) -> &Cubin {
        &self.0.contents
    }

    /// The kernel of this name, `extern "C"`.
    ///
    /// # Errors
    /// [`CudaError::NoSuchKernel`] with the names that there are, or the driver's.
    pub fn kernel(&self, name: &str) -> Result<Kernel, CudaError> {
        let Some(contents) = self.0.contents.kernel(name) else {
            let present = self.0.contents.kernels.iter().map(|kernel| kernel.name.clone()).collect();
            return Err(CudaError::NoSuchKernel { name: name.into(), present });
        };
        // A name that was found in an ELF string table has no NUL inside.
        let text = CString::new(name).unwrap_or_default();
        let mut raw = ptr::null_mut();
        let attributes = self.device().with_current(|| {
            // SAFETY: the module is loaded, and the name ends with a NUL.
            unsafe { check!(cuModuleGetFunction(&mut raw, self.0.raw, text.as_ptr()), "finding kernel `{name}`")? };
            KernelAttributes::of(raw, name)
        })?;
        let argument_bytes = contents.argument_bytes as usize;
        Ok(Kernel { module: self.clone(), raw, name: name.into(), attributes, argument_bytes, overlaps: false })
    }
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        let Self { device, raw, .. } = self;
        log_failure(device.with_current(|| {
            // SAFETY: the module was loaded in `load`, and no kernel of it is alive, since each holds the Arc.
            unsafe { check!(cuModuleUnload(*raw), "unloading a module from {device}") }
        }));
    }
}

/// What the driver says about a kernel on this device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelAttributes {
    /// Registers of each thread.
    pub registers: u32,
    /// Bytes of local memory of each thread.
    pub local_bytes: u32,
    /// Bytes of shared memory that the source declares with a fixed size.
    pub static_shared_bytes: u32,
    /// Bytes of constant memory that the source declares.
    pub constant_bytes: u32,
    /// The largest block that its registers allow.
    pub max_threads_per_block: u32,
    /// Bytes of dynamic shared memory that a launch may ask for now.
    pub max_dynamic_shared_bytes: u32,
    /// The architecture that its code is for: 90.
    pub binary_version: u32,
}

impl KernelAttributes {
    fn of(raw: CUfunction, name: &str) -> Result<Self, CudaError> {
        let get = |attribute: CUfunction_attribute_enum| -> Result<u32, CudaError> {
            let mut value: c_int = 0;
            // SAFETY: `value` is a place for the result, and the function is loaded.
            unsafe {
                check!(cuFuncGetAttribute(&mut value, attribute, raw), "asking an attribute of kernel `{name}`")?
            };
            Ok(value as u32)
        };
        Ok(Self {
            registers: get(CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            static_shared_bytes: get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            constant_bytes: get(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
            max_threads_per_block: get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            max_dynamic_shared_bytes: get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?,
            binary_version: get(CU_FUNC_ATTRIBUTE_BINARY_VERSION)?,
        })
    }
}

/// How many threads, with how much shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LaunchShape {
    /// Blocks of the grid, in one dimension.
    pub blocks: u32,
    /// Threads of each block.
    pub threads_per_block: u32,
    /// Dynamic shared memory of each block.
    pub dynamic_shared_bytes: u32,
}

impl fmt::Display for LaunchShape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { blocks, threads_per_block, dynamic_shared_bytes } = self;
        write!(
            f,
            "{blocks} blocks of {threads_per_block} threads, {dynamic_shared_bytes} bytes of dynamic shared memory"
        )
    }
}

/// A kernel that is ready to launch.
#[derive(Debug, Clone)]
pub struct Kernel {
    module: Module,
    raw: CUfunction,
    name: String,
    attributes: KernelAttributes,
    argument_bytes: usize,
    overlaps: bool,
}

// SAFETY: the driver lets any thread use a function; the module is kept.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The device that it is loaded on.
    pub fn device(&self) -> &Device {
        self.module.device()
    }

    /// What the driver said when the kernel was found; `max_dynamic_shared_bytes` is of that moment.
    pub fn attributes(&self) -> &KernelAttributes {
        &self.attributes
    }

    /// Bytes of its arguments, from the cubin.
    pub fn argument_bytes(&self) -> usize {
        self.argument_bytes
    }

    /// Lets launches begin while the kernel before them still runs, where device and driver can.
    ///
    /// # Safety
    /// The kernel waits for earlier kernels before it touches memory.
    #[must_use]
    pub unsafe fn overlapping(self) -> Self {
        Self { overlaps: self.module.0.contents.arch.major() >= 9, ..self }
    }

    /// Allows launches with up to this much dynamic shared memory; 48 KB are allowed anyway.
    ///
    /// # Errors
    /// The driver's, if it is more than the device's opt-in limit less the static part.
    pub fn set_max_dynamic_shared(&self, bytes: u32) -> Result<(), CudaError> {
        let device = self.device();
        let limit = device.attributes().shared_memory_per_block_optin;
        let (name, fixed) = (&self.name, self.attributes.static_shared_bytes);
        device.with_current(|| {
            let attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is loaded.
            unsafe {
                check!(
                    cuFuncSetAttribute(self.raw, attribute, bytes.min(c_int::MAX as u32) as c_int),
                    "allowing kernel `{name}` {bytes} bytes of dynamic shared memory beside {fixed} static ones, of {limit} \
                     that {device} offers a block"
                )
            }
        })
    }

    /// How many blocks of this shape one multiprocessor holds at a time, says the driver.
    ///
    /// # Errors
    /// The driver's.
    pub fn blocks_per_multiprocessor(
        &self,
        threads_per_block: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<u32, CudaError> {
        let mut blocks: c_int = 0;
        let name = &self.name;
        self.device().with_current(|| {
            let (threads, bytes) = (threads_per_block as c_int, dynamic_shared_bytes as usize);
            // SAFETY: `blocks` is a place for the result, and the function is loaded.
            unsafe {
                check!(
                    cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.raw, threads, bytes),
                    "asking how many blocks of `{name}` ({threads} threads, {bytes} bytes) a multiprocessor holds"
                )
            }
        })?;
        Ok(blocks as u32)
    }

    /// Launches in the stream's order and does not wait. `arguments` is the one struct that the kernel takes by value.
    ///
    /// # Safety
    /// Every address in `arguments` is valid for what the kernel does with it, until the kernel is done.
    ///
    /// # Errors
    /// [`CudaError::ArgumentSize`]; the driver's if the shape is impossible, or if an earlier kernel has crashed.
    pub unsafe fn launch(&self, shape: LaunchShape, arguments: &[u8], stream: StreamHandle) -> Result<(), CudaError> {
        let Self { name, argument_bytes: expected, .. } = self;
        if arguments.len() != *expected {
            return Err(CudaError::ArgumentSize { kernel: name.clone(), expected: *expected, given: arguments.len() });
        }
        let mut pointers = [arguments.as_ptr().cast_mut().cast::<c_void>()];
        let device = self.device();
        tracing::trace!("launching `{name}` on {device}: {shape}");
        // A graph keeps the usual order: older drivers cannot capture the other.
        let overlaps = self.overlaps && !stream.is_capturing(device)?;
        device.with_current(|| {
            if overlaps {
                // SAFETY: as below; whoever made the kernel overlapping vouches for its waiting.
                let code = unsafe { launch_overlapping(self.raw, shape, stream.raw(), &mut pointers) };
                if code != DriverCode::NOT_FOUND {
                    return check_code("cuLaunchKernelEx", code.0, || {
                        format!("launching `{name}` on {device}: {shape} ({})", self.limits())
                    });
                }
            }
            // SAFETY: the kernel takes one argument of this very size (or none), which the driver copies before it returns;
            // the caller vouches for the addresses in it.
            unsafe {
                check!(
                    cuLaunchKernel(
                        self.raw,
                        shape.blocks,
                        1,
                        1,
                        shape.threads_per_block,
                        1,
                        1,
                        shape.dynamic_shared_bytes,
                        stream.raw(),
                        pointers.as_mut_ptr(),
                        ptr::null_mut(),
                    ),
                    "launching `{name}` on {device}: {shape} ({})",
                    self.limits()
                )
            }
        })
    }

    /// What a launch may ask for, for messages.
    fn limits(&self) -> String {
        let now = KernelAttributes::of(self.raw, &self.name).unwrap_or(self.attributes);
        format!(
            "at most {} threads a block at {} registers, {} bytes of dynamic shared memory as set, {} opt-in",
            now.max_threads_per_block,
            now.registers,
            now.max_dynamic_shared_bytes,
            self.device().attributes().shared_memory_per_block_optin,
        )
    }
}
