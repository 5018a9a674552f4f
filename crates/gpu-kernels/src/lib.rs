//! The kernels' host side: the field table, embedded sources, specialisation, and the executors on CUDA and on the CPU.

pub mod compile;
pub mod cuda;
pub mod executor;
pub mod fields;
pub mod pairs;
pub mod planning;
pub mod ranges;
pub mod shape;
pub mod sources;
pub mod tuning;
pub mod view;
