//! NVRTC without a GPU: it is found, compiles for every architecture, and its cubins tell the truth.

mod installed;

use std::path::PathBuf;
use std::process::Command;

use installed::nvrtc;
use phalanx_gpu_kernels::compile::{Architecture, CompileError, Cubin, CubinKernel, Nvrtc, Request, SAME_BITS_OPTIONS};

/// A kernel with static and dynamic shared memory, a stack, launch bounds, and an argument block; and a plain one.
const SOURCE: &str = r#"
#include "arguments.h"
__device__ __noinline__ float stack(float x, int k) {
  float t[32];
  for (int i = 0; i < 32; i++) t[i] = x * i;
  for (int i = 0; i < k; i++) t[i * 7 & 31] += t[i * 5 & 31];
  return t[k & 31];
}
extern "C" __global__ void __launch_bounds__(256) heavy(Arguments a) {
  extern __shared__ float dynamic_part[];
  __shared__ float fixed_part[100];
  fixed_part[threadIdx.x % 100] = a.n;
  dynamic_part[threadIdx.x] = 1;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < a.n) a.out[i] = stack(a.in[i] * a.in[i] + 1.0f, a.n) + fixed_part[3] + dynamic_part[threadIdx.x ^ 1];
}
extern "C" __global__ void plain(float* x) { x[threadIdx.x] = 1; }
"#;

fn headers() -> Vec<(String, String)> {
    vec![("arguments.h".into(), "struct Arguments { const float* in; float* out; int n; };".into())]
}

fn options() -> Vec<String> {
    SAME_BITS_OPTIONS.map(String::from).to_vec()
}

#[test]
fn every_architecture_compiles_and_its_cubin_agrees_with_ptxas() {
    let Some(nvrtc) = nvrtc() else { return };
    let (headers, options) = (headers(), options());
    let ptxas = ptxas(&nvrtc);
    if ptxas.is_none() {
        eprintln!("not compared with ptxas: it does not lie beside NVRTC (pip install nvidia-cuda-nvcc)");
    }
    for &arch in nvrtc.supported_architectures() {
        let request =
            Request { name: "kernels.cu", source: SOURCE, headers: &headers, options: &options, arch, keep_ptx: true };
        let compiled = nvrtc.compile(&request).unwrap();
        let cubin = Cubin::read(&compiled.cubin).unwrap();
        assert_eq!(cubin.arch, arch);
        assert_eq!(cubin.kernels.len(), 2, "{arch}");
        let heavy = cubin.kernel("heavy").unwrap();
        assert_eq!((heavy.static_shared_bytes, heavy.max_threads_per_block), (400, Some(256)), "{arch}");
        assert_eq!(heavy.argument_bytes, 24, "{arch}: the size of the argument block");
        assert!(heavy.local_bytes >= 128 && heavy.code_bytes > 500, "{arch} {heavy:?}");
        let plain = cubin.kernel("plain").unwrap();
        assert_eq!((plain.static_shared_bytes, plain.local_bytes, plain.argument_bytes), (0, 0, 8), "{arch}");
        assert!(cubin.code_bytes >= heavy.code_bytes + plain.code_bytes);
        if let Some(ptxas) = &ptxas {
            let told = ptxas_says(ptxas, arch, compiled.ptx.as_deref().unwrap());
            for kernel in &cubin.kernels {
                assert_eq!(*told.iter().find(|k| k.name == kernel.name).unwrap(), Numbers::of(kernel), "{arch}");
            }
        }
    }
}

#[test]
fn the_standard_options_leave_no_fused_or_approximate_instruction() {
    let Some(nvrtc) = nvrtc() else { return };
    let source = r#"extern "C" __global__ void f(float* x) { x[0] = x[1] * x[2] + x[3] / x[4] + sqrtf(x[5]); }"#;
    let arch = Architecture(90);
    let options = options();
    let request = Request { name: "f", source, headers: &[], options: &options, arch, keep_ptx: true };
    let ptx = nvrtc.compile(&request).unwrap().ptx.unwrap();
    assert!(ptx.contains("mul.rn.f32") && ptx.contains("div.rn.f32") && ptx.contains("sqrt.rn.f32"));
    assert!(!["fma", ".ftz", ".approx"].iter().any(|word| ptx.contains(word)), "{ptx}");
}

#[test]
fn an_error_in_the_source_carries_the_log_with_file_and_line() {
    let Some(nvrtc) = nvrtc() else { return };
    let headers = vec![("broken.h".to_string(), "\nint f( { return 1; }".to_string())];
    let arch = Architecture(90);
    let source = "#include \"broken.h\"\n";
    let request = Request { name: "step.cu", source, headers: &headers, options: &[], arch, keep_ptx: false };
    let error = nvrtc.compile(&request).unwrap_err();
    assert!(matches!(&error, CompileError::Source { log, .. } if log.contains("broken.h(2)")), "{error}");
    assert!(error.to_string().contains("step.cu does not compile for sm_90"), "{error}");
}

#[test]
fn an_architecture_that_nvrtc_does_not_know_is_refused_before_compiling() {
    let Some(nvrtc) = nvrtc() else { return };
    let arch = Architecture(30);
    let request = Request { name: "f", source: "", headers: &[], options: &[], arch, keep_ptx: false };
    assert!(matches!(nvrtc.compile(&request), Err(CompileError::UnsupportedArchitecture { .. })));
    let error = nvrtc.architecture_for(arch).unwrap_err().to_string();
    assert!(error.contains("not for sm_30") && error.contains("pip install"), "{error}");
}

#[test]
fn several_threads_compile_with_one_handle() {
    let Some(nvrtc) = nvrtc() else { return };
    let compile = |value: usize| {
        let source = format!("extern \"C\" __global__ void f(int* x) {{ x[0] = {value}; }}");
        let arch = Architecture(90);
        let request = Request { name: "f", source: &source, headers: &[], options: &[], arch, keep_ptx: false };
        nvrtc.compile(&request).unwrap().cubin
    };
    let alone: Vec<_> = (0..8).map(compile).collect();
    let together: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|value| scope.spawn(move || compile(value))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(alone == together);
    assert!(alone[0] != alone[1]);
}

#[test]
fn a_damaged_cubin_is_read_or_refused_but_never_panics() {
    let Some(nvrtc) = nvrtc() else { return };
    let (headers, arch) = (headers(), Architecture(90));
    let request = Request { name: "f", source: SOURCE, headers: &headers, options: &[], arch, keep_ptx: false };
    let good = nvrtc.compile(&request).unwrap().cubin;
    for i in 0..good.len() {
        let mut damaged = good.clone();
        damaged[i] ^= 0xff;
        let _ = Cubin::read(&damaged);
        let _ = Cubin::read(&good[..i]);
    }
}

#[test]
fn an_nvrtc_newer_than_the_driver_is_passed_over_and_named() {
    let Some(nvrtc) = nvrtc() else { return };
    assert!(Nvrtc::open_up_to(nvrtc.version().major).is_ok());
    let error = Nvrtc::open_up_to(1).unwrap_err();
    assert!(matches!(&error, CompileError::NvrtcUnusable { .. }), "{error}");
    assert!(error.to_string().contains("pip install nvidia-cuda-nvrtc-cu1`"), "{error}");
}

/// Runs in a process of its own, because it sets environment variables.
#[test]
fn the_variable_phalanx_nvrtc_names_a_file_or_a_folder_and_nothing_else_is_tried() {
    let asked = |value: &std::path::Path| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "print_the_nvrtc_in_use", "--ignored", "--nocapture"])
            .env("PHALANX_NVRTC", value)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let nowhere = asked(std::path::Path::new("/nowhere"));
    assert!(nowhere.contains("failed: NVRTC at /nowhere cannot be used"), "{nowhere}");
    let Some(nvrtc) = nvrtc() else { return };
    for place in [nvrtc.path(), nvrtc.path().parent().unwrap()] {
        let answer = asked(place);
        assert!(answer.contains(&format!("found: {} (PHALANX_NVRTC)", nvrtc.path().display())), "{answer}");
    }
}

#[test]
#[ignore = "the test above runs it in a process of its own"]
fn print_the_nvrtc_in_use() {
    match Nvrtc::open() {
        Ok(nvrtc) => println!("found: {} ({})", nvrtc.path().display(), nvrtc.source()),
        Err(error) => println!("failed: {error}"),
    }
}

/// What `ptxas -v` and the cubin both tell.
#[derive(Debug, PartialEq)]
struct Numbers {
    name: String,
    registers: u32,
    stack_bytes: u32,
    shared_bytes: u32,
}

impl Numbers {
    fn of(kernel: &CubinKernel) -> Self {
        Self {
            name: kernel.name.clone(),
            registers: kernel.registers,
            stack_bytes: kernel.local_bytes,
            shared_bytes: kernel.static_shared_bytes,
        }
    }
}

/// pip puts `ptxas` into `nvidia/cu13/bin`, beside NVRTC's `nvidia/cu13/lib`; so does a toolkit.
fn ptxas(nvrtc: &Nvrtc) -> Option<PathBuf> {
    let path = nvrtc.path().parent()?.parent()?.join("bin/ptxas");
    path.is_file().then_some(path)
}

fn ptxas_says(ptxas: &PathBuf, arch: Architecture, ptx: &str) -> Vec<Numbers> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.ptx"), ptx).unwrap();
    let output = Command::new(ptxas)
        .args(["-v", &format!("-arch={arch}"), "a.ptx", "-o", "a.cubin"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}");
    let mut found = Vec::new();
    for part in text.split("Compiling entry function '").skip(1) {
        let line = part.lines().find(|line| line.contains("Used ")).unwrap();
        let number_before = |what: &str| -> u32 {
            let before = line.split(what).next().filter(|before| before.len() < line.len());
            before.and_then(|before| before.rsplit(' ').next()).map_or(0, |number| number.parse().unwrap())
        };
        found.push(Numbers {
            name: part.split('\'').next().unwrap().into(),
            registers: number_before(" registers"),
            stack_bytes: number_before(" bytes cumulative stack size"),
            shared_bytes: number_before(" bytes smem"),
        });
    }
    found
}
