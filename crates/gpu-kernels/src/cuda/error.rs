//! Tells what a failure of the driver means here, how much was asked for, and what to do about it.

use std::fmt;

/// An error of the CUDA driver, or of asking it for something impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The crate was built without the `cuda` feature, or for a system other than Linux.
    #[error("this build has no CUDA support; build on Linux with the feature `cuda` (it needs no CUDA toolkit)")]
    NotBuilt,

    /// The machine has no NVIDIA driver, or one that does not load.
    #[error(
        "no CUDA driver on this machine ({reason}); install NVIDIA's driver, or in a container start it with `--gpus all`; \
         without one use the CPU"
    )]
    NoDriver {
        /// What the loader said.
        reason: String,
    },

    /// The device's number is too large.
    #[error("there is no device cuda:{ordinal}: {}", match count {
        0 => "this machine offers none; check `nvidia-smi` and CUDA_VISIBLE_DEVICES".to_string(),
        1 => "this machine has one, cuda:0".to_string(),
        n => format!("this machine has {n}, cuda:0 to cuda:{}", n - 1),
    })]
    NoSuchDevice {
        /// The number asked for.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },

    /// An allocation that the memory does not hold.
    #[error(
        "{what} needs {asked} bytes of {kind} memory, {}; use fewer environments, or free what other programs hold \
         (`nvidia-smi` lists them)",
        match free { Some((free, total)) => format!("{free} of {total} are free"), None => "and the driver refused".into() }
    )]
    OutOfMemory {
        /// What the memory is for.
        what: String,
        /// `device` or `pinned host`.
        kind: &'static str,
        /// Bytes asked for.
        asked: u64,
        /// Free and total bytes of the device just after the failure.
        free: Option<(u64, u64)>,
    },

    /// The kernel is not in the module.
    #[error("there is no kernel `{name}` in the module; it has: {}", present.join(", "))]
    NoSuchKernel {
        /// The name asked for.
        name: String,
        /// The names that the module has.
        present: Vec<String>,
    },

    /// The argument block has another size than the kernel was compiled for.
    #[error(
        "kernel `{kernel}` takes {expected} bytes of arguments, {given} were given; the host's and the kernel's argument \
         blocks differ"
    )]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// What its code reads.
        expected: usize,
        /// What was given.
        given: usize,
    },

    /// A copy or fill that reaches beyond its buffer.
    #[error("{what}: bytes {from} to {to} lie outside its {bytes} bytes")]
    OutOfBounds {
        /// The buffer.
        what: String,
        /// First byte.
        from: u64,
        /// One past the last byte.
        to: u64,
        /// The buffer's size.
        bytes: u64,
    },

    /// A file that is no cubin.
    #[error("loading a module: {reason}")]
    BadModule {
        /// What is wrong with it.
        reason: String,
    },

    /// Any other failure of the driver.
    #[error("{doing}: {code}; {}", code.advice())]
    Driver {
        /// What was being done, in words, with the amounts.
        doing: String,
        /// The driver's function.
        call: &'static str,
        /// The driver's number.
        code: DriverCode,
    },
}

impl CudaError {
    /// The driver's number, if the driver gave one.
    pub fn code(&self) -> Option<DriverCode> {
        match self {
            CudaError::Driver { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Whether every later call in this process fails too: a kernel crashed and took the context with it.
    pub fn is_sticky(&self) -> bool {
        self.code().is_some_and(|code| matches!(code.0, 214 | 226 | 700 | 702 | 710 | 714..=719))
    }
}

/// A CUresult. Not the enum of `cust`: a newer driver has numbers that the enum lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriverCode(pub u32);

impl DriverCode {
    /// No room on the device.
    pub const OUT_OF_MEMORY: Self = Self(2);
    /// The process is ending, and the driver has gone first.
    pub const DEINITIALIZED: Self = Self(4);
    /// No GPU.
    pub const NO_DEVICE: Self = Self(100);
    /// Not an error: work is still going on.
    pub const NOT_READY: Self = Self(600);

    /// The name in cuda.h and what it means in a few words.
    pub fn name(self) -> (&'static str, &'static str) {
        match self.0 {
            1 => ("CUDA_ERROR_INVALID_VALUE", "a value is out of range"),
            2 => ("CUDA_ERROR_OUT_OF_MEMORY", "out of memory"),
            3 => ("CUDA_ERROR_NOT_INITIALIZED", "the driver is not initialised"),
            4 => ("CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"),
            34 => ("CUDA_ERROR_STUB_LIBRARY", "the library is the toolkit's stub"),
            35 => ("CUDA_ERROR_INSUFFICIENT_DRIVER", "the driver is too old"),
            46 => ("CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy or reserved"),
            100 => ("CUDA_ERROR_NO_DEVICE", "no GPU"),
            101 => ("CUDA_ERROR_INVALID_DEVICE", "no such GPU"),
            200 => ("CUDA_ERROR_INVALID_IMAGE", "the module is broken"),
            201 => ("CUDA_ERROR_INVALID_CONTEXT", "no or the wrong context is current"),
            209 => ("CUDA_ERROR_NO_BINARY_FOR_GPU", "the kernel was compiled for another GPU"),
            214 => ("CUDA_ERROR_ECC_UNCORRECTABLE", "the GPU's memory is damaged"),
            218 => ("CUDA_ERROR_INVALID_PTX", "the PTX does not compile"),
            221 => ("CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "the driver's PTX compiler is missing"),
            222 => ("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the compiler is newer than the driver"),
            304 => ("CUDA_ERROR_OPERATING_SYSTEM", "the operating system refused"),
            400 => ("CUDA_ERROR_INVALID_HANDLE", "a handle is not valid here"),
            500 => ("CUDA_ERROR_NOT_FOUND", "no such name"),
            600 => ("CUDA_ERROR_NOT_READY", "not finished yet"),
            700 => ("CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel used an address that is not its own"),
            701 => ("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "one block needs more than a multiprocessor has"),
            702 => ("CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran too long"),
            710 => ("CUDA_ERROR_ASSERT", "an assertion failed in a kernel"),
            715 => ("CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel ran into an illegal instruction"),
            716 => ("CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel used a misaligned address"),
            717 => ("CUDA_ERROR_INVALID_ADDRESS_SPACE", "a kernel mixed up global, shared and local memory"),
            718 => ("CUDA_ERROR_INVALID_PC", "a kernel jumped into nowhere"),
            719 => ("CUDA_ERROR_LAUNCH_FAILED", "a kernel crashed"),
            720 => ("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "the blocks do not fit on the GPU together"),
            801 => ("CUDA_ERROR_NOT_SUPPORTED", "this GPU or driver cannot do that"),
            802 => ("CUDA_ERROR_SYSTEM_NOT_READY", "the GPU's fabric is not ready"),
            803 => ("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "the driver's library and kernel module differ"),
            804 => ("CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "the compatibility library does not suit this GPU"),
            900..=908 => ("CUDA_ERROR_STREAM_CAPTURE", "not allowed while a graph is captured"),
            999 => ("CUDA_ERROR_UNKNOWN", "unknown to the driver itself"),
            _ => ("CUresult", "see cuda.h"),
        }
    }

    /// What it means for this program, and what to do.
    pub fn advice(self) -> &'static str {
        match self.0 {
            1 => {
                "most often more threads, shared memory or blocks than the device offers: plan for this device's limits"
            }
            2 => "use fewer environments, or free what other programs hold (`nvidia-smi` lists them)",
            4 => "drop simulations before the process ends",
            34 => "the toolkit's lib64/stubs is on LD_LIBRARY_PATH: remove it, and install NVIDIA's driver",
            35 => "update NVIDIA's driver, or compile with an older NVRTC (`pip install nvidia-cuda-nvrtc-cu12`)",
            46 => "another process holds the GPU exclusively: end it, or set the compute mode to Default",
            100 => "check `nvidia-smi` and CUDA_VISIBLE_DEVICES; in a container start it with `--gpus all`",
            200 => "delete the cache of compiled kernels (`~/.cache/phalanx`) and run again",
            201 => "the handle belongs to another device or to a context that is gone: make it anew on this device",
            209 => {
                "compile for this device's compute capability; if it is newer than NVRTC, \
                 `pip install -U nvidia-cuda-nvrtc`"
            }
            214 | 715 => "the GPU may be damaged: see `nvidia-smi -q -d ECC` and the system's log, then restart it",
            218 | 221 | 222 => {
                "update NVIDIA's driver, or compile with an NVRTC no newer than it (`nvidia-smi` shows the CUDA version)"
            }
            304 => "check that /dev/nvidia* may be opened, and the system's log",
            500 => "the driver lacks this function, or the module this name: update NVIDIA's driver",
            700 | 716..=719 => {
                "a bug in a kernel or a freed buffer; the process must be restarted; `compute-sanitizer` names the line; \
                 please report it"
            }
            701 => {
                "registers x threads or shared memory of one block are over the limit: use smaller blocks, or compile with \
                 `__launch_bounds__` of this block size"
            }
            702 => "a display's watchdog ended it: take fewer steps in one call, or use a GPU without a display",
            710 => "restart the process; the assertion's text is on the standard output",
            720 => "use no more blocks than the occupancy query says",
            802 => "start or restart nvidia-fabricmanager",
            803 => "the driver was updated without a restart: restart the machine (or the container's host)",
            804 => "remove the cuda-compat package, which forward compatibility needs a data-centre GPU for",
            900..=908 => "end the capture first; allocate and synchronise outside of it",
            _ => "see https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html",
        }
    }
}

impl fmt::Display for DriverCode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (name, meaning) = self.name();
        write!(f, "{meaning} ({name}, {})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_where_how_much_and_what_to_do() {
        let launch = CudaError::Driver {
            doing: "launching `step`: 132 blocks of 256 threads, 400000 bytes of dynamic shared memory".into(),
            call: "cuLaunchKernel",
            code: DriverCode(701),
        };
        let text = launch.to_string();
        for part in ["`step`", "400000 bytes", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701", "use smaller blocks"] {
            assert!(text.contains(part), "{text}");
        }
        let memory = CudaError::OutOfMemory {
            what: "the state of 1000000 environments".into(),
            kind: "device",
            asked: 200,
            free: Some((50, 100)),
        };
        assert!(memory.to_string().starts_with(
            "the state of 1000000 environments needs 200 bytes of device memory, 50 of 100 are free; use fewer"
        ));
    }

    #[test]
    fn a_crashed_kernel_is_sticky_and_a_refused_launch_is_not() {
        let error = |code| CudaError::Driver { doing: String::new(), call: "", code: DriverCode(code) };
        assert!(error(700).is_sticky() && error(717).is_sticky());
        assert!(!error(1).is_sticky() && !error(701).is_sticky() && !CudaError::NotBuilt.is_sticky());
    }
}
