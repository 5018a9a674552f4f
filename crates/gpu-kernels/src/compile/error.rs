//! What can go wrong on the way from a source to a cubin, told so that the reader knows what to do.

use std::path::PathBuf;

/// An error of opening NVRTC, of compiling with it, or of reading what it made.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// No NVRTC library in any of the places where one is looked for.
    #[error(
        "NVRTC, which compiles the kernels for the GPU, was not found; install it with `pip install nvidia-cuda-nvrtc` \
         (or a CUDA toolkit), or point PHALANX_NVRTC at libnvrtc.so; looked in: {}",
        looked_in.join(", ")
    )]
    NvrtcNotFound {
        /// The places, in the order in which they were tried.
        looked_in: Vec<String>,
    },

    /// A library was found and cannot be used.
    #[error("NVRTC at {} cannot be used: {reason}; point PHALANX_NVRTC at another libnvrtc.so", path.display())]
    NvrtcUnusable {
        /// The library.
        path: PathBuf,
        /// What the loader or the library said.
        reason: String,
    },

    /// This NVRTC has no code generator for the device.
    #[error(
        "NVRTC {nvrtc} compiles for {supported}, not for {wanted}; install a newer one with `pip install -U nvidia-cuda-nvrtc` \
         (or an older one, if the GPU's generation was dropped: `pip install nvidia-cuda-nvrtc-cu12`)"
    )]
    UnsupportedArchitecture {
        /// The architecture asked for.
        wanted: String,
        /// The version of the library.
        nvrtc: String,
        /// What it supports.
        supported: String,
    },

    /// The source does not compile.
    #[error("{name} does not compile for {arch}: {reason}\n{log}")]
    Source {
        /// The program's name.
        name: String,
        /// The architecture.
        arch: String,
        /// NVRTC's word for the failure.
        reason: String,
        /// The compiler's messages.
        log: String,
    },

    /// A name, source or option contains a NUL byte.
    #[error("{what} of {name} contains a NUL byte at {position}; remove it")]
    NulByte {
        /// The program's name.
        name: String,
        /// Which text.
        what: String,
        /// Where.
        position: usize,
    },

    /// An NVRTC call failed that has nothing to do with the source.
    #[error("NVRTC's {call} failed for {name}: {reason}")]
    Nvrtc {
        /// The function of NVRTC's interface.
        call: &'static str,
        /// The program's name.
        name: String,
        /// NVRTC's word for the failure.
        reason: String,
    },

    /// A file that should be a cubin is none.
    #[error("not a cubin: {reason}")]
    BadCubin {
        /// What is wrong with it.
        reason: String,
    },
}
