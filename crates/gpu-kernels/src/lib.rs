//! The kernels' host side: embedded sources, NVRTC, cache, CUDA and CPU executors.

pub mod compile;
pub mod cuda;
