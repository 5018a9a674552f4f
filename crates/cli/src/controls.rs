//! What the actuators are told in every control step of a run.

use std::path::Path;

use phalanx_model::Model;
use phalanx_sim_core::Simulation;

use crate::arguments::ControlsChoice;
use crate::failure::Failure;
use crate::numpy_file::{Numbers, read_npy, shape_text};

/// Where the controls of each step come from.
#[derive(Debug)]
pub enum Controls {
    /// Those of the start state stay.
    Unchanged,
    /// All zero.
    Zero,
    /// Drawn by the simulator, from seed, environment and step.
    Random,
    /// Replayed: `width` numbers for every step, alike for all environments or for each.
    Replayed {
        /// Numbers of one step.
        width: usize,
        /// All steps, one after the other.
        values: Vec<f64>,
    },
}

impl Controls {
    /// Reads and checks what was asked for. A file has the shape (steps, nu) or (steps, num_envs, nu).
    pub fn read(
        choice: Option<&ControlsChoice>,
        model: &Model,
        steps: u64,
        num_envs: u64,
    ) -> Result<Controls, Failure> {
        let file = match choice {
            None => return Ok(Controls::Unchanged),
            Some(ControlsChoice::Zero) => return Ok(Controls::Zero),
            Some(ControlsChoice::Random) => return Ok(Controls::Random),
            Some(ControlsChoice::File(file)) => file,
        };
        let nu = model.nu as u64;
        let (alike, each) = (vec![steps, nu], vec![steps, num_envs, nu]);
        let array = read_npy(file, Numbers::Floats, |shape| match shape {
            _ if shape == alike || shape == each => Ok(()),
            [k, ..] if shape[1..] == alike[1..] || shape[1..] == each[1..] => {
                Err(format!("has the controls of {k} steps, {steps} are asked for; write --steps {k}"))
            }
            _ => Err(format!(
                "has the shape {}; write {} or {}",
                shape_text(shape),
                shape_text(&alike),
                shape_text(&each)
            )),
        })?;
        let width = array.values.len().checked_div(steps as usize).unwrap_or(0);
        Ok(Controls::Replayed { width, values: array.values })
    }

    /// Sets the controls before the first step.
    pub fn begin(&self, simulation: &mut Simulation) -> Result<(), Failure> {
        if matches!(self, Controls::Zero) && simulation.model().nu > 0 {
            simulation.write("ctrl", &vec![0.0; simulation.model().nu])?;
        }
        Ok(())
    }

    /// Sets the controls of one step.
    pub fn set(&self, simulation: &mut Simulation, step: u64) -> Result<(), Failure> {
        match self {
            Controls::Random if simulation.model().nu > 0 => simulation.draw_random_controls(step)?,
            Controls::Replayed { width, values } if *width > 0 => {
                let start = step as usize * width;
                simulation.write("ctrl", &values[start..start + width])?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Reads the controls of one forward pass: shape (nu) or (1, nu).
pub fn read_one(file: &Path, model: &Model) -> Result<Vec<f64>, Failure> {
    let nu = model.nu as u64;
    let array = read_npy(file, Numbers::Floats, |shape| match shape {
        [n] | [1, n] if *n == nu => Ok(()),
        _ => Err(format!("has the shape {}; write {}", shape_text(shape), shape_text(&[nu]))),
    })?;
    Ok(array.values)
}
