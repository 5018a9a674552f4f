//! The kernels' host side: embedded sources, NVRTC, cache, CUDA and CPU executors.
