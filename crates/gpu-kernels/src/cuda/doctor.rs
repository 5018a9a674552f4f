//! Reports what this machine has for running on a GPU, what is missing, and how to get it: `phalanx doctor`.
//!
//! Changes nothing, makes no context, and never fails: what cannot be asked is in the list of what is missing.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use super::error::CudaError;
use super::limits::{self, DeviceAttributes, DriverVersion};
use crate::compile::{Architecture, Cache, Nvrtc};

/// What the machine has and lacks.
#[derive(Debug, Clone, Serialize)]
pub struct DoctorReport {
    /// Whether this build can use CUDA at all.
    pub built_with_cuda: bool,
    /// The driver, if there is one.
    pub driver: Option<DriverReport>,
    /// The compiler, if there is one.
    pub nvrtc: Option<NvrtcReport>,
    /// The folder of compiled kernels.
    pub cache: Option<PathBuf>,
    /// Every device with its limits.
    pub devices: Vec<DeviceAttributes>,
    /// What is missing. Empty: the GPU can be used.
    pub missing: Vec<Missing>,
}

/// The driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DriverReport {
    /// The newest CUDA that it serves.
    pub cuda: DriverVersion,
}

/// The compiler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NvrtcReport {
    /// `13.5`.
    pub version: String,
    /// The library.
    pub path: PathBuf,
    /// Why it was tried: `PHALANX_NVRTC`, `CUDA_HOME`, `a pip package`...
    pub found_by: String,
    /// What it compiles for, ascending.
    pub architectures: Vec<Architecture>,
}

/// A lack, and its remedy in the same sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// `driver`, `device`, `NVRTC`, `cache` or `CUDA support`.
    pub what: &'static str,
    /// What is wrong, and what to do.
    pub how_to_get_it: String,
}

impl DoctorReport {
    /// Looks at this machine.
    pub fn of_this_machine() -> Self {
        let mut missing = Vec::new();
        let mut lack = |what, how_to_get_it: String| missing.push(Missing { what, how_to_get_it });

        let driver = match limits::driver_version() {
            Ok(cuda) => Some(DriverReport { cuda }),
            Err(error) => {
                let what = if error == CudaError::NotBuilt { "CUDA support" } else { "driver" };
                lack(what, error.to_string());
                None
            }
        };
        let mut devices = Vec::new();
        if driver.is_some() {
            match limits::devices() {
                Ok(found) if found.is_empty() => {
                    lack("device", CudaError::NoSuchDevice { ordinal: 0, count: 0 }.to_string());
                }
                Ok(found) => devices = found,
                Err(error) => lack("device", error.to_string()),
            }
        }
        // Machine code of a newer CUDA runs within a major version only.
        let newest = driver.map_or(u32::MAX, |driver| driver.cuda.major);
        let nvrtc = match Nvrtc::open_up_to(newest) {
            Ok(nvrtc) => {
                for device in &devices {
                    if let Err(error) = nvrtc.architecture_for(device.architecture()) {
                        lack("NVRTC", format!("cuda:{} ({}): {error}", device.ordinal, device.name));
                    }
                }
                Some(NvrtcReport {
                    version: nvrtc.version().to_string(),
                    path: nvrtc.path().to_path_buf(),
                    found_by: nvrtc.source().to_string(),
                    architectures: nvrtc.supported_architectures().to_vec(),
                })
            }
            Err(error) => {
                lack("NVRTC", error.to_string());
                None
            }
        };
        let cache = Cache::from_env();
        if cache.folder().is_none() {
            lack("cache", "set PHALANX_CACHE_DIR to a folder, so that kernels are not compiled in every run".into());
        }
        let built_with_cuda = cfg!(all(feature = "cuda", target_os = "linux"));
        Self { built_with_cuda, driver, nvrtc, cache: cache.folder().map(Into::into), devices, missing }
    }

    /// Whether simulations can run on a GPU of this machine.
    pub fn is_gpu_usable(&self) -> bool {
        !self.devices.is_empty() && self.nvrtc.is_some() && self.missing.iter().all(|lack| lack.what == "cache")
    }
}

impl fmt::Display for DoctorReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.driver {
            Some(driver) => writeln!(f, "driver   serves CUDA {}", driver.cuda)?,
            None => writeln!(f, "driver   none")?,
        }
        match &self.nvrtc {
            Some(nvrtc) => {
                writeln!(f, "NVRTC    {} from {} ({})", nvrtc.version, nvrtc.path.display(), nvrtc.found_by)?;
                let names: Vec<_> = nvrtc.architectures.iter().map(Architecture::to_string).collect();
                writeln!(f, "         compiles for {}", names.join(" "))?;
            }
            None => writeln!(f, "NVRTC    none")?,
        }
        if let Some(folder) = &self.cache {
            writeln!(f, "cache    {}", folder.display())?;
        }
        for device in &self.devices {
            let (major, minor) = device.compute_capability;
            writeln!(f, "cuda:{}   {}, compute capability {major}.{minor}", device.ordinal, device.name)?;
            writeln!(
                f,
                "         {} multiprocessors, each with {} bytes of shared memory, {} registers, {} threads, {} blocks",
                device.multiprocessor_count,
                device.shared_memory_per_multiprocessor,
                device.registers_per_multiprocessor,
                device.max_threads_per_multiprocessor,
                device.max_blocks_per_multiprocessor,
            )?;
            writeln!(
                f,
                "         a block: {} threads, {} bytes of shared memory ({} reserved), {} registers",
                device.max_threads_per_block,
                device.shared_memory_per_block_optin,
                device.reserved_shared_memory_per_block,
                device.registers_per_block,
            )?;
            writeln!(
                f,
                "         {:.1} GB of memory, {} MB of level 2 cache",
                device.total_global_memory as f64 / 1e9,
                device.l2_cache_bytes >> 20,
            )?;
        }
        for lack in &self.missing {
            writeln!(f, "missing  {}: {}", lack.what, lack.how_to_get_it)?;
        }
        if self.missing.is_empty() {
            writeln!(f, "nothing is missing")?;
        }
        Ok(())
    }
}
