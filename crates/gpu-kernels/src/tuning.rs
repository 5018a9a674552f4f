//! Keeps which row of the plan was measured to be the fastest, by device, driver, kernel sources, model and batch size.
//!
//! Lies beside the compiled kernels, in the folder `tuned` of their cache: one small JSON file for each key. A file that is
//! missing, broken or of another key is no row; then the planner's own estimate decides. A row never changes bits.

use std::fs;
use std::io;
use std::path::PathBuf;

use phalanx_launch_planner::{DeviceLimits, RowChoice};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::compile::Cache;
use crate::cuda::DriverVersion;
use crate::shape::Shape;
use crate::sources::SOURCES;

/// What a measurement holds for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningKey {
    /// The device's name.
    pub device: String,
    /// Its multiprocessors: parts of a GPU have the name of the whole.
    pub multiprocessor_count: u32,
    /// The newest CUDA that the driver serves.
    pub driver: String,
    /// A hash of the kernels' sources.
    pub kernels: String,
    /// A hash of everything of the model that decides code, and of the fields that each environment has for itself.
    pub shape: String,
    /// Environments, rounded up to a power of two: the exponent.
    pub size: u32,
}

impl TuningKey {
    /// The key of a batch on a device.
    pub fn of(device: &DeviceLimits, driver: DriverVersion, shape: &Shape, num_envs: u64) -> TuningKey {
        let sources: Vec<String> = SOURCES.iter().map(|(name, text)| format!("{name}\n{text}\n")).collect();
        TuningKey {
            device: device.name.clone(),
            multiprocessor_count: device.multiprocessor_count,
            driver: driver.to_string(),
            kernels: hash(&sources.concat()),
            // Maps in the order of their keys: the text is the same in every run.
            shape: hash(&format!("{:?} {:?}", shape.baked(), shape.per_env)),
            size: num_envs.max(1).next_power_of_two().ilog2(),
        }
    }
}

/// A measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuned {
    /// What it holds for.
    pub key: TuningKey,
    /// The model's name, for people.
    pub model: String,
    /// Environments that were measured.
    pub num_envs: u64,
    /// The fastest row.
    pub row: RowChoice,
    /// Its environment steps per second.
    pub env_steps_per_second: f64,
    /// Those of the planner's own row, if it ran.
    pub planners_own: Option<f64>,
}

/// A folder of measurements, or none.
#[derive(Clone, Debug)]
pub struct TuningStore {
    folder: Option<PathBuf>,
}

impl TuningStore {
    /// The store beside the compiled kernels.
    pub fn beside(cache: &Cache) -> Self {
        TuningStore { folder: cache.folder().map(|folder| folder.join("tuned")) }
    }

    /// A store in this folder, which need not exist yet.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        TuningStore { folder: Some(folder.into()) }
    }

    /// The measurement for this key.
    pub fn find(&self, key: &TuningKey) -> Option<Tuned> {
        let path = self.path_of(key)?;
        let text = fs::read_to_string(&path).ok()?;
        match serde_json::from_str::<Tuned>(&text) {
            Ok(tuned) if tuned.key == *key => Some(tuned),
            Ok(_) => None,
            Err(error) => {
                tracing::warn!("{}: {error}; it is not used, `phalanx tune` writes it again", path.display());
                None
            }
        }
    }

    /// Keeps a measurement and says where; replaces an earlier one of the same key.
    ///
    /// # Errors
    /// If there is no folder or it does not take a file.
    pub fn put(&self, tuned: &Tuned) -> io::Result<PathBuf> {
        let path = self.path_of(&tuned.key).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "there is no folder for it; set PHALANX_CACHE_DIR to one")
        })?;
        let folder = path.parent().unwrap_or(&path);
        fs::create_dir_all(folder)?;
        // Written under a name of this process, then moved: a reader sees the old file or the whole new one.
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        let text = serde_json::to_string_pretty(tuned)? + "\n";
        fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &path)).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })?;
        Ok(path)
    }

    fn path_of(&self, key: &TuningKey) -> Option<PathBuf> {
        let name = hash(&serde_json::to_string(key).ok()?);
        Some(self.folder.as_ref()?.join(format!("{name}.json")))
    }
}

fn hash(text: &str) -> String {
    format!("{:032x}", xxh3_128(text.as_bytes()))
}
