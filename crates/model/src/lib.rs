//! Reads MJCF robot models and computes what MuJoCo's compiler computes.
//!
//! [`Model::from_file`] turns an MJCF file into the flat arrays of MuJoCo 4.0.0's `mjModel`, with MuJoCo's names,
//! index order and values. Promises: whatever the simulator cannot honour is an error that names file, line, element
//! and attribute; nothing that would change the motion is ignored; no input makes it panic or loop. It refuses meshes
//! and height fields that collide, equality constraints, tendons that act, muscles, plugins, flexes and elliptic cones.

mod array_table;
mod load_error;
mod model;
mod names;
mod options;

pub use array_table::{ArrayData, NamedArray};
pub use load_error::LoadError;
pub use model::Model;
pub use names::Names;
pub use options::{Integrator, Options, Solver, Statistic};
