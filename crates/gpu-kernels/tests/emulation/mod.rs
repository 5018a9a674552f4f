//! What the test of the emulated lanes stands on: a GPU played by a host-compiled library, and a batch in plain vectors.

pub mod batch;
pub mod library;
pub mod models;
