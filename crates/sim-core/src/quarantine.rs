//! Why an environment is frozen: the first quantity that was not finite, or too large.
//!
//! The kernels note it in the fault word when they refuse to commit a step: of the controls and applied forces that the caller
//! gave, then of the acceleration, the velocity and the position that the step would have led to. Model fields are looked at
//! here, when someone asks. Writing inputs after the environment froze does not change what is told; writing model fields does.
use crate::simulation::Simulation;
use crate::state_arena::words;
use crate::{NOT_FINITE, SimError};
use phalanx_gpu_kernels::fields::{Owner, owned};
use std::fmt;

/// `Quantity` of `kernels/run.h`, from 1 on.
const QUANTITIES: [&str; 6] = ["ctrl", "qfrc_applied", "xfrc_applied", "qacc", "qvel", "qpos"];
/// Those of them that the caller gave: the first of all causes.
const GIVEN: usize = 3;
/// Their places in a fault word, as there.
const QUANTITY_SHIFT: u32 = 8;
const INDEX_SHIFT: u32 = 12;

/// A number that is not finite, or beyond 1e10, and that froze an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadQuantity {
    /// The environment.
    pub env: u64,
    /// The field: an input, a model field, or `qacc`, `qvel` or `qpos` as the step would have left them.
    pub field: &'static str,
    /// Its first such number, counted from the start of the environment's row; 1048575 stands for all from there on.
    pub index: usize,
}

impl fmt::Display for BadQuantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "environment {}, by its {}[{}]", self.env, self.field, self.index)
    }
}

impl Simulation {
    /// What froze an environment; `None` if it is not frozen.
    ///
    /// # Errors
    /// If there is no such environment or a kernel failed.
    pub fn bad_quantity(&mut self, env: u64) -> Result<Option<BadQuantity>, SimError> {
        let num_envs = self.options.num_envs;
        if env >= num_envs {
            return Err(SimError::NoSuchEnvironment { env, num_envs, last: num_envs - 1 });
        }
        let mut bytes = [0; 4];
        self.fault_words().read(4 * env as usize, &mut bytes)?;
        self.explain(env, u32::from_le_bytes(bytes))
    }

    /// What froze the first of the frozen environments, if there is one.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn first_bad_quantity(&mut self) -> Result<Option<BadQuantity>, SimError> {
        let (mut env, mut found) = (0, None);
        self.fault_words().in_pieces(4, |piece| {
            for word in words(piece) {
                if word & NOT_FINITE != 0 && found.is_none() {
                    found = Some((env, word));
                }
                env += 1;
            }
        })?;
        found.map_or(Ok(None), |(env, word)| self.explain(env, word))
    }

    /// What a fault word says, unless a model field is the cause.
    fn explain(&self, env: u64, word: u32) -> Result<Option<BadQuantity>, SimError> {
        if word & NOT_FINITE == 0 {
            return Ok(None);
        }
        let number = (word >> QUANTITY_SHIFT & 0xf) as usize;
        if number > GIVEN {
            for field in owned(|o| o == Owner::Model) {
                let values = self.model_value_of(field.name, env)?;
                if let Some(index) = values.iter().position(|v| !v.is_finite()) {
                    return Ok(Some(BadQuantity { env, field: field.name, index }));
                }
            }
        }
        let noted = number.checked_sub(1).and_then(|k| QUANTITIES.get(k));
        Ok(noted.map(|field| BadQuantity { env, field, index: (word >> INDEX_SHIFT) as usize }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_gpu_kernels::sources::source;

    #[test]
    fn quantities_are_numbered_as_in_the_kernels() {
        let names = QUANTITIES.map(|name| format!("quantity_{name}")).join(", ").replacen("ctrl", "ctrl = 1", 1);
        let run = source("run.h");
        assert!(run.contains(&format!("enum Quantity {{ {names} }};")), "{names}");
        let places = format!("quantity_shift = {QUANTITY_SHIFT}, quantity_index_shift = {INDEX_SHIFT},");
        assert!(run.contains(&places), "{places}");
    }
}
