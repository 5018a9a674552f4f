//! Compiles the kernels for the host, once per precision and instruction set and once checked, and embeds their sources for
//! NVRTC.
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut sources = Vec::new();
    collect(&root, &mut sources);
    sources.sort();
    embed(&root, &sources);
    let x86 = env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("x86_64");
    let sets: &[(&str, &[&str])] = if x86 { &[("base", &[]), ("v3", &["-march=x86-64-v3"])] } else { &[("base", &[])] };
    for (precision, define) in [("f32", None), ("f64", Some("PHALANX_F64"))] {
        for (set, flags) in sets {
            compile(&root, &format!("{precision}_{set}"), define, flags, 3);
        }
        // What looks for mistakes need not be fast: little optimisation keeps the build short.
        compile(&root, &format!("{precision}_checked"), define, &["-DPHALANX_CHECKED"], 1);
    }
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the kernels' folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            println!("cargo:rerun-if-changed={}", path.display());
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "h" || e == "cu" || e == "cpp") {
            println!("cargo:rerun-if-changed={}", path.display());
            out.push(path);
        }
    }
}

/// Writes a table of (name, text) of every kernel source.
fn embed(root: &Path, sources: &[PathBuf]) {
    let mut text = String::from(
        "/// Every kernel source by its path below `kernels/`.\npub const SOURCES: &[(&str, &str)] = &[\n",
    );
    for path in sources {
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        let full = fs::canonicalize(path).expect("a source that was just listed");
        text += &format!("    ({name:?}, include_str!({:?})),\n", full.display().to_string());
    }
    text += "];\n";
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("embedded_sources.rs");
    fs::write(out, text).expect("cargo's output folder");
}

/// Only explicit fma, no relaxed arithmetic: the bits are those of the GPU.
fn compile(root: &Path, variant: &str, define: Option<&str>, flags: &[&str], level: u32) {
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").include(root).file(root.join("entry_cpu.cpp"));
    build.define("PHALANX_VARIANT", variant).flag("-ffp-contract=off").flag("-fno-math-errno");
    build.opt_level(level).debug(false).warnings(true).extra_warnings(true);
    if let Some(define) = define {
        build.define(define, None);
    }
    for flag in flags {
        build.flag(flag);
    }
    build.compile(&format!("phalanx_kernels_{variant}"));
}
