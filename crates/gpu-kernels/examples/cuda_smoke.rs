//! Tries the whole CUDA layer on this machine's first GPU and prints what it sees.
//!
//!     cargo run --release -p phalanx-gpu-kernels --example cuda_smoke
//!
//! Compiles a kernel, compares the cubin's numbers with the driver's, raises the shared-memory limit, launches, checks every
//! result, then provokes errors and shows how they are told. Ends with status 0 if all is well, or if there is no GPU.

#[cfg(not(all(feature = "cuda", target_os = "linux")))]
fn main() {
    println!("{}", phalanx_gpu_kernels::cuda::DoctorReport::of_this_machine());
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    on_gpu::run()
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
mod on_gpu {
    use std::error::Error;
    use std::sync::atomic::Ordering;
    use std::time::Instant;

    use phalanx_gpu_kernels::compile::{Cache, CachedCubin, Nvrtc, Request, SAME_BITS_OPTIONS, compile_cached};
    use phalanx_gpu_kernels::cuda::{
        Buffer, CudaError, Device, DoctorReport, Event, LaunchShape, Module, PinnedBuffer, Stream, StreamHandle,
        driver_version,
    };

    /// `reverse` sends each block's part of `in` through dynamic shared memory, reversed, to `out`; `crash` writes nowhere.
    const SOURCE: &str = r#"
#include "arguments.h"
extern "C" __global__ void __launch_bounds__(256) reverse(Arguments a) {
  extern __shared__ float all[];
  __shared__ float fixed_part[64];
  float* far_end = all + a.shared_floats - blockDim.x;  // the last words that were asked for
  if (threadIdx.x < 64) fixed_part[threadIdx.x] = 1.0f;
  int first = blockIdx.x * blockDim.x;
  if (first + threadIdx.x < a.count) far_end[threadIdx.x] = a.in[first + threadIdx.x];
  __syncthreads();
  int mirrored = blockDim.x - 1 - threadIdx.x;
  if (first + threadIdx.x < a.count && first + mirrored < a.count)
    a.out[first + threadIdx.x] = 2.0f * far_end[mirrored] + fixed_part[threadIdx.x & 63];
  if (threadIdx.x == 0) atomicAdd(a.blocks_done, 1u);
}
extern "C" __global__ void crash(Arguments a) { *(volatile int*)16 = a.count; }
"#;

    /// The host's twin of the kernel's `Arguments`.
    #[repr(C)]
    struct Arguments {
        input: u64,
        output: u64,
        blocks_done: u64,
        count: u32,
        shared_floats: u32,
    }

    const ARGUMENTS_HEADER: &str = "struct Arguments { const float* in; float* out; unsigned* blocks_done; unsigned count; unsigned shared_floats; };";

    impl Arguments {
        fn bytes(&self) -> &[u8] {
            // SAFETY: plain numbers without padding, read as bytes.
            unsafe { std::slice::from_raw_parts((self as *const Self).cast(), size_of::<Self>()) }
        }
    }

    const COUNT: usize = 1 << 20;
    const THREADS: u32 = 256;

    pub fn run() -> Result<(), Box<dyn Error>> {
        let report = DoctorReport::of_this_machine();
        print!("{report}");
        println!("as JSON  {}", serde_json::to_string(&report)?);
        if !report.is_gpu_usable() {
            println!("no GPU to try: done");
            return Ok(());
        }
        let device = Device::open(0)?;
        println!("opened   {device}, {:?}", device.memory()?);
        let stream = Stream::new(&device)?;

        let nvrtc = Nvrtc::open_up_to(driver_version()?.major)?;
        let cubin = compile(&nvrtc, &device)?;
        let module = Module::load(&device, &cubin.cubin)?;
        let kernel = module.kernel("reverse")?;
        let (driver, file) = (*kernel.attributes(), cubin.contents.kernel("reverse").ok_or("no `reverse`")?);
        println!("driver   {driver:?}");
        println!("cubin    {file:?}");
        let mut wrong: Vec<String> = [
            ("registers", driver.registers, file.registers),
            ("local bytes", driver.local_bytes, file.local_bytes),
            ("static shared bytes", driver.static_shared_bytes, file.static_shared_bytes),
            ("threads a block", driver.max_threads_per_block, file.max_threads_per_block.unwrap_or(0)),
            ("architecture", driver.binary_version, cubin.contents.arch.0),
        ]
        .into_iter()
        .filter(|(_, driver, file)| driver != file)
        .map(|(what, driver, file)| format!("{what}: the driver says {driver}, the cubin {file}"))
        .collect();

        // All the shared memory that a block can have.
        let dynamic_shared_bytes = device.attributes().shared_memory_per_block_optin - driver.static_shared_bytes;
        kernel.set_max_dynamic_shared(dynamic_shared_bytes)?;
        for bytes in [0, 16 << 10, 64 << 10, dynamic_shared_bytes] {
            println!("blocks of {bytes} bytes a multiprocessor: {}", kernel.blocks_per_multiprocessor(THREADS, bytes)?);
        }

        let input: Vec<f32> = (0..COUNT).map(|i| i as f32 * 0.5).collect();
        let bytes = (COUNT * 4) as u64;
        let from = Buffer::allocate(&device, bytes, "the input")?;
        let to = Buffer::allocate(&device, bytes, "the output")?;
        let counters = PinnedBuffer::allocate(&device, 64, "the counters")?;
        to.fill_words(0, COUNT as u64, f32::NAN.to_bits(), stream.handle())?;
        from.copy_from_host(0, as_bytes(&input), stream.handle())?;
        let arguments = Arguments {
            input: from.pointer(),
            output: to.pointer(),
            blocks_done: counters.device_pointer(),
            count: COUNT as u32,
            shared_floats: dynamic_shared_bytes / 4,
        };
        let shape = LaunchShape { blocks: COUNT as u32 / THREADS, threads_per_block: THREADS, dynamic_shared_bytes };
        let (before, after) = (Event::with_timing(&device)?, Event::with_timing(&device)?);
        before.record(stream.handle())?;
        // SAFETY: the buffers have COUNT floats and outlive the wait below.
        unsafe { kernel.launch(shape, arguments.bytes(), stream.handle())? };
        after.record(stream.handle())?;
        after.synchronize()?;
        let done = counters.counters()[0].load(Ordering::Relaxed);
        println!("launched {shape}: {} ms, {done} blocks counted", after.milliseconds_since(&before)?);
        assert_eq!(done, shape.blocks);
        let mut output = vec![0f32; COUNT];
        to.copy_to_host(0, as_bytes_mut(&mut output), stream.handle())?;
        for (i, value) in output.iter().enumerate() {
            assert_eq!(*value, 2.0 * input[i ^ (THREADS as usize - 1)] + 1.0, "element {i}");
        }
        println!("results  all {COUNT} are right");

        launch_cost(&kernel, &stream, &arguments)?;
        two_modules_and_two_handles(&device, &cubin, &stream, &arguments)?;

        println!("\nerrors, as they are told:");
        let mut told = |result: Result<(), CudaError>| match result {
            Err(error) => println!("- {error}"),
            Ok(()) => wrong.push("something impossible succeeded".into()),
        };
        // SAFETY: none of these launches starts.
        unsafe {
            let too_much = LaunchShape { dynamic_shared_bytes: dynamic_shared_bytes + 1, ..shape };
            told(kernel.launch(too_much, arguments.bytes(), stream.handle()));
            let too_many = LaunchShape { threads_per_block: 512, dynamic_shared_bytes: 0, ..shape };
            told(kernel.launch(too_many, arguments.bytes(), stream.handle()));
            let short = &arguments.bytes()[..16];
            told(kernel.launch(shape, short, stream.handle()));
        }
        told(kernel.set_max_dynamic_shared(dynamic_shared_bytes + 1));
        told(Buffer::allocate(&device, 1 << 45, "the state of a billion environments").map(drop));
        told(to.fill_bytes(bytes - 1, 2, 0, stream.handle()));
        told(module.kernel("no_such_kernel").map(drop));
        told(Module::load(&device, b"not a cubin").map(drop));
        told(Device::open(99).map(drop));
        if let Some(other) =
            nvrtc.supported_architectures().iter().find(|arch| arch.major() != cubin.contents.arch.major())
        {
            let foreign = nvrtc.compile(&Request { arch: *other, ..request(&headers(), &options(), &device) })?;
            told(Module::load(&device, &foreign.cubin).map(drop));
        }
        // Nothing so far has harmed the context.
        stream.synchronize()?;

        // Last, because it takes the context with it. The drops that follow log their failures and do not panic.
        let crash = module.kernel("crash")?;
        let one = LaunchShape { blocks: 1, threads_per_block: 1, dynamic_shared_bytes: 0 };
        // SAFETY: not at all: the kernel writes to address 16, which the driver catches.
        unsafe { crash.launch(one, arguments.bytes(), stream.handle())? };
        let error = stream.synchronize().unwrap_err();
        println!("- {error}");
        assert!(error.is_sticky());
        if wrong.is_empty() {
            println!("\nall is well");
            return Ok(());
        }
        Err(wrong.join("; ").into())
    }

    fn headers() -> Vec<(String, String)> {
        vec![("arguments.h".into(), ARGUMENTS_HEADER.into())]
    }

    fn options() -> Vec<String> {
        SAME_BITS_OPTIONS.map(String::from).to_vec()
    }

    fn request<'a>(headers: &'a [(String, String)], options: &'a [String], device: &Device) -> Request<'a> {
        let arch = device.attributes().architecture();
        Request { name: "cuda_smoke.cu", source: SOURCE, headers, options, arch, keep_ptx: false }
    }

    fn compile(nvrtc: &Nvrtc, device: &Device) -> Result<CachedCubin, Box<dyn Error>> {
        let (headers, options) = (headers(), options());
        let arch = nvrtc.architecture_for(device.attributes().architecture())?;
        let request = Request { arch, ..request(&headers, &options, device) };
        let cache = Cache::from_env();
        for _ in 0..2 {
            let start = Instant::now();
            let cubin = compile_cached(nvrtc, &cache, &request)?;
            println!("compiled {arch} in {:?}, from the cache: {}", start.elapsed(), cubin.from_cache);
        }
        Ok(compile_cached(nvrtc, &cache, &request)?)
    }

    /// The host's time for one launch: the layer must cost nothing beside the driver.
    fn launch_cost(
        kernel: &phalanx_gpu_kernels::cuda::Kernel,
        stream: &Stream,
        arguments: &Arguments,
    ) -> Result<(), Box<dyn Error>> {
        let shape = LaunchShape { blocks: 1, threads_per_block: 32, dynamic_shared_bytes: 1024 };
        let arguments = Arguments { count: 0, shared_floats: 256, ..*arguments };
        const LAUNCHES: u32 = 1000;
        for current in [false, true] {
            let start = Instant::now();
            let launch_all = || {
                for _ in 0..LAUNCHES {
                    // SAFETY: a count of 0 touches the counter only, which outlives the wait below.
                    unsafe { kernel.launch(shape, arguments.bytes(), stream.handle())? };
                }
                Ok(())
            };
            if current {
                stream.device().with_current(launch_all)?
            } else {
                launch_all()?
            };
            println!("launch   {:?} each, context current before: {current}", start.elapsed() / LAUNCHES);
            stream.synchronize()?;
        }
        Ok(())
    }

    /// A second handle of the device, a second copy of the module, and the default stream by its handle.
    fn two_modules_and_two_handles(
        device: &Device,
        cubin: &CachedCubin,
        stream: &Stream,
        arguments: &Arguments,
    ) -> Result<(), Box<dyn Error>> {
        let again = Device::open(device.ordinal())?;
        assert_eq!(again.raw_context(), device.raw_context(), "both handles share the primary context");
        let kernel = Module::load(&again, &cubin.cubin)?.kernel("reverse")?;
        let shape = LaunchShape { blocks: 1, threads_per_block: 32, dynamic_shared_bytes: 1024 };
        let arguments = Arguments { count: 0, shared_floats: 256, ..*arguments };
        let default_stream = StreamHandle(0);
        // SAFETY: a count of 0 touches the counter only, which outlives the waits.
        unsafe {
            kernel.launch(shape, arguments.bytes(), stream.handle())?;
            kernel.launch(shape, arguments.bytes(), default_stream)?;
        }
        let event = Event::without_timing(&again)?;
        event.record(default_stream)?;
        stream.handle().wait_for(&event)?;
        stream.synchronize()?;
        assert!(stream.handle().is_idle(&again)? && event.is_passed()? && !stream.handle().is_capturing(&again)?);
        println!("modules  two of them, two handles, two streams: ok");
        Ok(())
    }

    fn as_bytes(values: &[f32]) -> &[u8] {
        // SAFETY: floats are bytes.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
    }

    fn as_bytes_mut(values: &mut [f32]) -> &mut [u8] {
        // SAFETY: floats are bytes, and any bytes are floats.
        unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
    }
}
