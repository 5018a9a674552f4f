//! Starting environments over.
use crate::SimError;
use crate::field_access::check_finite;
use crate::pieces::write_numbers;
use crate::simulation::Simulation;
use phalanx_gpu_kernels::executor::Memory;
use phalanx_gpu_kernels::ranges::Range;
use phalanx_launch_planner::MemoryPart;

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
    /// The model's `qpos0`, at rest. Inputs and motion-capture bodies stay as they are.
    Default,
    /// A keyframe of the model, in full: positions, velocities, activations, controls, motion-capture bodies and time;
    /// applied forces become zero. What `mj_resetDataKeyframe` does.
    Keyframe(usize),
    /// A state: n values for all alike, or n for every environment of the batch. Inputs and motion-capture bodies stay as
    /// they are.
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

/// What a reset writes: rows for the kernel by the names of its arguments, and the time.
struct Start {
    rows: Vec<(&'static str, Vec<f64>)>,
    /// Whether each environment has a row of its own.
    is_each: bool,
    time: f64,
}

/// What a keyframe sets and other targets leave alone: null unless a keyframe is reset to.
const OF_KEYFRAME: [&str; 4] = ["reset_act", "reset_ctrl", "reset_mocap_pos", "reset_mocap_quat"];

impl Simulation {
    /// Puts environments back to a state, clears their faults, and makes their requested outputs current; the others are
    /// not touched. Their time starts at zero, or at the keyframe's.
    ///
    /// # Errors
    /// If an environment or keyframe does not exist, or the state is not one; nothing is changed then.
    pub fn reset(&mut self, reset: Reset) -> Result<(), SimError> {
        let _range = Range::begin("reset");
        let mask = self.mask_of(reset.envs)?;
        let start = self.start_of(reset.to)?;
        let real = self.real_bytes();
        let source = self.reset_rows(start.rows.iter().map(|(_, values)| values.len() * real).sum())?;
        let address = source.address();
        let mut offsets = Vec::with_capacity(start.rows.len());
        let mut end = 0;
        for (name, values) in &start.rows {
            write_numbers(source, end, values, real)?;
            offsets.push((*name, end as u64));
            end += values.len() * real;
        }
        let mask_address = self.state.control.address() + self.state.control_offsets["mask"];
        self.state.control.write(self.state.control_offsets["mask"] as usize, &mask)?;
        self.state.arguments.set("mask", mask_address);
        self.state.arguments.set("reset_stride", u64::from(start.is_each));
        offsets.iter().for_each(|(name, offset)| self.state.arguments.set(name, address + offset));
        let done = self.backend.executor_mut().reset(&self.state.arguments);
        ["mask"].iter().chain(&OF_KEYFRAME).for_each(|name| self.state.arguments.set(name, 0));
        done?;
        self.time_base.iter_mut().zip(&mask).filter(|(_, m)| **m != 0).for_each(|(t, _)| *t = start.time);
        self.forward_masked(mask_address)
    }

    /// Memory for what is reset to, kept from one reset to the next and as large as the largest so far.
    fn reset_rows(&mut self, bytes: usize) -> Result<&mut Memory, SimError> {
        let has = self.state.reset_rows.1;
        if has < bytes {
            let more = (bytes - has) as u64;
            let refuse = |why| SimError::NoRoomToReset { why };
            self.plan().memory.check_room(more).map_err(refuse)?;
            // What an earlier reset may still read is freed when it is done.
            self.synchronize()?;
            let memory = self.backend.executor().allocate(bytes, "the state to reset to")?;
            self.state.reset_rows = (memory, bytes);
            self.backend.executor_mut().grow(MemoryPart::Inputs, more);
        }
        Ok(&mut self.state.reset_rows.0)
    }

    fn mask_of(&self, envs: Envs) -> Result<Vec<u8>, SimError> {
        let n = self.options.num_envs;
        match envs {
            Envs::All => Ok(vec![1; n as usize]),
            Envs::Mask(mask) if mask.len() as u64 == n => Ok(mask.iter().map(|m| u8::from(*m)).collect()),
            Envs::Mask(mask) => Err(SimError::WrongMask { num_envs: n, given: mask.len() }),
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

    fn start_of(&self, target: Target) -> Result<Start, SimError> {
        let (nq, nv, num_envs) = (self.model.nq, self.model.nv, self.options.num_envs as usize);
        let plain = |qpos: Vec<f64>, qvel: Vec<f64>, is_each: bool| Start {
            rows: vec![("reset_qpos", qpos), ("reset_qvel", qvel)],
            is_each,
            time: 0.0,
        };
        match target {
            Target::Default => Ok(plain(self.model.qpos0.clone(), vec![0.0; nv], false)),
            Target::Keyframe(key) if key < self.model.nkey => Ok(self.start_of_keyframe(key)),
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
                Ok(plain(spread(qpos, nq, each), spread(qvel, nv, each), each))
            }
        }
    }

    fn start_of_keyframe(&self, key: usize) -> Start {
        let m = &self.model;
        let row = |values: &[f64], n: usize| values[key * n..(key + 1) * n].to_vec();
        let rows = vec![
            ("reset_qpos", row(&m.key_qpos, m.nq)),
            ("reset_qvel", row(&m.key_qvel, m.nv)),
            ("reset_act", row(&m.key_act, m.na)),
            ("reset_ctrl", row(&m.key_ctrl, m.nu)),
            ("reset_mocap_pos", row(&m.key_mpos, 3 * m.nmocap)),
            ("reset_mocap_quat", row(&m.key_mquat, 4 * m.nmocap)),
        ];
        Start { rows, is_each: false, time: m.key_time[key] }
    }
}
