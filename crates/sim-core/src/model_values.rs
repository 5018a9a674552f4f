//! Model fields: one value for all environments, or one for each.
use crate::SimError;
use crate::field_access::find;
use crate::simulation::Simulation;
use crate::state_arena::{to_bytes, width};
use phalanx_gpu_kernels::fields::Owner;

/// The fields of that name, checked to be model fields.
pub(crate) fn per_env_fields(names: &[String]) -> Result<Vec<&'static str>, SimError> {
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

impl Simulation {
    /// Gives every environment its own copy of a model field, all alike at first.
    pub(crate) fn make_per_env(&mut self, name: &'static str) -> Result<(), SimError> {
        let field = find(name)?;
        let n = width(&self.shape, field);
        self.state.request(self.backend.executor(), &self.shape, name, self.options.num_envs)?;
        self.state.arguments.set(&format!("{name}_stride"), n as u64);
        let values = self.shape.values[name].clone();
        self.write_model_value(name, &values)
    }

    /// Writes a model field and recomputes what is derived from it.
    pub(crate) fn write_model_value(&mut self, name: &'static str, values: &[f64]) -> Result<(), SimError> {
        let real = self.real_bytes();
        if let Some(memory) = self.state.extra.get_mut(name) {
            let n = width(&self.shape, find(name)?);
            let all = if values.len() == n { values.repeat(self.options.num_envs as usize) } else { values.to_vec() };
            memory.write(0, &to_bytes(&all, real))?;
        } else {
            let offset = self.state.shared_values[name] as usize;
            self.state.values.write(offset, &to_bytes(values, real))?;
            self.shape.values.insert(name, values.to_vec());
        }
        Ok(())
    }
}
