//! Model fields: one value for all environments, or one for each.
use crate::field_access::find;
use crate::pieces::rows_of_a_piece;
use crate::simulation::Simulation;
use crate::state_arena::{is_on_request, to_bytes, width};
use crate::{Options, SimError};
use phalanx_gpu_kernels::fields::Owner;
use phalanx_gpu_kernels::pairs::geom;
use phalanx_gpu_kernels::shape::Shape;

impl Options {
    /// Puts the fields that each environment has for itself, and those that are requested, into the shape to plan for.
    ///
    /// # Errors
    /// If there is no such field, or it is not for this use.
    #[doc(hidden)] // a shape is the kernels' side of a model
    pub fn add_fields(&self, shape: &mut Shape) -> Result<(), SimError> {
        shape.give_each_env(&with_derived(per_env_fields(&self.per_env)?));
        for name in &self.requests {
            let field = find(name)?;
            if !is_on_request(field) {
                let advice = match field.owner {
                    Owner::Model => "name it in Options::per_env (--per-env) to give each environment its own",
                    _ => "it needs no request",
                };
                return Err(SimError::WrongUse {
                    name: name.clone(),
                    what: "not an output",
                    advice: advice.to_owned(),
                });
            }
            shape.requested.insert(field.name);
        }
        Ok(())
    }
}

/// The fields of that name, checked to be model fields.
fn per_env_fields(names: &[String]) -> Result<Vec<&'static str>, SimError> {
    let check = |name: &String| {
        let field = find(name)?;
        if field.owner != Owner::Model {
            let advice = "name a model field such as body_mass".to_owned();
            return Err(SimError::WrongUse { name: name.clone(), what: "not a model field", advice });
        }
        Ok(field.name)
    };
    names.iter().map(check).collect()
}

/// Fields that others are derived from.
const SOURCES: &[&str] = &[
    "qpos0",
    "body_pos",
    "body_quat",
    "body_ipos",
    "body_iquat",
    "body_mass",
    "body_inertia",
    "jnt_pos",
    "jnt_axis",
    "dof_armature",
];

/// The fields that are derived from them.
const DERIVED: &[&str] = &["body_subtreemass", "dof_invweight0", "body_invweight0", "stat_meaninertia"];

/// The per-environment fields that were asked for, and with any source of derived fields those too.
fn with_derived(mut names: Vec<&'static str>) -> Vec<&'static str> {
    if names.iter().any(|n| SOURCES.contains(n) || DERIVED.contains(n)) {
        names.extend(DERIVED);
    }
    if names.contains(&"geom_size") {
        names.push("geom_rbound");
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Refuses numbers with which a model field makes no sense, whatever the model.
pub(crate) fn check_range(name: &str, values: &[f64]) -> Result<(), SimError> {
    // Also in float, where a very small number is 0.
    let (is_wrong, wanted): (fn(&f64) -> bool, _) = match name {
        "opt_timestep" | "opt_impratio" => (|value| *value as f32 <= 0.0, "above 0"),
        "opt_density" | "opt_viscosity" | "opt_tolerance" | "opt_ls_tolerance" | "body_mass" | "body_inertia"
        | "dof_armature" | "dof_frictionloss" | "geom_size" | "geom_friction" | "pair_friction" | "opt_o_friction" => {
            (|value| *value < 0.0, "0 or more")
        }
        _ => return Ok(()),
    };
    match values.iter().position(is_wrong) {
        Some(index) => Err(SimError::OutOfRange { name: name.into(), index, value: values[index], wanted }),
        None => Ok(()),
    }
}

impl Simulation {
    /// Recomputes what is derived from an edited field: in the environments whose rows changed, where each has its own.
    fn recompute_derived(&mut self, name: &str, mut changed: Vec<u8>) -> Result<(), SimError> {
        if !SOURCES.contains(&name) || !changed.contains(&1) {
            return Ok(());
        }
        if self.state.extra.contains_key("dof_invweight0") {
            let offset = self.state.control_offsets["mask"];
            // An edit of a value that all share changes every environment.
            changed.resize(self.options.num_envs as usize, changed[0]);
            self.state.control.write(offset as usize, &changed)?;
            self.state.arguments.set("mask", self.state.control.address() + offset);
            let done = self.backend.executor_mut().set_constants(&self.state.arguments, self.options.num_envs);
            self.state.arguments.set("mask", 0);
            return Ok(done?);
        }
        self.backend.executor_mut().set_constants(&self.state.arguments, 1)?;
        for derived in DERIVED {
            let values = self.read(derived)?;
            self.shape.values.insert(derived, values);
        }
        Ok(())
    }

    /// The bounding radius of every geom of these sizes, which the broad phase goes by.
    fn bounding_radii(&self, sizes: &[f64]) -> Vec<f64> {
        let types = &self.model.geom_type;
        let radius = |(geom, size): (usize, &[f64])| match types[geom % types.len()] {
            geom::PLANE => 0.0,
            geom::SPHERE => size[0],
            geom::CAPSULE => size[0] + size[1],
            geom::CYLINDER => size[0].hypot(size[1]),
            geom::ELLIPSOID => size[0].max(size[1]).max(size[2]),
            _ => size.iter().map(|s| s * s).sum::<f64>().sqrt(),
        };
        sizes.chunks(3).enumerate().map(radius).collect()
    }

    /// Gives every environment its own copy of a model field, all alike at first.
    pub(crate) fn make_per_env(&mut self, name: &'static str) -> Result<(), SimError> {
        let field = find(name)?;
        let n = width(&self.shape, field);
        self.state.request(self.backend.executor(), &self.shape, name, self.options.num_envs)?;
        self.state.arguments.set(&format!("{name}_stride"), n as u64);
        let values = self.shape.values[name].clone();
        self.write_model_value(name, &values, false)
    }

    /// Writes a model field and, where asked, recomputes what is derived from it.
    pub(crate) fn write_model_value(
        &mut self,
        name: &'static str,
        values: &[f64],
        recompute: bool,
    ) -> Result<(), SimError> {
        if recompute && name == "opt_timestep" {
            self.fold_time()?;
        }
        let changed = self.replace_rows(name, values)?;
        if !self.state.extra.contains_key(name) {
            self.shape.values.insert(name, values.to_vec());
        }
        if recompute && name == "geom_size" {
            let bounds = self.bounding_radii(values);
            return self.write_model_value("geom_rbound", &bounds, false);
        }
        if recompute { self.recompute_derived(name, changed) } else { Ok(()) }
    }

    /// Writes the rows of a model field and says which of them were different: one byte for each, 0 or 1. One row is
    /// written to all.
    fn replace_rows(&mut self, name: &str, values: &[f64]) -> Result<Vec<u8>, SimError> {
        let (n, real) = (width(&self.shape, find(name)?), self.real_bytes());
        if n == 0 {
            return Ok(Vec::new());
        }
        let row = n * real;
        let rows = self.source_of(name)?.bytes / row;
        let mut changed = Vec::with_capacity(rows);
        let alike = to_bytes(&values[..n], real).repeat(rows_of_a_piece(row).min(rows));
        for first in (0..rows).step_by(rows_of_a_piece(row)) {
            let last = rows.min(first + rows_of_a_piece(row));
            let own = if values.len() > n { to_bytes(&values[first * n..last * n], real) } else { Vec::new() };
            let wanted = if own.is_empty() { &alike[..(last - first) * row] } else { &own };
            let mut found = vec![0; wanted.len()];
            self.source_of(name)?.read(first * row, &mut found)?;
            changed.extend(found.chunks(row).zip(wanted.chunks(row)).map(|(a, b)| u8::from(a != b)));
            match self.state.extra.get_mut(name) {
                Some(memory) => memory.write(first * row, wanted)?,
                None => self.state.values.write(self.state.shared_values[name] as usize, wanted)?,
            }
        }
        Ok(changed)
    }
}
