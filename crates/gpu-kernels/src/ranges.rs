//! Named ranges of the calling thread, which Nsight Systems shows on its timeline.
//!
//! They are NVTX's ranges of the default domain, on the host: a kernel that is launched within one runs when its stream comes
//! to it. A range never fails, prints nothing and changes no bit. Where no profiler is attached it costs a few loads; without
//! the feature `cuda` it is empty.
use std::fmt::Arguments;
use std::marker::PhantomData;

/// A range from where it is made to where it is dropped. Ranges of a thread nest.
#[derive(Debug)]
#[must_use = "it ends where it is dropped"]
pub struct Range {
    /// It ends on the thread that it began on.
    _thread: PhantomData<*const ()>,
}

impl Range {
    /// Begins a range of this name, which has no zero byte.
    pub fn begin(name: &str) -> Range {
        Range::named(format_args!("{name}"))
    }

    /// Begins a range of this name and number, such as "step 5".
    pub fn counting(name: &str, count: u64) -> Range {
        Range::named(format_args!("{name} {count}"))
    }

    fn named(name: Arguments) -> Range {
        profiler::push(name);
        Range { _thread: PhantomData }
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        profiler::pop();
    }
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
mod profiler {
    use std::fmt::Arguments;
    use std::sync::LazyLock;

    /// Whether a profiler left word where its library is. NVTX looks there too, once; without it no name is put together.
    static IS_ATTACHED: LazyLock<bool> = LazyLock::new(|| std::env::var_os("NVTX_INJECTION64_PATH").is_some());

    pub fn push(name: Arguments) {
        if *IS_ATTACHED {
            nvtx::range_push!("{name}");
        }
    }

    pub fn pop() {
        if *IS_ATTACHED {
            nvtx::range_pop!();
        }
    }
}

#[cfg(not(all(feature = "cuda", target_os = "linux")))]
mod profiler {
    pub fn push(_: std::fmt::Arguments) {}
    pub fn pop() {}
}
