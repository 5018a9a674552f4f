//! Reading and writing fields by name.
use crate::SimError;
use crate::model_values::check_range;
use crate::pieces::{Source, write_alike, write_numbers};
use crate::simulation::Simulation;
use crate::state_arena::{from_bytes, is_on_request, to_bytes, width, words};
use phalanx_gpu_kernels::fields::{FIELDS, Field, Owner};

/// The field of that name among those that users see.
pub(crate) fn find(name: &str) -> Result<&'static Field, SimError> {
    let visible = || FIELDS.iter().filter(|f| !matches!(f.owner, Owner::Work { .. } | Owner::Topology));
    visible().find(|f| f.name == name).ok_or_else(|| {
        let near = visible().map(|f| (distance(f.name, name), f.name)).min().filter(|(d, _)| *d <= 3);
        let suggestion = near.map_or(String::new(), |(_, n)| format!("; did you mean \"{n}\"?"));
        SimError::NoSuchField { name: name.into(), suggestion }
    })
}

/// Edits that turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

impl Simulation {
    /// Numbers of a field per environment; `None` for a name that no field has.
    pub fn field_len(&self, field: &str) -> Option<usize> {
        if field == "time" {
            return Some(1);
        }
        find(field).ok().map(|f| width(&self.shape, f))
    }

    /// A field of the whole batch, (num_envs, n) row by row; a model field that all environments share has one row.
    /// `time` is read as a field too, in seconds.
    ///
    /// # Errors
    /// If there is no such field, or it is an output that was not requested.
    pub fn read(&mut self, field: &str) -> Result<Vec<f64>, SimError> {
        if field == "time" {
            return self.read_time();
        }
        self.read_as(field, |number| number)
    }

    /// As [`read`](Self::read), in float.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_f32(&mut self, field: &str) -> Result<Vec<f32>, SimError> {
        if field == "time" {
            return Ok(self.read_time()?.into_iter().map(|v| v as f32).collect());
        }
        self.read_as(field, |number| number as f32)
    }

    fn read_as<T>(&self, field: &str, convert: impl Fn(f64) -> T) -> Result<Vec<T>, SimError> {
        let real = self.real_bytes();
        let source = self.source_of(field)?;
        let mut numbers = Vec::with_capacity(source.bytes / real);
        source.in_pieces(real, |piece| numbers.extend(from_bytes(piece, real).map(&convert)))?;
        Ok(numbers)
    }

    /// Where a field's numbers lie.
    pub(crate) fn source_of(&self, name: &str) -> Result<Source<'_>, SimError> {
        let field = find(name)?;
        let one = width(&self.shape, field) * self.real_bytes();
        let bytes = self.options.num_envs as usize * one;
        let state = &self.state;
        if let Some(memory) = state.extra.get(field.name) {
            return Ok(Source { memory: Some(memory), offset: 0, bytes });
        }
        match field.owner {
            Owner::Model => {
                let offset = state.shared_values[field.name] as usize;
                Ok(Source { memory: Some(&state.values), offset, bytes: one })
            }
            Owner::Output => {
                let advice = format!("call request(\"{name}\") first");
                Err(SimError::WrongUse { name: name.into(), what: "an output that was not requested", advice })
            }
            _ if is_on_request(field) => Ok(Source { memory: None, offset: 0, bytes }),
            _ => {
                let offset = state.places[field.name].offset as usize;
                Ok(Source { memory: Some(&state.arena), offset, bytes })
            }
        }
    }

    /// A model field of one environment: its own, where each has its own, else the one that all share.
    pub(crate) fn model_value_of(&self, name: &str, env: u64) -> Result<Vec<f64>, SimError> {
        let Some(memory) = self.state.extra.get(name) else { return Ok(self.shape.values[name].clone()) };
        let mut bytes = vec![0; width(&self.shape, find(name)?) * self.real_bytes()];
        memory.read(env as usize * bytes.len(), &mut bytes)?;
        Ok(from_bytes(&bytes, self.real_bytes()).collect())
    }

    /// Writes a state, input or model field: n values for all environments alike, or num_envs times n.
    ///
    /// # Errors
    /// If there is no such field, the length is wrong, a value is not finite or none that the field can have, or there is no
    /// memory for a field on request; nothing is changed then.
    pub fn write(&mut self, field: &str, values: &[f64]) -> Result<(), SimError> {
        if field == "time" {
            return self.write_time(values);
        }
        let found = find(field)?;
        let n = width(&self.shape, found);
        let num_envs = self.options.num_envs;
        let shared = found.owner == Owner::Model && !self.state.extra.contains_key(found.name);
        let whole = num_envs as usize * n;
        if values.len() != n && (shared || values.len() != whole) {
            if shared && values.len() == whole {
                let advice = format!("name it in Options::per_env to give each environment its own {field}");
                return Err(SimError::WrongUse {
                    name: field.into(),
                    what: "a model field that all environments share",
                    advice,
                });
            }
            return Err(SimError::WrongLength {
                name: field.into(),
                one: n,
                all: whole as u64,
                num_envs,
                given: values.len(),
            });
        }
        check_finite(field, values)?;
        self.check_fits_float(field, values)?;
        check_range(found.name, values)?;
        self.check_has_room(found.name, values)?;
        match found.owner {
            Owner::Model => self.write_model_value(found.name, values, true),
            Owner::Output => {
                let advice = "write the state or the inputs that it comes from".to_owned();
                Err(SimError::WrongUse { name: field.into(), what: "an output", advice })
            }
            _ => {
                if is_on_request(found) {
                    self.ensure_memory(found)?;
                }
                let real = self.real_bytes();
                let state = &mut self.state;
                let (memory, offset) = match state.extra.get_mut(found.name) {
                    Some(memory) => (memory, 0),
                    None => (&mut state.arena, state.places[found.name].offset as usize),
                };
                if values.len() == whole {
                    return write_numbers(memory, offset, values, real);
                }
                write_alike(memory, offset, &to_bytes(values, real), num_envs as usize)
            }
        }
    }

    /// Refuses values above zero of what the kernels have no room for, since the model has none of it.
    fn check_has_room(&self, name: &str, values: &[f64]) -> Result<(), SimError> {
        let (what, room) = match name {
            "dof_frictionloss" if !self.shape.has_friction_rows() => ("zero on every dof of the model", "rows"),
            "opt_density" | "opt_viscosity" if !self.shape.takes_medium() => {
                ("zero in the model, whose integrator is implicitfast", "derivatives")
            }
            _ => return Ok(()),
        };
        if values.iter().all(|v| *v <= 0.0) {
            return Ok(());
        }
        let advice = format!("name it in Options::per_env, which makes room for its {room}");
        Err(SimError::WrongUse { name: name.into(), what, advice })
    }

    /// Refuses numbers that a float cannot hold, where the run is in float.
    pub(crate) fn check_fits_float(&self, name: &str, values: &[f64]) -> Result<(), SimError> {
        if self.real_bytes() == 8 {
            return Ok(());
        }
        match values.iter().position(|v| !(*v as f32).is_finite()) {
            Some(index) => Err(SimError::NotFinite { name: name.into(), index, value: values[index] }),
            None => Ok(()),
        }
    }

    /// Moves the time that has passed into the base, so that another time step counts from now.
    pub(crate) fn fold_time(&mut self) -> Result<(), SimError> {
        let now = self.read_time()?;
        self.write_time(&now)
    }

    fn read_time(&mut self) -> Result<Vec<f64>, SimError> {
        let each = self.state.extra.contains_key("opt_timestep");
        let steps = if each { self.read("opt_timestep")? } else { self.shape.values["opt_timestep"].clone() };
        let mut time = Vec::with_capacity(self.time_base.len());
        self.state.control("step_count", 4 * self.time_base.len()).in_pieces(4, |piece| {
            for count in words(piece) {
                let env = time.len();
                time.push(self.time_base[env] + f64::from(count) * steps[env.min(steps.len() - 1)]);
            }
        })?;
        Ok(time)
    }

    fn write_time(&mut self, values: &[f64]) -> Result<(), SimError> {
        let num_envs = self.options.num_envs as usize;
        if values.len() != 1 && values.len() != num_envs {
            let all = num_envs as u64;
            return Err(SimError::WrongLength { name: "time".into(), one: 1, all, num_envs: all, given: values.len() });
        }
        check_finite("time", values)?;
        self.time_base = if values.len() == num_envs { values.to_vec() } else { vec![values[0]; num_envs] };
        let offset = self.state.control_offsets["step_count"] as usize;
        write_alike(&mut self.state.control, offset, &[0; 4], num_envs)
    }
}

/// Refuses NaN and infinities, with their place.
pub(crate) fn check_finite(name: &str, values: &[f64]) -> Result<(), SimError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(SimError::NotFinite { name: name.into(), index, value: values[index] }),
        None => Ok(()),
    }
}
