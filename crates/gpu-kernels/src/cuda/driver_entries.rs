//! Finds the CUDA driver when the program runs instead of when it is linked.
//!
//! One binary builds on a machine without CUDA and runs with or without a driver. `cust` declares the `cu*` functions and
//! asks the linker for `-lcuda`; `link/lib64/libcuda.so` is an empty linker script that satisfies it, and the functions are
//! defined here, each a jump through its own slot. A slot starts at a function that answers "no device"; `cuInit` opens
//! `libcuda.so.1` and fills every slot from it.
//!
//! **The symbols are private.** They are hidden, so neither an executable nor a shared library (the Python module) exports
//! them: PyTorch loads the real driver into the same process and must never meet ours. They are written in assembly
//! because `#[no_mangle]` functions *are* exported from a shared library.
//!
//! **Other workspaces.** `cust`'s build script stops without a toolkit unless `CUDA_LIBRARY_PATH` names a folder with a
//! `lib64`; `.cargo/config.toml` sets it to `crates/gpu-kernels/link` for this workspace. A crate that depends on this one
//! from elsewhere needs the same setting (any folder with an empty `lib64/libcuda.so` will do) or a toolkit, for the
//! `cuda` feature. Without that feature nothing is linked and the crate builds anywhere.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

const LIBRARY_NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];
const CUDA_SUCCESS: c_uint = 0;
const CUDA_ERROR_NO_DEVICE: c_uint = 100;
const CUDA_ERROR_NOT_FOUND: c_uint = 500;

/// Opens the driver's library once and fills the slots; an `Err` says why the library cannot be used.
///
/// Does not initialise the driver: `cuInit` does, and calls this first.
pub(super) fn open() -> Result<(), &'static str> {
    static OPENED: OnceLock<Result<Library, String>> = OnceLock::new();
    OPENED.get_or_init(open_and_fill).as_ref().map(|_| ()).map_err(String::as_str)
}

fn open_and_fill() -> Result<Library, String> {
    let mut reasons = Vec::new();
    for name in LIBRARY_NAMES {
        // SAFETY: loading the driver runs only the library's own initialisers.
        match unsafe { Library::new(name) } {
            Ok(library) => {
                for (name, slot) in NAMES.iter().zip(slots()) {
                    // SAFETY: the driver's ABI promises that its symbol of this name is the function that cust declares.
                    let found = unsafe { library.get::<*mut c_void>(name.to_bytes_with_nul()) };
                    let entry = found.map_or(not_found as *mut c_void, |symbol| *symbol);
                    slot.store(entry, Ordering::Release);
                }
                return Ok(library);
            }
            Err(error) => reasons.push(error.to_string()),
        }
    }
    Err(reasons.swap_remove(0))
}

fn slots() -> &'static [AtomicPtr<c_void>] {
    unsafe extern "C" {
        static phalanx_driver_slots: [AtomicPtr<c_void>; NAMES.len()];
    }
    // SAFETY: the assembly below defines one pointer-sized, aligned, writable slot for each name, in their order; the
    // entries only read them, as whole words.
    unsafe { &phalanx_driver_slots }
}

extern "C" fn no_device() -> c_uint {
    CUDA_ERROR_NO_DEVICE
}

extern "C" fn not_found() -> c_uint {
    CUDA_ERROR_NOT_FOUND
}

extern "C" fn no_driver_text(_error: c_uint, text: *mut *const c_char) -> c_uint {
    // SAFETY: the caller passes a valid place for the pointer, as cuGetErrorString demands.
    unsafe { *text = c"no CUDA driver on this machine".as_ptr() };
    CUDA_SUCCESS
}

extern "C" fn init(flags: c_uint) -> c_uint {
    if open().is_err() {
        return CUDA_ERROR_NO_DEVICE;
    }
    let entry = slots()[0].load(Ordering::Acquire);
    // SAFETY: slot 0 holds the driver's cuInit, or `not_found`, which ignores its argument.
    let entry = unsafe { std::mem::transmute::<*mut c_void, extern "C" fn(c_uint) -> c_uint>(entry) };
    entry(flags)
}

/// `phalanx_driver_entry NAME, DEFAULT` makes a slot that starts at DEFAULT and a hidden function NAME that jumps there.
macro_rules! driver_entries {
    ($($name:ident)*) => {
        const NAMES: &[&CStr] = &[
            c"cuInit",
            c"cuGetErrorName",
            c"cuGetErrorString",
            $(match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!(),
            },)*
        ];

        std::arch::global_asm!(
            ".macro phalanx_driver_slot name, default",
            ".pushsection .data.phalanx_driver_slots, \"aw\", %progbits",
            ".quad \\default",
            ".popsection",
            ".endm",
            ".macro phalanx_driver_function name",
            ".hidden \\name",
            ".globl \\name",
            ".type \\name, %function",
            "\\name:",
            ".endm",
            ".macro phalanx_driver_entry name, default",
            ".pushsection .data.phalanx_driver_slots, \"aw\", %progbits",
            ".Lphalanx_slot_\\name:",
            ".quad \\default",
            ".popsection",
            "phalanx_driver_function \\name",
            #[cfg(target_arch = "x86_64")]
            "jmp qword ptr [rip + .Lphalanx_slot_\\name]",
            #[cfg(target_arch = "aarch64")]
            "adrp x16, .Lphalanx_slot_\\name",
            #[cfg(target_arch = "aarch64")]
            "ldr x16, [x16, :lo12:.Lphalanx_slot_\\name]",
            #[cfg(target_arch = "aarch64")]
            "br x16",
            ".size \\name, . - \\name",
            ".endm",
            ".pushsection .data.phalanx_driver_slots, \"aw\", %progbits",
            ".balign 8",
            ".hidden phalanx_driver_slots",
            ".globl phalanx_driver_slots",
            "phalanx_driver_slots:",
            ".popsection",
            ".pushsection .text.phalanx_driver_entries, \"ax\", %progbits",
            "phalanx_driver_slot cuInit, {no_device}",
            "phalanx_driver_function cuInit",
            #[cfg(target_arch = "x86_64")]
            "jmp {init}",
            #[cfg(target_arch = "aarch64")]
            "b {init}",
            "phalanx_driver_entry cuGetErrorName, {no_driver_text}",
            "phalanx_driver_entry cuGetErrorString, {no_driver_text}",
            $(concat!("phalanx_driver_entry ", stringify!($name), ", {no_device}"),)*
            ".popsection",
            ".purgem phalanx_driver_slot",
            ".purgem phalanx_driver_function",
            ".purgem phalanx_driver_entry",
            init = sym init,
            no_device = sym no_device,
            no_driver_text = sym no_driver_text,
        );
    };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the `cuda` feature knows x86_64 and aarch64; build this target with --no-default-features");

// Written by link/generate_driver_entries.py from the declarations of cust_raw.
driver_entries! {
    cuArray3DCreate_v2 cuArray3DGetDescriptor_v2 cuArrayCreate_v2 cuArrayDestroy cuArrayGetDescriptor_v2
    cuArrayGetPlane cuArrayGetSparseProperties cuCtxAttach cuCtxCreate_v2 cuCtxCreate_v3 cuCtxDestroy_v2 cuCtxDetach
    cuCtxDisablePeerAccess cuCtxEnablePeerAccess cuCtxGetApiVersion cuCtxGetCacheConfig cuCtxGetCurrent cuCtxGetDevice
    cuCtxGetExecAffinity cuCtxGetFlags cuCtxGetLimit cuCtxGetSharedMemConfig cuCtxGetStreamPriorityRange
    cuCtxPopCurrent_v2 cuCtxPushCurrent_v2 cuCtxResetPersistingL2Cache cuCtxSetCacheConfig cuCtxSetCurrent
    cuCtxSetLimit cuCtxSetSharedMemConfig cuCtxSynchronize cuDestroyExternalMemory cuDestroyExternalSemaphore
    cuDeviceCanAccessPeer cuDeviceComputeCapability cuDeviceGet cuDeviceGetAttribute cuDeviceGetByPCIBusId
    cuDeviceGetCount cuDeviceGetDefaultMemPool cuDeviceGetExecAffinitySupport cuDeviceGetGraphMemAttribute
    cuDeviceGetLuid cuDeviceGetMemPool cuDeviceGetName cuDeviceGetNvSciSyncAttributes cuDeviceGetP2PAttribute
    cuDeviceGetPCIBusId cuDeviceGetProperties cuDeviceGetTexture1DLinearMaxWidth cuDeviceGetUuid cuDeviceGetUuid_v2
    cuDeviceGraphMemTrim cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset_v2
    cuDevicePrimaryCtxRetain cuDevicePrimaryCtxSetFlags_v2 cuDeviceSetGraphMemAttribute cuDeviceSetMemPool
    cuDeviceTotalMem_v2 cuDriverGetVersion cuEventCreate cuEventDestroy_v2 cuEventElapsedTime cuEventQuery
    cuEventRecord cuEventRecordWithFlags cuEventSynchronize cuExternalMemoryGetMappedBuffer
    cuExternalMemoryGetMappedMipmappedArray cuFlushGPUDirectRDMAWrites cuFuncGetAttribute cuFuncGetModule
    cuFuncSetAttribute cuFuncSetBlockShape cuFuncSetCacheConfig cuFuncSetSharedMemConfig cuFuncSetSharedSize
    cuGetExportTable cuGetProcAddress cuGraphAddChildGraphNode cuGraphAddDependencies cuGraphAddEmptyNode
    cuGraphAddEventRecordNode cuGraphAddEventWaitNode cuGraphAddExternalSemaphoresSignalNode
    cuGraphAddExternalSemaphoresWaitNode cuGraphAddHostNode cuGraphAddKernelNode cuGraphAddMemAllocNode
    cuGraphAddMemFreeNode cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphChildGraphNodeGetGraph cuGraphClone
    cuGraphCreate cuGraphDebugDotPrint cuGraphDestroy cuGraphDestroyNode cuGraphEventRecordNodeGetEvent
    cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent cuGraphEventWaitNodeSetEvent
    cuGraphExecChildGraphNodeSetParams cuGraphExecDestroy cuGraphExecEventRecordNodeSetEvent
    cuGraphExecEventWaitNodeSetEvent cuGraphExecExternalSemaphoresSignalNodeSetParams
    cuGraphExecExternalSemaphoresWaitNodeSetParams cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams
    cuGraphExecMemcpyNodeSetParams cuGraphExecMemsetNodeSetParams cuGraphExecUpdate
    cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams
    cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams cuGraphGetEdges
    cuGraphGetNodes cuGraphGetRootNodes cuGraphHostNodeGetParams cuGraphHostNodeSetParams cuGraphInstantiateWithFlags
    cuGraphInstantiate_v2 cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute cuGraphKernelNodeGetParams
    cuGraphKernelNodeSetAttribute cuGraphKernelNodeSetParams cuGraphLaunch cuGraphMemAllocNodeGetParams
    cuGraphMemFreeNodeGetParams cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams
    cuGraphMemsetNodeSetParams cuGraphNodeFindInClone cuGraphNodeGetDependencies cuGraphNodeGetDependentNodes
    cuGraphNodeGetType cuGraphReleaseUserObject cuGraphRemoveDependencies cuGraphRetainUserObject cuGraphUpload
    cuGraphicsMapResources cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer_v2
    cuGraphicsResourceSetMapFlags_v2 cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources
    cuGraphicsUnregisterResource cuImportExternalMemory cuImportExternalSemaphore cuIpcCloseMemHandle
    cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle cuIpcOpenMemHandle_v2 cuLaunch
    cuLaunchCooperativeKernel cuLaunchCooperativeKernelMultiDevice cuLaunchGrid cuLaunchGridAsync cuLaunchHostFunc
    cuLaunchKernel cuLaunchKernelEx cuLinkAddData_v2 cuLinkAddFile_v2 cuLinkComplete cuLinkCreate_v2 cuLinkDestroy
    cuMemAddressFree cuMemAddressReserve cuMemAdvise cuMemAllocAsync cuMemAllocFromPoolAsync cuMemAllocHost_v2
    cuMemAllocManaged cuMemAllocPitch_v2 cuMemAlloc_v2 cuMemCreate cuMemExportToShareableHandle cuMemFreeAsync
    cuMemFreeHost cuMemFree_v2 cuMemGetAccess cuMemGetAddressRange_v2 cuMemGetAllocationGranularity
    cuMemGetAllocationPropertiesFromHandle cuMemGetInfo_v2 cuMemHostAlloc cuMemHostGetDevicePointer_v2
    cuMemHostGetFlags cuMemHostRegister_v2 cuMemHostUnregister cuMemImportFromShareableHandle cuMemMap
    cuMemMapArrayAsync cuMemPoolCreate cuMemPoolDestroy cuMemPoolExportPointer cuMemPoolExportToShareableHandle
    cuMemPoolGetAccess cuMemPoolGetAttribute cuMemPoolImportFromShareableHandle cuMemPoolImportPointer
    cuMemPoolSetAccess cuMemPoolSetAttribute cuMemPoolTrimTo cuMemPrefetchAsync cuMemRangeGetAttribute
    cuMemRangeGetAttributes cuMemRelease cuMemRetainAllocationHandle cuMemSetAccess cuMemUnmap cuMemcpy
    cuMemcpy2DAsync_v2 cuMemcpy2DUnaligned_v2 cuMemcpy2D_v2 cuMemcpy3DAsync_v2 cuMemcpy3DPeer cuMemcpy3DPeerAsync
    cuMemcpy3D_v2 cuMemcpyAsync cuMemcpyAtoA_v2 cuMemcpyAtoD_v2 cuMemcpyAtoHAsync_v2 cuMemcpyAtoH_v2 cuMemcpyDtoA_v2
    cuMemcpyDtoDAsync_v2 cuMemcpyDtoD_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoH_v2 cuMemcpyHtoAAsync_v2 cuMemcpyHtoA_v2
    cuMemcpyHtoDAsync_v2 cuMemcpyHtoD_v2 cuMemcpyPeer cuMemcpyPeerAsync cuMemsetD16Async cuMemsetD16_v2
    cuMemsetD2D16Async cuMemsetD2D16_v2 cuMemsetD2D32Async cuMemsetD2D32_v2 cuMemsetD2D8Async cuMemsetD2D8_v2
    cuMemsetD32Async cuMemsetD32_v2 cuMemsetD8Async cuMemsetD8_v2 cuMipmappedArrayCreate cuMipmappedArrayDestroy
    cuMipmappedArrayGetLevel cuMipmappedArrayGetSparseProperties cuModuleGetFunction cuModuleGetGlobal_v2
    cuModuleGetSurfRef cuModuleGetTexRef cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary
    cuModuleUnload cuOccupancyAvailableDynamicSMemPerBlock cuOccupancyMaxActiveBlocksPerMultiprocessor
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cuOccupancyMaxPotentialBlockSize
    cuOccupancyMaxPotentialBlockSizeWithFlags cuParamSetSize cuParamSetTexRef cuParamSetf cuParamSeti cuParamSetv
    cuPointerGetAttribute cuPointerGetAttributes cuPointerSetAttribute cuProfilerInitialize cuProfilerStart
    cuProfilerStop cuSignalExternalSemaphoresAsync cuStreamAddCallback cuStreamAttachMemAsync cuStreamBatchMemOp
    cuStreamBeginCapture_v2 cuStreamCopyAttributes cuStreamCreate cuStreamCreateWithPriority cuStreamDestroy_v2
    cuStreamEndCapture cuStreamGetAttribute cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v2 cuStreamGetCtx
    cuStreamGetFlags cuStreamGetPriority cuStreamIsCapturing cuStreamQuery cuStreamSetAttribute cuStreamSynchronize
    cuStreamUpdateCaptureDependencies cuStreamWaitEvent cuStreamWaitValue32 cuStreamWaitValue64 cuStreamWriteValue32
    cuStreamWriteValue64 cuSurfObjectCreate cuSurfObjectDestroy cuSurfObjectGetResourceDesc cuSurfRefGetArray
    cuSurfRefSetArray cuTexObjectCreate cuTexObjectDestroy cuTexObjectGetResourceDesc cuTexObjectGetResourceViewDesc
    cuTexObjectGetTextureDesc cuTexRefCreate cuTexRefDestroy cuTexRefGetAddressMode cuTexRefGetAddress_v2
    cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags cuTexRefGetFormat
    cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias cuTexRefGetMipmapLevelClamp
    cuTexRefGetMipmappedArray cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode cuTexRefSetAddress_v2 cuTexRefSetArray
    cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags cuTexRefSetFormat cuTexRefSetMaxAnisotropy
    cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray
    cuThreadExchangeStreamCaptureMode cuUserObjectCreate cuUserObjectRelease cuUserObjectRetain
    cuWaitExternalSemaphoresAsync
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_slot_and_the_list_is_sorted() {
        assert_eq!(slots().len(), NAMES.len());
        assert!(NAMES[3..].is_sorted());
        assert!(slots().iter().all(|slot| !slot.load(Ordering::Acquire).is_null()));
    }

    #[test]
    fn without_a_driver_every_entry_answers_no_device() {
        if open().is_ok() {
            return eprintln!("skipped: this machine has a driver");
        }
        for slot in &slots()[3..] {
            // SAFETY: without a driver a slot holds a function that ignores its arguments; a C caller may pass none.
            let entry =
                unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> c_uint>(slot.load(Ordering::Acquire)) };
            assert_eq!(entry(), CUDA_ERROR_NO_DEVICE);
        }
        // SAFETY: the calls touch nothing but their own valid arguments.
        unsafe {
            let mut count = 7;
            assert_eq!(cust::sys::cuInit(0) as u32, CUDA_ERROR_NO_DEVICE);
            assert_eq!(cust::sys::cuDeviceGetCount(&mut count) as u32, CUDA_ERROR_NO_DEVICE);
            assert_eq!(count, 7);
        }
        assert!(cust::error::CudaError::NoDevice.to_string().contains("no CUDA driver on this machine"));
    }

    #[test]
    fn no_entry_is_visible_to_other_libraries_of_the_process() {
        use object::read::elf::{FileHeader, Sym};
        use object::{LittleEndian, elf};
        let file = std::fs::read("/proc/self/exe").unwrap();
        let header = elf::FileHeader64::<LittleEndian>::parse(&*file).unwrap();
        let endian = header.endian().unwrap();
        let sections = header.sections(endian, &*file).unwrap();
        let mut defined = 0;
        for table in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
            let symbols = sections.symbols(endian, &*file, table).unwrap();
            for symbol in symbols.iter() {
                let name =
                    CStr::from_bytes_with_nul(&[symbol.name(endian, symbols.strings()).unwrap(), b"\0"].concat())
                        .map(CStr::to_owned)
                        .unwrap();
                if NAMES.contains(&name.as_c_str()) {
                    // The linker turns hidden symbols into local ones.
                    assert_eq!((table, symbol.st_bind()), (elf::SHT_SYMTAB, elf::STB_LOCAL), "{name:?}");
                    defined += 1;
                }
            }
        }
        assert!(defined > 0, "the test looks at the right names");
    }
}
