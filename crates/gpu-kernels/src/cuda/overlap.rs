//! Launches that begin while the kernel before them in the stream still runs.
//!
//! CUDA calls it programmatic dependent launch: compute capability 9, driver 11.8. The kernel itself waits for the earlier one
//! (`begin_after_earlier_kernels` in `kernels/platform/lanes.h`); what overlaps is the launch. `cust` does not know the call.

use std::ffi::{c_uint, c_void};

use cust::sys::{CUfunction, CUstream};

use super::error::DriverCode;
use super::module::LaunchShape;

/// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION.
const PROGRAMMATIC_STREAM_SERIALIZATION: c_uint = 6;

/// CUlaunchAttribute: an identity, then a union of 64 bytes.
#[repr(C, align(8))]
struct LaunchAttribute {
    id: c_uint,
    _pad: [u8; 4],
    value: [u32; 16],
}

/// CUlaunchConfig.
#[repr(C)]
struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    dynamic_shared_bytes: c_uint,
    stream: CUstream,
    attributes: *mut LaunchAttribute,
    attribute_count: c_uint,
}

const _: () = assert!(size_of::<LaunchAttribute>() == 72 && size_of::<LaunchConfig>() == 56);

unsafe extern "C" {
    fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        function: CUfunction,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> c_uint;
}

/// Launches a kernel that waits for earlier ones by itself.
///
/// # Safety
/// As for `cuLaunchKernel`; and the kernel touches no memory before it has waited.
pub(super) unsafe fn launch_overlapping(
    function: CUfunction,
    shape: LaunchShape,
    stream: CUstream,
    arguments: &mut [*mut c_void],
) -> DriverCode {
    let mut value = [0; 16];
    value[0] = 1;
    let mut attribute = LaunchAttribute { id: PROGRAMMATIC_STREAM_SERIALIZATION, _pad: [0; 4], value };
    let config = LaunchConfig {
        grid: [shape.blocks, 1, 1],
        block: [shape.threads_per_block, 1, 1],
        dynamic_shared_bytes: shape.dynamic_shared_bytes,
        stream,
        attributes: &mut attribute,
        attribute_count: 1,
    };
    // SAFETY: the structs are laid out as the driver's; the caller vouches for the rest.
    DriverCode(unsafe { cuLaunchKernelEx(&config, function, arguments.as_mut_ptr(), std::ptr::null_mut()) })
}
