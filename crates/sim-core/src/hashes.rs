//! Hashes of states: the proof that two runs have the same bits.
use crate::SimError;
use crate::pieces::rows_of_a_piece;
use crate::simulation::Simulation;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

impl Simulation {
    /// xxh3-64 of each environment's little-endian qpos, qvel and act, in the run's precision.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn env_hashes(&mut self) -> Result<Vec<u64>, SimError> {
        let mut hashes = Vec::with_capacity(self.options.num_envs as usize);
        self.hash_each(|hash| hashes.push(hash))?;
        Ok(hashes)
    }

    /// xxh3-64 of the environments' hashes in order.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn state_hash(&mut self) -> Result<u64, SimError> {
        let mut all = Xxh3::new();
        self.hash_each(|hash| all.update(&hash.to_le_bytes()))?;
        Ok(all.digest())
    }

    fn hash_each(&self, mut f: impl FnMut(u64)) -> Result<(), SimError> {
        let fields = [self.source_of("qpos")?, self.source_of("qvel")?, self.source_of("act")?];
        let n = self.options.num_envs as usize;
        let widths = fields.each_ref().map(|field| field.bytes / n);
        let rows = rows_of_a_piece(widths.iter().sum());
        let mut state = Vec::new();
        for first in (0..n).step_by(rows) {
            let count = rows.min(n - first);
            let mut pieces = widths.map(|width| vec![0; count * width]);
            for ((field, width), piece) in fields.iter().zip(widths).zip(&mut pieces) {
                field.read(first * width, piece)?;
            }
            for env in 0..count {
                state.clear();
                pieces.iter().zip(widths).for_each(|(piece, width)| state.extend(&piece[env * width..][..width]));
                f(xxh3_64(&state));
            }
        }
        Ok(())
    }
}
