//! Hashes of states: the proof that two runs have the same bits.
use crate::SimError;
use crate::simulation::Simulation;
use xxhash_rust::xxh3::xxh3_64;

impl Simulation {
    /// xxh3-64 of each environment's little-endian qpos, qvel and act, in the run's precision.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn env_hashes(&mut self) -> Result<Vec<u64>, SimError> {
        let fields = [self.read_bytes("qpos")?, self.read_bytes("qvel")?, self.read_bytes("act")?];
        let n = self.options.num_envs as usize;
        let row = |bytes: &[u8], env: usize| {
            let width = bytes.len() / n;
            bytes[env * width..(env + 1) * width].to_vec()
        };
        Ok((0..n).map(|env| xxh3_64(&fields.iter().flat_map(|f| row(f, env)).collect::<Vec<u8>>())).collect())
    }

    /// xxh3-64 of the environments' hashes in order.
    ///
    /// # Errors
    /// If a kernel failed.
    pub fn state_hash(&mut self) -> Result<u64, SimError> {
        let bytes: Vec<u8> = self.env_hashes()?.iter().flat_map(|h| h.to_le_bytes()).collect();
        Ok(xxh3_64(&bytes))
    }
}
