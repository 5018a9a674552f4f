//! Turns kernel sources into machine code for a GPU, with or without a GPU in the machine.
//!
//! [`Nvrtc`] compiles, [`Cache`] keeps what was compiled, [`Cubin`] reads the compiler's numbers; [`compile_cached`] is
//! the three together. Nothing here talks to a driver.

mod architecture;
mod cache;
mod cubin;
mod error;
mod nvrtc;
mod nvrtc_search;

pub use architecture::Architecture;
pub use cache::{Cache, CacheKey};
pub use cubin::{Cubin, CubinKernel};
pub use error::CompileError;
pub use nvrtc::{Compiled, Nvrtc, NvrtcVersion, Request, SAME_BITS_OPTIONS};

/// A cubin that is ready to load.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedCubin {
    /// The machine code.
    pub cubin: Vec<u8>,
    /// What it says about its kernels.
    pub contents: Cubin,
    /// Whether it came from the cache.
    pub from_cache: bool,
    /// The compiler's warnings; empty when it came from the cache.
    pub log: String,
    /// How long the compiler ran; 0 when it came from the cache.
    pub seconds: f64,
}

/// Gives the cubin of a request, from the cache or from the compiler; what was compiled is kept.
///
/// The PTX is not kept: [`Nvrtc::compile`] gives it.
///
/// # Errors
/// Those of [`Nvrtc::compile`], and [`CompileError::BadCubin`] if the compiler's output cannot be read.
pub fn compile_cached(nvrtc: &Nvrtc, cache: &Cache, request: &Request) -> Result<CachedCubin, CompileError> {
    let key = CacheKey::of(request, nvrtc.version());
    if let Some(cubin) = cache.get(key) {
        match Cubin::read(&cubin) {
            Ok(contents) => {
                tracing::debug!("{} for {} is in the cache, {} bytes", request.name, request.arch, cubin.len());
                return Ok(CachedCubin { cubin, contents, from_cache: true, log: String::new(), seconds: 0.0 });
            }
            Err(error) => tracing::warn!("{} in the cache: {error}; it is compiled again", request.name),
        }
    }
    let Compiled { cubin, log, seconds, .. } = nvrtc.compile(&Request { keep_ptx: false, ..request.clone() })?;
    let contents = Cubin::read(&cubin)?;
    cache.put(key, &cubin);
    Ok(CachedCubin { cubin, contents, from_cache: false, log, seconds })
}
