//! What a test needs of this machine, and may do without.

use phalanx_gpu_kernels::compile::{CompileError, Nvrtc};

/// NVRTC, or `None` with a message where it is not installed.
pub fn nvrtc() -> Option<Nvrtc> {
    match Nvrtc::open() {
        Ok(nvrtc) => Some(nvrtc),
        Err(CompileError::NvrtcNotFound { .. }) => {
            eprintln!("skipped: no NVRTC on this machine (pip install nvidia-cuda-nvrtc)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
