//! Tells what a failure of the driver means here, how much was asked for, and what to do about it.

use std::fmt;

use super::driver_codes;

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
    /// The driver lacks a function, or a module a name.
    pub const NOT_FOUND: Self = Self(500);

    /// The name in cuda.h and what it means in a few words.
    pub fn name(self) -> (&'static str, &'static str) {
        let entry = driver_codes::entry(self.0);
        (entry.name, entry.meaning)
    }

    /// What to do about it.
    pub fn advice(self) -> &'static str {
        driver_codes::entry(self.0).advice
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
