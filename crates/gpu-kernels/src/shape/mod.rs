//! A model as the kernels see it: sizes, topology, values, and the proven maxima of contacts and rows.
//!
//! The shape decides which code a specialised kernel has; values are run-time arguments. Promises that the collision table
//! holds every pair that MuJoCo's filters let through and nothing else, and that no state of the model has more contacts or
//! Jacobian entries than the maxima. Refuses a model whose pairs need a collision function that there is none of.

mod collision_table;
mod model_memory;
mod refusals;
mod topology;
mod usual_contacts;
mod values;

use crate::fields::Size;
use crate::pairs::PAIR_TYPES;
use crate::view::Baked;
use collision_table::CollisionTable;
pub use model_memory::ModelArray;
use phalanx_model::{Integrator, Model};
use std::collections::{BTreeMap, BTreeSet};

/// MuJoCo's integrator numbers, which the kernels use.
const EULER: i64 = 0;
const RK4: i64 = 1;
const IMPLICITFAST: i64 = 3;

/// A model that has no kernels.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// Two geoms may touch, and there is no collision function for their types.
    #[error(
        "geoms \"{first}\" ({first_type}) and \"{second}\" ({second_type}) may touch, and there is no collision function for this \
         pair; exclude it with contype, conaffinity or <exclude>"
    )]
    NoCollisionFunction {
        /// Name or number of the first geom.
        first: String,
        /// Its type.
        first_type: &'static str,
        /// Name or number of the second geom.
        second: String,
        /// Its type.
        second_type: &'static str,
    },
    /// Something that the kernels do not compute yet.
    #[error("{element}: not supported yet: {what}; {advice}")]
    NotSupported {
        /// The element.
        element: String,
        /// What it asks for.
        what: &'static str,
        /// What to do.
        advice: &'static str,
    },
}

/// A model as the kernels see it.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The model's name.
    pub name: String,
    /// Every size.
    pub sizes: BTreeMap<&'static str, i64>,
    /// Every topology array.
    pub topology: BTreeMap<&'static str, Vec<i32>>,
    /// Every model field, one value for all environments.
    pub values: BTreeMap<&'static str, Vec<f64>>,
    /// MuJoCo's number of the integrator.
    pub integrator: i64,
    /// MuJoCo's disable flags.
    pub disableflags: i64,
    /// Bound on solver iterations.
    pub iterations: i64,
    /// Bound on line-search iterations.
    pub ls_iterations: i64,
    /// Model fields of which every environment has its own.
    pub per_env: BTreeSet<&'static str>,
    /// Outputs, and inputs that few users write, whose memory is taken at the start.
    pub requested: BTreeSet<&'static str>,
    collisions: CollisionTable,
}

impl Shape {
    /// Reads the shape off a model.
    ///
    /// # Errors
    /// If a pair of geoms that may touch has no collision function, or an option has no kernel.
    pub fn of(model: &Model) -> Result<Shape, ShapeError> {
        refusals::check(model)?;
        let collisions = CollisionTable::of(model)?;
        let integrator = match model.opt.integrator {
            Integrator::Euler => EULER,
            Integrator::Rk4 => RK4,
            Integrator::ImplicitFast => IMPLICITFAST,
        };
        let (mut sizes, topology) = topology::of(model, &collisions);
        for size in Size::ALL {
            sizes.entry(size.name()).or_insert(0);
        }
        let name = if model.name.is_empty() { "model".to_owned() } else { model.name.clone() };
        let mut shape = Shape {
            name,
            sizes,
            topology,
            values: values::of(model),
            integrator,
            disableflags: i64::from(model.opt.disableflags),
            iterations: i64::from(model.opt.iterations),
            ls_iterations: i64::from(model.opt.ls_iterations),
            per_env: BTreeSet::new(),
            requested: BTreeSet::new(),
            collisions,
        };
        if model.opt.density > 0.0 || model.opt.viscosity > 0.0 {
            shape.allow_medium();
        }
        Ok(shape)
    }

    /// A size by the table's enumeration.
    pub fn size(&self, size: Size) -> usize {
        usize::try_from(self.sizes[size.name()]).unwrap_or(0)
    }

    /// Pairs of the collision table by type, those that occur.
    pub fn collision_pairs_by_type(&self) -> Vec<(String, usize)> {
        let mut counts = vec![0usize; PAIR_TYPES.len()];
        self.collisions.pairs.iter().for_each(|pair| counts[pair.pair_type] += 1);
        let named = counts.iter().enumerate().filter(|(_, n)| **n > 0);
        named.map(|(i, n)| (PAIR_TYPES[i].function.replace('_', "-"), *n)).collect()
    }

    /// The pairs of the collision table: geoms in the order of their types.
    pub fn collision_geoms(&self) -> Vec<(usize, usize)> {
        self.collisions.pairs.iter().map(|p| (p.geom1, p.geom2)).collect()
    }

    /// Contacts at most of a pair of the collision table.
    pub fn most_contacts(&self, pair: usize) -> usize {
        PAIR_TYPES[self.collisions.pairs[pair].pair_type].most
    }

    /// Contacts that no state of the model exceeds.
    pub fn proven_contacts(&self) -> u64 {
        self.collisions.pairs.iter().map(|p| PAIR_TYPES[p.pair_type].most as u64).sum()
    }

    /// Jacobian entries that no state of the model exceeds.
    pub fn proven_jacobian_entries(&self) -> u64 {
        self.collisions.pairs.iter().map(|p| PAIR_TYPES[p.pair_type].most as u64 * p.chain_length as u64).sum()
    }

    /// Constraint rows, as MuJoCo counts them, that no state of the model exceeds.
    pub fn proven_rows(&self) -> u64 {
        let contacts: u64 = self
            .collisions
            .pairs
            .iter()
            .map(|p| PAIR_TYPES[p.pair_type].most as u64 * if p.dim == 1 { 1 } else { 2 * (p.dim as u64 - 1) })
            .sum();
        contacts + self.size(Size::RowMax) as u64
    }

    /// Bytes of state of one environment in float.
    pub fn state_bytes_per_env(&self) -> u64 {
        crate::planning::bytes_of(self, crate::fields::Owner::State, 4) + 8
    }

    /// What a specialised header holds as constants, but for the workspace.
    pub fn baked(&self) -> Baked {
        let options = BTreeMap::from([("opt_integrator", self.integrator), ("opt_disableflags", self.disableflags)]);
        let (sizes, topology) = (self.sizes.clone(), self.topology.clone());
        Baked { sizes, topology, options, ..Baked::default() }
    }

    /// Gives every environment its own values of these model fields, and makes room for what they may turn on.
    pub fn give_each_env(&mut self, fields: &[&'static str]) {
        self.per_env = fields.iter().copied().collect();
        if self.per_env.contains("dof_frictionloss") {
            self.allow_friction_rows();
        }
        if self.per_env.contains("opt_density") || self.per_env.contains("opt_viscosity") {
            self.allow_medium();
        }
    }

    /// Makes room for dry friction on every dof, also where the model has none: its values may be edited later.
    pub fn allow_friction_rows(&mut self) {
        let limits = self.sizes["row_max"] - self.sizes["friction_row_max"];
        self.sizes.insert("friction_row_max", self.sizes["nv"]);
        self.sizes.insert("row_max", limits + self.sizes["nv"]);
        if self.sizes["ball_row_max"] > 0 {
            self.sizes.insert("ball_row_max", self.sizes["row_max"]);
        }
    }

    /// Whether there is room for dry friction.
    pub fn has_friction_rows(&self) -> bool {
        self.sizes["friction_row_max"] == self.sizes["nv"]
    }

    /// Makes room for the derivatives of a medium's forces, also where the model has none: its values may be edited later.
    pub fn allow_medium(&mut self) {
        if self.is_implicit_fast() {
            self.sizes.insert("fluid_bodies", self.sizes["nbody"]);
            self.sizes.insert("fluid_entries", self.sizes["nM"]);
        }
    }

    /// Whether a medium may have density or viscosity: an integrator that takes its derivatives has room for them.
    pub fn takes_medium(&self) -> bool {
        !self.is_implicit_fast() || self.sizes["fluid_entries"] == self.sizes["nM"]
    }

    /// Whether any step integrates with a mass matrix of its own.
    pub fn is_implicit(&self) -> bool {
        self.integrator != RK4
    }

    /// Whether the integrator takes the actuators' derivatives.
    pub fn is_implicit_fast(&self) -> bool {
        self.integrator == IMPLICITFAST
    }

    /// Whether steps are Runge-Kutta steps.
    pub fn is_runge_kutta(&self) -> bool {
        self.integrator == RK4
    }
}
