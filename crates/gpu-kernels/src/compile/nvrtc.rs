//! Compiles CUDA C++ with an NVRTC library that is opened when the program runs.
//!
//! Needs no GPU, no driver and no toolkit: `pip install nvidia-cuda-nvrtc` is enough. Searches, in this order:
//! `PHALANX_NVRTC` (a file or a folder; nothing else is tried when it is set), `CUDA_HOME` and `CUDA_PATH`, the loader's
//! path, `/usr/local/cuda`, pip's packages in the site-packages that can be guessed, and last those that `python3` names.
//!
//! Sources, headers and options come from the caller as text; no file is read. A handle may be used from several threads
//! at once: every compilation is a program of its own.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use libloading::Library;
use serde::Serialize;

use super::architecture::Architecture;
use super::error::CompileError;
use super::nvrtc_search::{self, Candidate};

/// The options that give the same bits on every device: no fused multiply-add that the source does not spell out, no
/// flushed denormals, correctly rounded division and square root. Every kernel of this project is compiled with them.
pub const SAME_BITS_OPTIONS: [&str; 6] =
    ["--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true", "-default-device"];

/// What to compile.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The program's name in messages, like a file name.
    pub name: &'a str,
    /// The CUDA C++ text.
    pub source: &'a str,
    /// Every header that an `#include` may name: (name, text).
    pub headers: &'a [(String, String)],
    /// Options beside the architecture, which [`Nvrtc::compile`] adds. Usually [`SAME_BITS_OPTIONS`] and definitions.
    pub options: &'a [String],
    /// The device's architecture, or an older one of its generation: [`Nvrtc::architecture_for`].
    pub arch: Architecture,
    /// Whether to keep the PTX beside the cubin.
    pub keep_ptx: bool,
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// The machine code, an ELF file.
    pub cubin: Vec<u8>,
    /// The assembly, if asked for.
    pub ptx: Option<String>,
    /// The compiler's warnings; empty if there are none.
    pub log: String,
    /// How long the compiler ran.
    pub seconds: f64,
}

/// The version of an NVRTC library, which is that of its toolkit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NvrtcVersion {
    /// 13 of 13.5.
    pub major: u32,
    /// 5 of 13.5.
    pub minor: u32,
}

impl fmt::Display for NvrtcVersion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// An open NVRTC library. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Nvrtc {
    entries: Entries,
    path: PathBuf,
    source: String,
    version: NvrtcVersion,
    architectures: Vec<Architecture>,
}

impl Nvrtc {
    /// Opens the first NVRTC that works, in the order that the module's page gives.
    ///
    /// # Errors
    /// [`CompileError::NvrtcNotFound`] with the places and the package to install; [`CompileError::NvrtcUnusable`] if
    /// `PHALANX_NVRTC` names something that cannot be opened.
    pub fn open() -> Result<Self, CompileError> {
        Self::open_up_to(u32::MAX)
    }

    /// Opens the first NVRTC of at most this major version: a driver runs machine code of its own CUDA's major version
    /// and of older ones. What `PHALANX_NVRTC` names is opened whatever its version.
    ///
    /// # Errors
    /// As [`Nvrtc::open`]; [`CompileError::NvrtcUnusable`] if all that were found are newer.
    pub fn open_up_to(major: u32) -> Result<Self, CompileError> {
        if let Some((path, candidates)) = nvrtc_search::chosen() {
            let reason = "PHALANX_NVRTC names it, and there is no libnvrtc.so there".to_string();
            let mut answer = Err(CompileError::NvrtcUnusable { path, reason });
            for candidate in &candidates {
                answer = Self::open_candidate(candidate);
                if answer.is_ok() {
                    break;
                }
            }
            return answer;
        }
        let mut looked_in = vec!["PHALANX_NVRTC (not set)".to_string()];
        let mut unusable = None;
        let searches: [fn() -> Vec<Candidate>; 2] = [nvrtc_search::usual, nvrtc_search::from_python];
        for candidate in searches.into_iter().flat_map(|search| search()) {
            let error = match Self::open_candidate(&candidate) {
                Ok(nvrtc) if nvrtc.version.major <= major => return Ok(nvrtc),
                Ok(nvrtc) => {
                    let (has, path) = (nvrtc.version, nvrtc.path);
                    let package = match major {
                        ..13 => format!("nvidia-cuda-nvrtc-cu{major}"),
                        13.. => format!("\"nvidia-cuda-nvrtc<{}\"", major + 1),
                    };
                    let reason = format!(
                        "it is version {has} and the driver serves CUDA {major}; update the driver, or \
                         `pip install {package}`"
                    );
                    unusable = Some(CompileError::NvrtcUnusable { path, reason });
                    continue;
                }
                Err(error) => error,
            };
            tracing::debug!("{error}");
            looked_in.push(format!("{} ({})", candidate.path.display(), candidate.source));
            // A bare name that the loader does not know is no finding; a file that does not open is.
            if candidate.path.is_absolute() && unusable.is_none() {
                unusable = Some(error);
            }
        }
        looked_in.push("nvidia/*/lib in python3's site-packages".into());
        Err(unusable.unwrap_or(CompileError::NvrtcNotFound { looked_in }))
    }

    fn open_candidate(candidate: &Candidate) -> Result<Self, CompileError> {
        let unusable = |reason: String| CompileError::NvrtcUnusable { path: candidate.path.clone(), reason };
        open_builtins_beside(&candidate.path);
        // SAFETY: loading NVRTC runs only the library's own initialisers.
        let library = unsafe { Library::new(&candidate.path) }.map_err(|error| unusable(error.to_string()))?;
        let entries = Entries::of(&library).map_err(|error| unusable(error.to_string()))?;
        let path = file_of(entries.version as *const c_void).unwrap_or_else(|| candidate.path.clone());
        if candidate.path.is_relative() {
            open_builtins_beside(&path);
        }
        // Never closed: NVRTC leaves threads and exit handlers behind, and the entries above point into it.
        std::mem::forget(library);

        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the arguments are places for the results, as NVRTC's header demands.
        let codes = unsafe { [(entries.version)(&mut major, &mut minor), (entries.architecture_count)(&mut count)] };
        let mut numbers = vec![0; count.max(0) as usize];
        // SAFETY: the array has as many elements as NVRTC said it would write.
        let code = unsafe { (entries.architectures)(numbers.as_mut_ptr()) };
        if codes != [0, 0] || code != 0 {
            return Err(unusable("it does not tell its version and architectures".into()));
        }
        let version = NvrtcVersion { major: major as u32, minor: minor as u32 };
        let mut architectures: Vec<_> = numbers.into_iter().map(|number| Architecture(number as u32)).collect();
        architectures.sort();
        tracing::debug!("NVRTC {version} from {} ({})", path.display(), candidate.source);
        Ok(Self { entries, path, source: candidate.source.clone(), version, architectures })
    }

    /// The library's version.
    pub fn version(&self) -> NvrtcVersion {
        self.version
    }

    /// The file that the loader opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why this file was tried: `PHALANX_NVRTC`, `CUDA_HOME`, `a pip package`...
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What it can compile for, ascending.
    pub fn supported_architectures(&self) -> &[Architecture] {
        &self.architectures
    }

    /// What to compile for, so that a device of this capability can run it.
    ///
    /// # Errors
    /// [`CompileError::UnsupportedArchitecture`] if this NVRTC knows nothing of the device's generation.
    pub fn architecture_for(&self, device: Architecture) -> Result<Architecture, CompileError> {
        device.best_of(&self.architectures).ok_or_else(|| self.unsupported(device))
    }

    fn unsupported(&self, wanted: Architecture) -> CompileError {
        let names: Vec<_> = self.architectures.iter().map(Architecture::to_string).collect();
        CompileError::UnsupportedArchitecture {
            wanted: wanted.to_string(),
            nvrtc: self.version.to_string(),
            supported: names.join(", "),
        }
    }

    /// Compiles one program to a cubin.
    ///
    /// # Errors
    /// [`CompileError::Source`] with the compiler's log; [`CompileError::UnsupportedArchitecture`]; others if NVRTC itself
    /// fails.
    pub fn compile(&self, request: &Request) -> Result<Compiled, CompileError> {
        if !self.architectures.contains(&request.arch) {
            return Err(self.unsupported(request.arch));
        }
        let start = Instant::now();
        let program = Program::new(&self.entries, request)?;
        let architecture = format!("--gpu-architecture={}", request.arch);
        let options = [&architecture].into_iter().chain(request.options);
        let options = options.map(|text| c_string(request, "an option", text)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = options.iter().map(|text| text.as_ptr()).collect();
        // SAFETY: the program lives, and the strings outlive the call.
        let code = unsafe { (self.entries.compile)(program.raw, pointers.len() as c_int, pointers.as_ptr()) };
        let log = program.text("nvrtcGetProgramLog", self.entries.log_size, self.entries.log)?;
        if code != 0 {
            return Err(CompileError::Source {
                name: request.name.into(),
                arch: request.arch.to_string(),
                reason: self.entries.reason(code),
                log,
            });
        }
        let cubin = program.bytes("nvrtcGetCUBIN", self.entries.cubin_size, self.entries.cubin)?;
        let ptx = match request.keep_ptx {
            true => Some(program.text("nvrtcGetPTX", self.entries.ptx_size, self.entries.ptx)?),
            false => None,
        };
        let seconds = start.elapsed().as_secs_f64();
        tracing::info!("compiled {} for {} in {seconds:.2} s, {} bytes", request.name, request.arch, cubin.len());
        Ok(Compiled { cubin, ptx, log, seconds })
    }
}

/// One nvrtcProgram, destroyed with this value.
struct Program<'a> {
    entries: &'a Entries,
    name: &'a str,
    raw: *mut c_void,
}

impl<'a> Program<'a> {
    fn new(entries: &'a Entries, request: &Request<'a>) -> Result<Self, CompileError> {
        let name = c_string(request, "the name", request.name)?;
        let source = c_string(request, "the source", request.source)?;
        let mut names = Vec::new();
        let mut texts = Vec::new();
        for (header, text) in request.headers {
            names.push(c_string(request, "a header's name", header)?);
            texts.push(c_string(request, &format!("the header {header}"), text)?);
        }
        let pointers = |strings: &[CString]| strings.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let (names_at, texts_at) = (pointers(&names), pointers(&texts));
        let mut program = Self { entries, name: request.name, raw: std::ptr::null_mut() };
        let count = names.len() as c_int;
        // SAFETY: both arrays have `count` strings, which NVRTC copies; the order is source, name, texts, names.
        let code = unsafe {
            let (texts, names) = (texts_at.as_ptr(), names_at.as_ptr());
            (entries.create)(&mut program.raw, source.as_ptr(), name.as_ptr(), count, texts, names)
        };
        program.check("nvrtcCreateProgram", code)?;
        Ok(program)
    }

    fn check(&self, call: &'static str, code: c_int) -> Result<(), CompileError> {
        if code == 0 {
            return Ok(());
        }
        Err(CompileError::Nvrtc { call, name: self.name.into(), reason: self.entries.reason(code) })
    }

    fn bytes(&self, call: &'static str, size: GetSize, get: GetBytes) -> Result<Vec<u8>, CompileError> {
        let mut count = 0;
        // SAFETY: the program lives and `count` is a place for the result.
        self.check(call, unsafe { size(self.raw, &mut count) })?;
        let mut bytes = vec![0; count];
        // SAFETY: the buffer has the size that NVRTC asked for.
        self.check(call, unsafe { get(self.raw, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }

    fn text(&self, call: &'static str, size: GetSize, get: GetBytes) -> Result<String, CompileError> {
        let bytes = self.bytes(call, size, get)?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Ok(String::from_utf8_lossy(&bytes[..end]).trim_end().to_string())
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: the program was created by this library and nothing uses it any more.
            unsafe { (self.entries.destroy)(&mut self.raw) };
        }
    }
}

fn c_string(request: &Request, what: &str, text: &str) -> Result<CString, CompileError> {
    CString::new(text).map_err(|error| CompileError::NulByte {
        name: request.name.into(),
        what: what.into(),
        position: error.nul_position(),
    })
}

type GetSize = unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int;
type GetBytes = unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_int;
type Strings = *const *const c_char;

/// NVRTC's functions, as its header declares them.
#[derive(Debug, Clone, Copy)]
struct Entries {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    architecture_count: unsafe extern "C" fn(*mut c_int) -> c_int,
    architectures: unsafe extern "C" fn(*mut c_int) -> c_int,
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
    create: unsafe extern "C" fn(*mut *mut c_void, *const c_char, *const c_char, c_int, Strings, Strings) -> c_int,
    compile: unsafe extern "C" fn(*mut c_void, c_int, Strings) -> c_int,
    destroy: unsafe extern "C" fn(*mut *mut c_void) -> c_int,
    log_size: GetSize,
    log: GetBytes,
    cubin_size: GetSize,
    cubin: GetBytes,
    ptx_size: GetSize,
    ptx: GetBytes,
}

impl Entries {
    fn of(library: &Library) -> Result<Self, libloading::Error> {
        // SAFETY: the types are those of nvrtc.h, which have not changed since the functions exist (11.2).
        unsafe {
            Ok(Self {
                version: *library.get(b"nvrtcVersion\0")?,
                architecture_count: *library.get(b"nvrtcGetNumSupportedArchs\0")?,
                architectures: *library.get(b"nvrtcGetSupportedArchs\0")?,
                error_string: *library.get(b"nvrtcGetErrorString\0")?,
                create: *library.get(b"nvrtcCreateProgram\0")?,
                compile: *library.get(b"nvrtcCompileProgram\0")?,
                destroy: *library.get(b"nvrtcDestroyProgram\0")?,
                log_size: *library.get(b"nvrtcGetProgramLogSize\0")?,
                log: *library.get(b"nvrtcGetProgramLog\0")?,
                cubin_size: *library.get(b"nvrtcGetCUBINSize\0")?,
                cubin: *library.get(b"nvrtcGetCUBIN\0")?,
                ptx_size: *library.get(b"nvrtcGetPTXSize\0")?,
                ptx: *library.get(b"nvrtcGetPTX\0")?,
            })
        }
    }

    fn reason(&self, code: c_int) -> String {
        // SAFETY: NVRTC returns a string constant for every number.
        let text = unsafe { (self.error_string)(code) };
        match text.is_null() {
            true => format!("error {code}"),
            // SAFETY: not null, and constant.
            false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
        }
    }
}

/// NVRTC opens its built-in functions by bare name when it compiles; the loader finds them if they are already open.
#[cfg(unix)]
fn open_builtins_beside(nvrtc: &Path) {
    use libloading::os::unix;
    for path in nvrtc_search::builtins_beside(nvrtc) {
        // SAFETY: the library holds only data and device functions.
        match unsafe { unix::Library::open(Some(&path), unix::RTLD_LAZY | unix::RTLD_GLOBAL) } {
            Ok(library) => std::mem::forget(library),
            Err(error) => tracing::debug!("{} does not open: {error}", path.display()),
        }
    }
}

#[cfg(not(unix))]
fn open_builtins_beside(_nvrtc: &Path) {}

/// The file that holds this address: tells which library the loader chose for a bare name.
#[cfg(target_os = "linux")]
fn file_of(address: *const c_void) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let [from, to] = [from, to].map(|text| usize::from_str_radix(text, 16));
        let inside = (from.ok()?..to.ok()?).contains(&(address as usize));
        inside.then(|| rest.find('/').map(|at| PathBuf::from(&rest[at..]))).flatten()
    })
}

#[cfg(not(target_os = "linux"))]
fn file_of(_address: *const c_void) -> Option<PathBuf> {
    None
}
