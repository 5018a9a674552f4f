//! Starting environments over.
use crate::SimError;
use crate::field_access::check_finite;
use crate::simulation::Simulation;
use crate::state_arena::to_bytes;

/// Which environments.
#[derive(Clone, Copy, Debug)]
pub enum Envs<'a> {
    /// All of them.
    All,
    /// Those whose entry is true; one entry per environment.
    Mask(&'a [bool]),
    /// Those of these numbers.
    Ids(&'a [u64]),
}

/// What to.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// The model's `qpos0`, at rest.
    Default,
    /// A keyframe of the model.
    Keyframe(usize),
    /// A state: n values for all alike, or n for every environment of the batch.
    State {
        /// Positions.
        qpos: &'a [f64],
        /// Velocities.
        qvel: &'a [f64],
    },
}

/// A reset: which environments, and to what.
#[derive(Clone, Copy, Debug)]
pub struct Reset<'a> {
    /// Which environments.
    pub envs: Envs<'a>,
    /// What to.
    pub to: Target<'a>,
}

impl Simulation {
    /// Puts environments back to a state, clears their faults, and makes their requested outputs current; the others are
    /// not touched. Their time starts at zero.
    ///
    /// # Errors
    /// If an environment or keyframe does not exist, or the state is not one; nothing is changed then.
    pub fn reset(&mut self, reset: Reset) -> Result<(), SimError> {
        let mask = self.mask_of(reset.envs)?;
        let (qpos, qvel) = self.state_of(reset.to)?;
        let real = self.real_bytes();
        let mut source = self.backend.executor().allocate((qpos.len() + qvel.len()) * real, "the state to reset to")?;
        source.write(0, &to_bytes(&qpos, real))?;
        source.write(qpos.len() * real, &to_bytes(&qvel, real))?;
        let mask_address = self.state.control.address() + self.state.control_offsets["mask"];
        self.state.control.write(self.state.control_offsets["mask"] as usize, &mask)?;
        let arguments = &mut self.state.arguments;
        arguments.set("mask", mask_address);
        arguments.set("reset_qpos", source.address());
        arguments.set("reset_qvel", source.address() + (qpos.len() * real) as u64);
        arguments.set("reset_stride", u64::from(qpos.len() > self.model.nq || (self.options.num_envs == 1)));
        let done = self.backend.executor_mut().reset(arguments);
        self.state.arguments.set("mask", 0);
        done?;
        self.time_base.iter_mut().zip(&mask).filter(|(_, m)| **m != 0).for_each(|(t, _)| *t = 0.0);
        self.forward_masked(mask_address)?;
        self.synchronize() // the source is freed when this returns
    }

    fn mask_of(&self, envs: Envs) -> Result<Vec<u8>, SimError> {
        let n = self.options.num_envs;
        match envs {
            Envs::All => Ok(vec![1; n as usize]),
            Envs::Mask(mask) if mask.len() as u64 == n => Ok(mask.iter().map(|m| u8::from(*m)).collect()),
            Envs::Mask(mask) => Err(SimError::WrongLength {
                name: "mask".into(),
                one: n as usize,
                all: n,
                num_envs: n,
                given: mask.len(),
            }),
            Envs::Ids(ids) => {
                let mut mask = vec![0; n as usize];
                for &env in ids {
                    *mask.get_mut(env as usize).ok_or(SimError::NoSuchEnvironment {
                        env,
                        num_envs: n,
                        last: n - 1,
                    })? = 1;
                }
                Ok(mask)
            }
        }
    }

    fn state_of(&self, target: Target) -> Result<(Vec<f64>, Vec<f64>), SimError> {
        let (nq, nv, num_envs) = (self.model.nq, self.model.nv, self.options.num_envs as usize);
        match target {
            Target::Default => Ok((self.model.qpos0.clone(), vec![0.0; nv])),
            Target::Keyframe(key) if key < self.model.nkey => Ok((
                self.model.key_qpos[key * nq..(key + 1) * nq].to_vec(),
                self.model.key_qvel[key * nv..(key + 1) * nv].to_vec(),
            )),
            Target::Keyframe(key) => Err(SimError::NoSuchKeyframe { key, count: self.model.nkey }),
            Target::State { qpos, qvel } => {
                for (name, values, n) in [("qpos", qpos, nq), ("qvel", qvel, nv)] {
                    if values.len() != n && values.len() != n * num_envs {
                        let (all, num_envs) = ((n * num_envs) as u64, num_envs as u64);
                        return Err(SimError::WrongLength {
                            name: name.into(),
                            one: n,
                            all,
                            num_envs,
                            given: values.len(),
                        });
                    }
                    check_finite(name, values)?;
                    self.check_fits_float(name, values)?;
                }
                let spread = |values: &[f64], n: usize, each: bool| {
                    if each && values.len() == n { values.repeat(num_envs) } else { values.to_vec() }
                };
                let each = qpos.len() != nq || qvel.len() != nv;
                Ok((spread(qpos, nq, each), spread(qvel, nv, each)))
            }
        }
    }
}
