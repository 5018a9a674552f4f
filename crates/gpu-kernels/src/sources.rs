//! The kernels' C++ sources, embedded in the program.

include!(concat!(env!("OUT_DIR"), "/embedded_sources.rs"));

/// The text of one source.
///
/// # Panics
/// If there is no source of that name: names are constants of this crate.
pub fn source(name: &str) -> &'static str {
    SOURCES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text).unwrap_or_else(|| panic!("no kernel source {name}"))
}
