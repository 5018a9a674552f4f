//! The ladder: a model at more and more environments, up to the edge of the device.

pub mod climb;
pub mod plot;
pub mod report;
