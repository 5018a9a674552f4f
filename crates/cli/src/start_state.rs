//! The state that environments start from: the model's, a keyframe's, or that of a file.
//!
//! Everything is read and checked before a simulation exists; applying it is then plain writing.

use std::path::Path;

use phalanx_model::Model;
use phalanx_sim_core::{Envs, Reset, Simulation, Target};

use crate::failure::Failure;
use crate::numpy_file::{Numbers, read_npz, shape_text};

/// Where environments start.
#[derive(Clone, Debug, PartialEq)]
pub enum StartState {
    /// The model's `qpos0`, at rest.
    Default,
    /// A keyframe of the model.
    Keyframe(usize),
    /// Fields of a file, each for one environment or for all; the rest is the model's.
    File(Vec<(String, Vec<f64>)>),
}

impl StartState {
    /// Finds the keyframe, or reads and checks the file. At most one of them is given.
    pub fn read(
        model: &Model,
        keyframe: Option<&str>,
        file: Option<&Path>,
        num_envs: u64,
    ) -> Result<StartState, Failure> {
        match (keyframe, file) {
            (Some(keyframe), _) => find_keyframe(model, keyframe).map(StartState::Keyframe),
            (None, Some(file)) => read_state(model, file, num_envs).map(StartState::File),
            (None, None) => Ok(StartState::Default),
        }
    }

    /// Puts every environment of a new simulation into this state.
    pub fn apply(&self, simulation: &mut Simulation) -> Result<(), Failure> {
        match self {
            StartState::Default => {}
            StartState::Keyframe(index) => {
                simulation.reset(Reset { envs: Envs::All, to: Target::Keyframe(*index) })?;
            }
            StartState::File(fields) => {
                // A field without numbers has nothing to write.
                for (name, values) in fields.iter().filter(|(_, values)| !values.is_empty()) {
                    simulation.write(name, values)?;
                }
            }
        }
        Ok(())
    }
}

/// A field of a state file: its name, and its shape for one environment.
type StateField = (&'static str, Vec<u64>);

fn state_fields(model: &Model) -> [StateField; 11] {
    let n = |count: usize| count as u64;
    [
        ("qpos", vec![n(model.nq)]),
        ("qvel", vec![n(model.nv)]),
        ("act", vec![n(model.na)]),
        ("qacc_warmstart", vec![n(model.nv)]),
        ("ctrl", vec![n(model.nu)]),
        ("qfrc_applied", vec![n(model.nv)]),
        ("xfrc_applied", vec![n(model.nbody), 6]),
        // Equality constraints are refused by the loader.
        ("eq_active", vec![0]),
        ("mocap_pos", vec![n(model.nmocap), 3]),
        ("mocap_quat", vec![n(model.nmocap), 4]),
        ("time", vec![]),
    ]
}

fn read_state(model: &Model, file: &Path, num_envs: u64) -> Result<Vec<(String, Vec<f64>)>, Failure> {
    let fields = state_fields(model);
    let find = |name: &str| fields.iter().find(|(field, _)| *field == name);
    let arrays = read_npz(file, Numbers::Any, |name, shape| {
        let Some((_, of_one)) = find(name) else {
            let known = fields.iter().map(|(field, _)| *field).collect::<Vec<_>>().join(", ");
            return Err(format!("is no field of a state; the fields are {known}"));
        };
        check_shape(of_one, num_envs, shape)
    })?;
    Ok(arrays.into_iter().map(|(name, array)| (name, array.values)).collect())
}

/// Accepts the shape of one environment, flat or not, alone or behind the number of environments.
fn check_shape(of_one: &[u64], num_envs: u64, shape: &[u64]) -> Result<(), String> {
    let flat: u64 = of_one.iter().product();
    let is_of_one = |shape: &[u64]| shape == of_one || shape == [flat] || (flat == 1 && shape.is_empty());
    let is_of_all = shape.split_first().is_some_and(|(&first, rest)| first == num_envs && is_of_one(rest));
    if is_of_one(shape) || is_of_all {
        return Ok(());
    }
    let (one, all) = (shape_text(&[flat]), shape_text(&[num_envs, flat]));
    Err(format!("has the shape {}; write {one} or {all}", shape_text(shape)))
}

fn find_keyframe(model: &Model, wanted: &str) -> Result<usize, Failure> {
    let by_number = || wanted.parse::<usize>().ok().filter(|&index| index < model.nkey);
    model.key_id(wanted).or_else(by_number).ok_or_else(|| {
        let names = model.names.key.iter().enumerate().map(|(i, name)| format!("{i} \"{name}\""));
        let known = match model.nkey {
            0 => "the model has none".to_string(),
            _ => format!("the model has {}", names.collect::<Vec<_>>().join(", ")),
        };
        Failure::Usage(format!("there is no keyframe \"{wanted}\"; {known}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_given_for_one_environment_or_for_all() {
        let accepted: [(&[u64], &[u64]); 8] = [
            (&[3], &[3]),
            (&[3], &[5, 3]),
            (&[2, 6], &[12]),
            (&[2, 6], &[2, 6]),
            (&[2, 6], &[5, 2, 6]),
            (&[], &[]),
            (&[], &[5]),
            (&[], &[5, 1]),
        ];
        for (of_one, shape) in accepted {
            assert_eq!(check_shape(of_one, 5, shape), Ok(()), "{shape:?} for {of_one:?}");
        }
        let refused: [(&[u64], &[u64]); 5] = [(&[3], &[4]), (&[3], &[4, 3]), (&[6], &[2, 3]), (&[3], &[]), (&[], &[4])];
        for (of_one, shape) in refused {
            assert!(check_shape(of_one, 5, shape).is_err(), "{shape:?} for {of_one:?}");
        }
    }
}
