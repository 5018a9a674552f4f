//! Compiles a kernel request for the host with 32 lanes as coroutines, keeps the library, and launches it.

use phalanx_gpu_kernels::executor::{KernelRequest, workspace_slots};
use phalanx_gpu_kernels::sources::source;
use phalanx_gpu_kernels::view::ArgumentBlock;
use phalanx_launch_planner::KernelPlan;
use std::ffi::{c_char, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use xxhash_rust::xxh3::xxh3_64;

/// The order in which a warp's lanes take turns; the numbers are those of `platform/emulated_lanes.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Ascending = 0,
    Descending = 1,
    Shuffled = 2,
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// For messages.
    pub what: &'a str,
    /// Blocks of the grid.
    pub blocks: u32,
    pub order: Order,
}

/// A host compiler and its level of optimisation. Without optimisation the places of collectives are compared too.
#[derive(Clone, Copy, Debug)]
pub struct Compiler {
    pub command: &'static str,
    pub level: &'static str,
}

pub const GXX: Compiler = Compiler { command: "g++", level: "-O0" };
pub const GXX_OPTIMISED: Compiler = Compiler { command: "g++", level: "-O1" };
pub const CLANG: Compiler = Compiler { command: "clang++", level: "-O1" };

impl Compiler {
    /// What the compiler calls itself, if it is there.
    pub fn version(&self) -> Option<String> {
        let output = Command::new(self.command).arg("--version").output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

type KernelFunction = unsafe extern "C" fn(*const c_void, u32, u32, i32, *mut c_char, u64) -> i32;

/// A kernel that runs on emulated lanes.
pub struct EmulatedKernel {
    path: PathBuf,
    library: libloading::Library,
}

/// Warps are played by globals of a library: one launch at a time.
static LAUNCH: Mutex<()> = Mutex::new(());
/// What finds misaligned reads and writes.
const ALIGNMENT: &str = "-fsanitize=alignment";

/// Two tests must not write one library.
static COMPILE: Mutex<()> = Mutex::new(());

impl EmulatedKernel {
    /// Compiles the request, or takes the library of the last time from cargo's folder.
    pub fn build(label: &str, request: &KernelRequest, compiler: Compiler) -> EmulatedKernel {
        let version = compiler.version().unwrap_or_else(|| panic!("{} is not installed", compiler.command));
        let mut all =
            format!("{version}{}{ALIGNMENT}{:?}{}", compiler.level, request.options, source("entry_emulated.cpp"));
        request.headers.iter().for_each(|(name, text)| all += &format!("{name}\n{text}"));
        all += request.source;
        let name = format!("{label}-{}{}", compiler.command, compiler.level);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emulated").join(name);
        let path = folder.join(format!("{:016x}.so", xxh3_64(all.as_bytes())));
        let guard = COMPILE.lock();
        if !path.is_file() {
            prune(&folder);
            compile(&folder, &path, request, compiler);
        }
        drop(guard);
        // SAFETY: the library was compiled from our own sources and has no initialisers that matter.
        let library = unsafe { libloading::Library::new(&path) }.unwrap();
        EmulatedKernel { path, library }
    }

    /// Launches the entry point `entry` as `kernel` is planned, in a global workspace that holds NaN.
    ///
    /// # Panics
    /// With the emulation's message, when lanes do not meet or memory of others was written.
    pub fn launch(&self, entry: &str, kernel: &KernelPlan, arguments: &ArgumentBlock, launch: Launch) {
        const NAN: u32 = 0x7fc0_dead;
        const GUARD: usize = 1024;
        let Launch { what, blocks, order } = launch;
        let used = kernel.layout.global_words_per_env as usize * (blocks * kernel.envs_per_block) as usize;
        let mut workspace = vec![[NAN; 4]; (used + GUARD).div_ceil(4)];
        let mut block = arguments.clone();
        block.apply(&workspace_slots(kernel));
        block.set("is_retry", u64::from(kernel.name == "retry"));
        block.set("workspace", workspace.as_mut_ptr() as u64);
        let mut message = vec![0u8; 300];
        let guard = LAUNCH.lock();
        let symbol = format!("{entry}_emulated");
        // SAFETY: the signature is that of `entry_emulated.cpp`.
        let function = unsafe { self.library.get::<KernelFunction>(symbol.as_bytes()) }.unwrap();
        let (arguments, text) = (block.as_slice().as_ptr().cast(), message.as_mut_ptr().cast());
        // SAFETY: the block's pointers are live for the call.
        let failed = unsafe { function(arguments, blocks, kernel.threads_per_block, order as i32, text, 300) };
        drop(guard);
        let message = String::from_utf8_lossy(&message);
        let message = message.trim_end_matches('\0');
        assert!(failed == 0, "{what}: {message}\n{}", self.places(message));
        let beyond = workspace.as_flattened()[used..].iter().position(|word| *word != NAN);
        assert!(beyond.is_none(), "{what}: word {} behind the workspace was written", used + beyond.unwrap_or(0));
    }

    /// Source lines of the addresses in a message, where addr2line is installed.
    fn places(&self, message: &str) -> String {
        let addresses = message.split(['(', ')']).filter(|word| word.starts_with("0x"));
        let lines = |address: &str| {
            let mut command = Command::new("addr2line");
            command.args(["-C", "-f", "-i", "-p", "-e"]).arg(&self.path).arg(address);
            let output = command
                .output()
                .map_or_else(|e| format!("addr2line: {e}"), |o| String::from_utf8_lossy(&o.stdout).into_owned());
            format!("{address}: {output}")
        };
        addresses.map(lines).collect()
    }
}

/// Removes libraries of older sources.
fn prune(folder: &Path) {
    const KEPT: usize = 3;
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|f| f.path().is_file());
    let age = |f: &std::fs::DirEntry| f.metadata().and_then(|m| m.modified()).ok();
    let mut files: Vec<_> = files.map(|f| (age(&f), f.path())).collect();
    files.sort();
    files.iter().rev().skip(KEPT).for_each(|(_, path)| drop(std::fs::remove_file(path)));
}

/// The same options as for the CPU executor's builds; hidden symbols, so that no library takes another's functions.
fn compile(folder: &Path, library: &Path, request: &KernelRequest, compiler: Compiler) {
    let sources = folder.join("kernels");
    for (name, text) in &request.headers {
        write(&sources.join(name), text);
    }
    write(&sources.join("entry_under_test.cu"), request.source);
    let kernel = if request.name.contains("between_steps") { "phalanx_set_constants" } else { "phalanx_step" };
    write(&sources.join("kernels_under_test.h"), &format!("PHALANX_EMULATED({kernel})\n"));
    write(&sources.join("entry_emulated.cpp"), source("entry_emulated.cpp"));
    let unfinished = library.with_extension("part");
    let mut command = Command::new(compiler.command);
    command.args(["-std=c++17", compiler.level, "-g1", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-Bsymbolic"]);
    command.args(["-ffp-contract=off", "-fno-math-errno", "-U_FORTIFY_SOURCE", "-w"]);
    // A host reads misaligned words as well; a GPU does not, so here it is an illegal instruction.
    command.arg(ALIGNMENT);
    if compiler.command == "g++" {
        command.args(["-fno-gnu-unique", "-fsanitize-undefined-trap-on-error"]);
    } else {
        command.arg("-fsanitize-trap=alignment");
    }
    command.args(request.options.iter().filter(|o| o.starts_with("-D")));
    command.arg("-I").arg(&sources).arg(sources.join("entry_emulated.cpp")).arg("-o").arg(&unfinished).arg("-ldl");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    std::fs::rename(&unfinished, library).unwrap();
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
