//! Reads MJCF robot models and computes what MuJoCo's compiler computes.
//!
//! [`Model::from_file`] turns an MJCF file into the flat arrays of MuJoCo 4.0.0's `mjModel`, with MuJoCo's names,
//! index order and values. Promises: whatever the simulator cannot honour is an error that names file, line, element
//! and attribute; nothing that would change the motion is ignored; no input makes it panic or loop. It refuses meshes
//! and height fields that collide, equality constraints, tendons that act, muscles, plugins, flexes and elliptic cones.
//!
//! ```
//! let xml = "<mujoco><worldbody><body><joint name='hinge'/><geom size='0.1'/></body></worldbody></mujoco>";
//! let model = phalanx_model::Model::from_xml(xml, "pendulum")?;
//! assert_eq!((model.nv, model.jnt_id("hinge")), (1, Some(0)));
//! # Ok::<(), phalanx_model::LoadError>(())
//! ```
//!
//! The path through the code: `xml_tree` reads, `schema` rejects what MJCF does not have, `default_classes` fills gaps,
//! `kinematic_tree` resolves frames, replicas and attachments into a `scene`, and `compile` lists the stages from there
//! to the arrays. `tests/oracle/` compares the result with MuJoCo's own compiler.

mod actuator_arrays;
mod actuator_element;
mod actuator_shortcuts;
mod array_table;
mod attributes;
mod body_inertia;
mod compile;
mod contact_arrays;
mod contact_element;
mod default_classes;
mod geom_arrays;
mod geom_element;
mod inertial_element;
mod inverse_weight;
mod joint_element;
mod keyframe_element;
mod kinematic_tree;
mod load_error;
mod mass_matrix;
mod model;
mod names;
mod option_element;
mod options;
mod pose;
mod principal_axes;
mod reference_pose;
mod scene;
mod schema;
mod set_aside;
mod simple_body;
mod solid_inertia;
mod source;
mod statistic;
mod tree_arrays;
mod viewer_arrays;
mod viewer_elements;
mod xml_tree;

pub use array_table::{ArrayData, NamedArray};
pub use load_error::LoadError;
pub use model::Model;
pub use names::Names;
pub use options::{Integrator, Options, Solver, Statistic};
