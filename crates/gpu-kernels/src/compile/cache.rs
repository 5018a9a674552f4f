//! Keeps compiled cubins on disk, so that a model is compiled once per machine.
//!
//! Lies in `PHALANX_CACHE_DIR`, else `$XDG_CACHE_HOME/phalanx`, else `~/.cache/phalanx`. Holds at most
//! `PHALANX_CACHE_BYTES` (default 1 GiB); beyond that the entries that were used least recently go.
//!
//! Promises: any number of processes may share the folder; a reader never sees half an entry, and every entry's hash is
//! checked when it is read (a broken one is a miss and is written again). No failure of the disk is an error: the cubin
//! in hand is good, so the cache warns and the program goes on.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::nvrtc::{NvrtcVersion, Request};

/// What an entry is found by: a hash of everything that decides the compiled code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheKey(pub u128);

impl CacheKey {
    /// Hashes source, headers (names, texts, order), options, architecture and compiler version.
    ///
    /// The program's name and whether the PTX is kept do not matter: they do not change the code.
    pub fn of(request: &Request, nvrtc: NvrtcVersion) -> Self {
        let mut hash = Xxh3::new();
        let mut add = |text: &str| {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        add(&format!("{FORMAT_VERSION} {nvrtc} {} {}", request.arch, request.headers.len()));
        add(request.source);
        for (name, text) in request.headers {
            add(name);
            add(text);
        }
        request.options.iter().for_each(|option| add(option));
        Self(hash.digest128())
    }
}

/// A folder of cubins, or none. Cheap to make; several may name one folder.
#[derive(Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
    limit_bytes: u64,
}

const DEFAULT_LIMIT_BYTES: u64 = 1 << 30;
const MAGIC: [u8; 8] = *b"PHXCUBIN";
const FORMAT_VERSION: u32 = 1;
/// Magic, then the hash of the cubin.
const HEADER_BYTES: usize = MAGIC.len() + 16;
const ENTRY_SUFFIX: &str = ".cubin";
const TEMPORARY_SUFFIX: &str = ".tmp";
/// A temporary file this old was left by a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);

impl Cache {
    /// The cache that the environment names.
    pub fn from_env() -> Self {
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = path("PHALANX_CACHE_DIR")
            .or_else(|| path("XDG_CACHE_HOME").map(|folder| folder.join("phalanx")))
            .or_else(|| path("HOME").map(|home| home.join(".cache/phalanx")));
        if folder.is_none() {
            tracing::warn!("compiled kernels are not kept: set PHALANX_CACHE_DIR to a folder (HOME is not set)");
        }
        let limit_bytes = match env::var("PHALANX_CACHE_BYTES").map(|text| text.parse()) {
            Err(_) => DEFAULT_LIMIT_BYTES,
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => {
                tracing::warn!("PHALANX_CACHE_BYTES is no number of bytes ({error}); using {DEFAULT_LIMIT_BYTES}");
                DEFAULT_LIMIT_BYTES
            }
        };
        Self { folder, limit_bytes }
    }

    /// A cache in this folder, which need not exist yet, of at most `limit_bytes`.
    pub fn in_folder(folder: impl Into<PathBuf>, limit_bytes: u64) -> Self {
        Self { folder: Some(folder.into()), limit_bytes }
    }

    /// A cache that keeps nothing.
    pub fn none() -> Self {
        Self { folder: None, limit_bytes: 0 }
    }

    /// Where the entries lie.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The most bytes that the entries may take together.
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// The cubin stored under `key`, marked as used now; `None` if there is none or it is broken.
    pub fn get(&self, key: CacheKey) -> Option<Vec<u8>> {
        let path = self.path_of(key)?;
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!("compiled kernel {} cannot be read: {error}", path.display());
                }
                return None;
            }
        };
        if !is_whole(&bytes) {
            tracing::warn!("compiled kernel {} is broken; it is compiled again", path.display());
            return None;
        }
        // Least recently used goes first, so reading renews. A read-only folder just ages.
        if let Ok(file) = File::options().write(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        bytes.drain(..HEADER_BYTES);
        Some(bytes)
    }

    /// Stores a cubin, then removes what is over the limit. Warns if the disk refuses.
    pub fn put(&self, key: CacheKey, cubin: &[u8]) {
        let Some(path) = self.path_of(key) else { return };
        if (cubin.len() + HEADER_BYTES) as u64 > self.limit_bytes {
            return tracing::warn!("a compiled kernel of {} bytes is over the cache's limit; not kept", cubin.len());
        }
        if let Err(error) = write_whole(&path, cubin) {
            return tracing::warn!(
                "compiled kernels are not kept: {} cannot be written ({error}); set PHALANX_CACHE_DIR to a writable folder",
                path.display()
            );
        }
        self.shrink(&path);
    }

    fn path_of(&self, key: CacheKey) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{:032x}{ENTRY_SUFFIX}", key.0)))
    }

    /// Removes the least recently used entries until the rest fits; never the one just written.
    fn shrink(&self, just_written: &Path) {
        let Some(folder) = &self.folder else { return };
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for file in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            // Another process may remove a file at any time: what cannot be looked at is gone.
            let Ok(about) = file.metadata() else { continue };
            let used = about.modified().unwrap_or(now);
            if name.ends_with(ENTRY_SUFFIX) {
                entries.push((used, about.len(), file.path()));
            } else if name.ends_with(TEMPORARY_SUFFIX) && now.duration_since(used).is_ok_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(file.path());
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in entries {
            if total <= self.limit_bytes {
                break;
            }
            if path != just_written {
                let _ = fs::remove_file(&path);
                total -= bytes;
            }
        }
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    let Some((header, cubin)) = bytes.split_at_checked(HEADER_BYTES) else { return false };
    let (magic, hash) = header.split_at(MAGIC.len());
    magic == MAGIC && hash == xxh3_128(cubin).to_le_bytes()
}

/// Writes a file of its own, then moves it into place: a reader sees the old entry, none, or the whole new one.
fn write_whole(path: &Path, cubin: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let unique = format!(".{}-{}{TEMPORARY_SUFFIX}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(unique);
    let written = (|| {
        // `create_new`: containers share folders and process numbers, and two writers must not share a file.
        let mut file = File::options().write(true).create_new(true).open(&temporary)?;
        file.write_all(&MAGIC)?;
        file.write_all(&xxh3_128(cubin).to_le_bytes())?;
        file.write_all(cubin)?;
        drop(file);
        fs::rename(&temporary, path)
    })();
    if written.as_ref().is_err_and(|error: &io::Error| error.kind() != io::ErrorKind::AlreadyExists) {
        let _ = fs::remove_file(&temporary);
    }
    written
}
