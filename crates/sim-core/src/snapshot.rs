//! The whole state of a batch, kept and put back.
use crate::SimError;
use crate::simulation::Simulation;

/// The state of a batch at one moment: it restores bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    taken_of: String,
    state: Vec<u8>,
    faults: Vec<u8>,
    step_counts: Vec<u8>,
    time_base: Vec<f64>,
    /// What a step counts for.
    timestep: Vec<f64>,
    time: Vec<f64>,
}

impl Simulation {
    /// Keeps positions, velocities, activations, warm starts, motion-capture bodies, faults and times.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn snapshot(&mut self) -> Result<Snapshot, SimError> {
        let mut state = vec![0; self.state.state_bytes as usize];
        self.state.arena.read(0, &mut state)?;
        let words = 4 * self.options.num_envs as usize;
        Ok(Snapshot {
            taken_of: self.identity(),
            state,
            faults: self.state.read_control("fault", words)?,
            step_counts: self.state.read_control("step_count", words)?,
            time_base: self.time_base.clone(),
            timestep: self.read("opt_timestep")?,
            time: self.read("time")?,
        })
    }

    /// Puts a snapshot back.
    ///
    /// # Errors
    /// If it was taken of another model, size or precision; nothing is changed then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SimError> {
        if snapshot.taken_of != self.identity() {
            return Err(SimError::OtherSnapshot { taken: snapshot.taken_of.clone(), here: self.identity() });
        }
        self.state.arena.write(0, &snapshot.state)?;
        self.state.control.write(self.state.control_offsets["fault"] as usize, &snapshot.faults)?;
        if self.read("opt_timestep")? != snapshot.timestep {
            return self.write("time", &snapshot.time);
        }
        self.state.control.write(self.state.control_offsets["step_count"] as usize, &snapshot.step_counts)?;
        self.time_base.clone_from(&snapshot.time_base);
        Ok(())
    }

    fn identity(&self) -> String {
        let m = &self.model;
        format!(
            "{} environments of {} (nq {}, nv {}, na {}, hash {:016x}), {} bytes a number",
            self.options.num_envs,
            self.shape.name,
            m.nq,
            m.nv,
            m.na,
            self.model_hash,
            self.real_bytes()
        )
    }
}
