//! Chooses team sizes, blocks, shared memory and buffers from a device's limits.
