//! The driver's numbers: their names in cuda.h, what each means to this program in the driver's own words and in plain
//! ones, and what to do.

/// A number of the driver.
pub(super) struct Entry {
    /// The CUresult.
    pub code: u32,
    /// The name in cuda.h.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What to do.
    pub advice: &'static str,
}

/// What a number without an entry is.
pub(super) const UNLISTED: Entry = Entry {
    code: u32::MAX,
    name: "CUresult",
    meaning: "a failure that this version does not know",
    advice: "see https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html",
};

/// The entry of a number.
pub(super) fn entry(code: u32) -> &'static Entry {
    let found = ENTRIES.binary_search_by_key(&code, |entry| entry.code);
    found.map_or(&UNLISTED, |index| &ENTRIES[index])
}

const fn row(code: u32, name: &'static str, meaning: &'static str, advice: &'static str) -> Entry {
    Entry { code, name, meaning, advice }
}

const CRASHED: &str = "a bug in a kernel, or a buffer that was freed too early; the process must be restarted; `phalanx run \
                       --checked` (`Options::checked`) names stage, array and index, `compute-sanitizer` the line; the CPU (`--device cpu`) computes the same bits meanwhile; please \
                       report it with the model";
const DAMAGED: &str = "the GPU may be damaged: see `nvidia-smi -q -d ECC` and the system's log, then restart it";
const PTX: &str = "update NVIDIA's driver, or compile with an NVRTC no newer than it: `nvidia-smi` shows the CUDA version that \
                   it serves, `phalanx doctor` the NVRTC that is used";
const MPS: &str = "restart the MPS control daemon (`nvidia-cuda-mps-control`), or end it to use the GPU without it";
const CAPTURE: &str = "end the capture first; allocate and synchronise outside of it";

/// Every number that this program may meet, ascending.
#[rustfmt::skip]
pub(super) const ENTRIES: &[Entry] = &[
    row(1, "CUDA_ERROR_INVALID_VALUE", "a value is out of range",
        "most often more threads, shared memory or blocks than the device offers: plan for this device's limits"),
    row(2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory",
        "use fewer environments (`phalanx plan` says how many fit), or free what other programs hold (`nvidia-smi` lists them)"),
    row(3, "CUDA_ERROR_NOT_INITIALIZED", "the driver is not initialised",
        "a process that forked after it used CUDA cannot use it again: start workers with `spawn`"),
    row(4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down",
        "drop simulations before the process ends"),
    row(34, "CUDA_ERROR_STUB_LIBRARY", "the library is the toolkit's stub",
        "the toolkit's lib64/stubs is on LD_LIBRARY_PATH: remove it, and install NVIDIA's driver"),
    row(35, "CUDA_ERROR_INSUFFICIENT_DRIVER", "the driver is too old",
        "update NVIDIA's driver, or compile with an older NVRTC (`pip install nvidia-cuda-nvrtc-cu12`)"),
    row(46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy or reserved",
        "another process holds the GPU exclusively: end it, or set the compute mode to Default"),
    row(100, "CUDA_ERROR_NO_DEVICE", "no GPU",
        "check `nvidia-smi` and CUDA_VISIBLE_DEVICES; in a container start it with `--gpus all`"),
    row(101, "CUDA_ERROR_INVALID_DEVICE", "no such GPU",
        "`phalanx doctor` lists the devices; CUDA_VISIBLE_DEVICES may hide some and renumbers the others"),
    row(102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "the virtual GPU has no licence",
        "ask whoever runs the virtual machine for a compute licence of its GPU"),
    row(200, "CUDA_ERROR_INVALID_IMAGE", "the module is broken",
        "delete the cache of compiled kernels (`~/.cache/phalanx`) and run again"),
    row(201, "CUDA_ERROR_INVALID_CONTEXT", "no or the wrong context is current",
        "the handle belongs to another device or to a context that is gone: make it anew on this device"),
    row(209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available: the kernel was compiled for another GPU",
        "compile for this device's compute capability; if it is newer than NVRTC, `pip install -U nvidia-cuda-nvrtc`"),
    row(214, "CUDA_ERROR_ECC_UNCORRECTABLE", "the GPU's memory is damaged", DAMAGED),
    row(218, "CUDA_ERROR_INVALID_PTX", "the PTX does not compile", PTX),
    row(220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "the link between GPUs is damaged", DAMAGED),
    row(221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "the driver's PTX compiler is missing", PTX),
    row(222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "unsupported PTX version: the compiler is newer than the driver", PTX),
    row(223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "the driver may not compile PTX",
        "unset CUDA_DISABLE_PTX_JIT, or delete the cache of compiled kernels (`~/.cache/phalanx`) and run again"),
    row(226, "CUDA_ERROR_CONTAINED", "the GPU's memory was damaged and the damage is contained",
        "restart the process; see `nvidia-smi -q -d ECC` if it happens again"),
    row(304, "CUDA_ERROR_OPERATING_SYSTEM", "the operating system refused",
        "check that /dev/nvidia* may be opened, and the system's log"),
    row(400, "CUDA_ERROR_INVALID_HANDLE", "a handle is not valid here",
        "a stream must be of this device and alive: make it anew, or let the simulation use its own"),
    row(401, "CUDA_ERROR_ILLEGAL_STATE", "not allowed in this state", CAPTURE),
    row(500, "CUDA_ERROR_NOT_FOUND", "no such name",
        "the driver lacks this function, or the module this name: update NVIDIA's driver"),
    row(600, "CUDA_ERROR_NOT_READY", "not finished yet", "synchronise, then ask again"),
    row(700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access: a kernel used an address that is not its own", CRASHED),
    row(701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        "too many resources requested for launch: one block needs more than a multiprocessor has",
        "registers x threads or shared memory of one block are over the limit: use smaller blocks, or compile with \
         `__launch_bounds__` of this block size; `phalanx plan` shows both sides"),
    row(702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran too long",
        "a display's watchdog ended it: take fewer steps in one call, or use a GPU without a display"),
    row(709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context is gone",
        "another library reset the device: make the simulation after that, and reset no device that it uses"),
    row(710, "CUDA_ERROR_ASSERT", "an assertion failed in a kernel",
        "restart the process; the assertion's text is on the standard output"),
    row(714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "a kernel's call stack is broken", CRASHED),
    row(715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel ran into an illegal instruction", DAMAGED),
    row(716, "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel used a misaligned address", CRASHED),
    row(717, "CUDA_ERROR_INVALID_ADDRESS_SPACE",
        "operation not supported on global/shared address space: a kernel took an address of one memory for another's",
        "the workspace does not lie where the kernel expects it: delete the cache of compiled kernels (`~/.cache/phalanx`), \
         restart the process, and run with `--checked` (`Options::checked`); report what that says with the output of \
         `phalanx plan` if it comes back"),
    row(718, "CUDA_ERROR_INVALID_PC", "a kernel jumped into nowhere", CRASHED),
    row(719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure: a kernel crashed", CRASHED),
    row(720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "the blocks do not fit on the GPU together",
        "use no more blocks than the occupancy query says"),
    row(800, "CUDA_ERROR_NOT_PERMITTED", "not permitted",
        "this user or container may not do that: check the container's rights and the GPU's compute mode"),
    row(801, "CUDA_ERROR_NOT_SUPPORTED", "this GPU or driver cannot do that",
        "update NVIDIA's driver; `phalanx doctor` shows what the device offers"),
    row(802, "CUDA_ERROR_SYSTEM_NOT_READY", "the GPU's fabric is not ready", "start or restart nvidia-fabricmanager"),
    row(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "the driver's library and kernel module differ",
        "the driver was updated without a restart: restart the machine (or the container's host)"),
    row(804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "the compatibility library does not suit this GPU",
        "remove the cuda-compat package, which forward compatibility needs a data-centre GPU for"),
    row(805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "the multi-process service does not answer", MPS),
    row(806, "CUDA_ERROR_MPS_RPC_FAILURE", "the multi-process service failed", MPS),
    row(807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "the multi-process service is not ready", MPS),
    row(808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the multi-process service has no place left", MPS),
    row(809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "the multi-process service has no connection left", MPS),
    row(900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not allowed while a graph is captured", CAPTURE),
    row(901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "the capture of a graph was broken by an earlier error", CAPTURE),
    row(902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "two captures of graphs would merge", CAPTURE),
    row(903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture of a graph was not begun in this stream", CAPTURE),
    row(904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "the capture of a graph ends with a stream that was not joined", CAPTURE),
    row(905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "the capture of a graph would depend on work outside of it", CAPTURE),
    row(906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the default stream cannot be used while a graph is captured", CAPTURE),
    row(907, "CUDA_ERROR_CAPTURED_EVENT", "an event of a captured graph cannot be used outside of it", CAPTURE),
    row(908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "another thread captures this graph", CAPTURE),
    row(910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph has changed too much to be updated", "capture it again"),
    row(999, "CUDA_ERROR_UNKNOWN", "unknown to the driver itself",
        "see the system's log for lines with NVRM or Xid; reload the driver's modules or restart the machine"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_says_what_it_means_and_what_to_do() {
        assert!(ENTRIES.is_sorted_by(|one, next| one.code < next.code), "the search needs ascending numbers");
        for Entry { code, name, meaning, advice } in ENTRIES {
            assert!(name.starts_with("CUDA_ERROR_"), "{code}");
            assert!(!meaning.is_empty() && !advice.is_empty(), "{name}");
            for text in [meaning, advice] {
                assert!(!text.ends_with('.') && !text.contains("  "), "{name}: \"{text}\" is part of a sentence");
            }
            assert_eq!(entry(*code).name, *name);
        }
        assert_eq!(entry(0x7fff_ffff).name, UNLISTED.name);
    }

    #[test]
    fn the_failures_that_users_search_for_are_found_by_the_drivers_words() {
        for (code, name, words, advice) in [
            (2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory", "fewer environments"),
            (209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available", "compute capability"),
            (222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "unsupported PTX version", "phalanx doctor"),
            (700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access", "--checked"),
            (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch", "smaller blocks"),
            (
                717,
                "CUDA_ERROR_INVALID_ADDRESS_SPACE",
                "operation not supported on global/shared address space",
                "--checked",
            ),
            (719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure", "restarted"),
        ] {
            let entry = entry(code);
            assert_eq!(entry.name, name);
            assert!(entry.meaning.contains(words), "{name}: {}", entry.meaning);
            assert!(entry.advice.contains(advice), "{name}: {}", entry.advice);
        }
    }
}
