//! Records a run: qpos, qvel, act and time at the start and after every R control steps, as a `.npz` file.
//!
//! Numbers go to nameless files while the run lasts, so memory does not grow with the run; the `.npz` is made of them
//! at the end and appears whole or not at all. That of an interrupted run has a name that says so. A recorder that is dropped
//! leaves nothing behind.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use npyz::{AutoSerialize, WriteOptions, WriterBuilder};
use phalanx_sim_core::{Precision, Simulation};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::failure::Failure;
use crate::progress::with_unit;
use crate::whole_file::{WholeFile, folder, is_regular, nameless_beside};

/// Above this many bytes an entry needs the zip format's 64-bit sizes.
const ZIP32_BYTES: u64 = u32::MAX as u64;

/// A recording in progress.
#[derive(Debug)]
pub struct Recorder {
    target: PathBuf,
    every: u64,
    precision: Precision,
    num_envs: u64,
    records: u64,
    fields: Vec<FieldRecord>,
}

#[derive(Debug)]
struct FieldRecord {
    name: &'static str,
    /// The shape of one environment's numbers: (n), or () for the time.
    of_one: Vec<u64>,
    numbers: BufWriter<File>,
}

impl Recorder {
    /// Starts a recording of so many control steps, one record for each `every` of them; fails at once if the target's folder
    /// takes no file.
    pub fn start(
        target: &Path,
        (steps, every): (u64, u64),
        precision: Precision,
        simulation: &Simulation,
    ) -> Result<Recorder, Failure> {
        WholeFile::try_out(target)?;
        let model = simulation.model();
        let numbers = model.nq + model.nv + model.na + 1;
        let of_all = simulation.num_envs() as u128 * (numbers * simulation.real_bytes()) as u128;
        // The numbers, and the file that is made of them.
        warn_if_too_large(target, 2 * of_all * u128::from(steps / every + 1));
        let mut fields = Vec::new();
        for (name, of_one) in [
            ("qpos", vec![model.nq as u64]),
            ("qvel", vec![model.nv as u64]),
            ("act", vec![model.na as u64]),
            ("time", vec![]),
        ] {
            fields.push(FieldRecord { name, of_one, numbers: BufWriter::new(nameless_beside(target)?) });
        }
        let (target, num_envs) = (target.to_path_buf(), simulation.num_envs());
        Ok(Recorder { target, every, precision, num_envs, records: 0, fields })
    }

    /// Whether the state after `steps` control steps belongs to the record.
    pub fn is_due(&self, steps: u64) -> bool {
        steps.is_multiple_of(self.every)
    }

    /// Adds the present state.
    pub fn add(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        for field in &mut self.fields {
            if field.of_one == [0] {
                continue;
            }
            let written = match self.precision {
                Precision::F32 => {
                    write_numbers(&mut field.numbers, &simulation.read_f32(field.name)?, |x| x.to_le_bytes())
                }
                Precision::F64 => write_numbers(&mut field.numbers, &simulation.read(field.name)?, |x| x.to_le_bytes()),
            };
            written.map_err(|error| Failure::file(&self.target, error))?;
        }
        self.records += 1;
        Ok(())
    }

    /// Records so far: the start and what followed.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Makes the file of what there is of an interrupted run, and says under which name; a device or a pipe, which has no other,
    /// is left alone.
    pub fn finish_interrupted(mut self) -> Result<Option<PathBuf>, Failure> {
        if !is_regular(&self.target) {
            return Ok(None);
        }
        self.target = interrupted_name(&self.target);
        let name = self.target.clone();
        self.finish().map(|()| Some(name))
    }

    /// Makes the file.
    pub fn finish(mut self) -> Result<(), Failure> {
        let mut file = WholeFile::create(&self.target)?;
        self.write_npz(&mut file).map_err(|error| Failure::file(&self.target, error))?;
        file.finish()
    }

    fn write_npz(&mut self, file: &mut WholeFile) -> io::Result<()> {
        let mut archive = ZipWriter::new(file);
        for field in &mut self.fields {
            field.numbers.flush()?;
            let numbers = field.numbers.get_mut();
            let large = numbers.stream_position()? >= ZIP32_BYTES;
            numbers.rewind()?;
            let options =
                SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored).large_file(large);
            archive.start_file(format!("{}.npy", field.name), options)?;
            let shape: Vec<u64> = [self.records, self.num_envs].iter().chain(&field.of_one).copied().collect();
            match self.precision {
                Precision::F32 => write_header::<f32>(&mut archive, &shape)?,
                Precision::F64 => write_header::<f64>(&mut archive, &shape)?,
            }
            io::copy(&mut BufReader::new(numbers), &mut archive)?;
        }
        archive.finish()?;
        Ok(())
    }
}

/// Says so before a run whose record the disk will not hold, if the system tells how much it has.
fn warn_if_too_large(target: &Path, bytes: u128) {
    #[cfg(unix)]
    if is_regular(target)
        && let Ok(disk) = rustix::fs::statvfs(folder(target))
    {
        let free = u128::from(disk.f_bavail) * u128::from(disk.f_frsize);
        if bytes > free {
            let (needs, has) = (with_unit(bytes as f64), with_unit(free as f64));
            tracing::warn!(
                "the record will take {needs}B while it is made, and the disk of {} has {has}B",
                target.display()
            );
        }
    }
}

/// `rollout.interrupted.npz` for `rollout.npz`.
fn interrupted_name(target: &Path) -> PathBuf {
    let mut name = target.file_stem().unwrap_or_default().to_os_string();
    name.push(".interrupted");
    if let Some(extension) = target.extension() {
        name.push(".");
        name.push(extension);
    }
    target.with_file_name(name)
}

fn write_numbers<T: Copy, const N: usize>(
    to: &mut impl Write,
    numbers: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    numbers.iter().try_for_each(|&number| to.write_all(&bytes(number)))
}

fn write_header<T: AutoSerialize>(to: &mut impl Write, shape: &[u64]) -> io::Result<()> {
    let little_endian = WriteOptions::<T>::new().default_dtype();
    little_endian.shape(shape).writer(to).write_header_only().map(drop)
}
