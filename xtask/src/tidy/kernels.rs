//! What the kernels' sources must not do.
//!
//! They do not ask which compiler is at work outside `kernels/platform`, do not branch over joint or shape types outside the
//! tables, do not add floats atomically, and do not call libm.
use crate::source_files::SourceFile;

/// What a kernel may ask of its build, not of its compiler: whether it is specialised for a model, and whether it is the
/// host's double build.
const CONDITIONS: &[&str] = &["PHALANX_SPECIALISED", "defined(PHALANX_F64)"];

/// Where joint and shape types are told apart: the joint table, the support functions of the convex shapes, the arrays that
/// have an entry for each type.
const TYPE_TABLES: &[&str] = &[
    "kernels/joints/joint_table.h",
    "kernels/collision/narrowphase/convex_shape.h",
    "crates/model/src/reference_pose.rs",
    "crates/gpu-kernels/src/shape/topology.rs",
];

/// Functions of the C library or CUDA whose bits differ from machine to machine; ours are in `kernels/math`.
const LIBM: &[&str] = &[
    "sinf(",
    "cosf(",
    "expf(",
    "logf(",
    "powf(",
    "atan2f(",
    "__sinf(",
    "__cosf(",
    "__expf(",
    "rsqrtf(",
    "__frcp_rn(",
    "fminf(",
    "fmaxf(",
];

/// Complains about a kernel source, or about Rust that does the tables' work.
pub fn judge(file: &SourceFile) -> Vec<String> {
    let kernel = file.path.starts_with("kernels/");
    // The rules' own tests spell what is forbidden.
    if !kernel && (file.extension() != "rs" || file.path.starts_with("xtask/")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        let mut complain = |what: &str| found.push(file.complaint(index + 1, what));
        if !TYPE_TABLES.contains(&file.path.as_str()) && branches_over_types(code, kernel) {
            complain("a branch over types belongs into the joint table or the pair table");
        }
        if !kernel {
            continue;
        }
        if !file.path.starts_with("kernels/platform/") && asks_for_a_compiler(code) {
            complain("#if belongs into kernels/platform");
        }
        if is_float_atomic(code) {
            complain("no atomics on floats: the order of a sum would change from run to run");
        }
        if LIBM.iter().any(|function| calls(code, function)) {
            complain("no libm in f32: use kernels/math");
        }
    }
    found
}

fn asks_for_a_compiler(code: &str) -> bool {
    let Some(directive) = code.trim_start().strip_prefix('#') else { return false };
    let directive = directive.trim();
    let condition = ["ifdef", "ifndef", "elif", "if"].iter().find_map(|word| directive.strip_prefix(word));
    condition.is_some_and(|condition| !CONDITIONS.contains(&condition.trim().trim_start_matches('!')))
}

fn branches_over_types(code: &str, kernel: bool) -> bool {
    let types = ["jnt_type", "geom_type", "shape_type", "joint_type"];
    if !kernel {
        return code.trim_start().contains("match ") && types.iter().any(|name| code.contains(&format!(".{name}[")));
    }
    let chain = code.contains("else if") && (code.contains("type ==") || code.contains("_type("));
    chain || code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "switch")
}

fn is_float_atomic(code: &str) -> bool {
    let adds = ["atomic_add(", "atomicAdd(", "atomic_max(", "atomicMax("].iter().any(|call| code.contains(call));
    adds && ["float*", "real*", "double*", "(float", "(real", "(double"].iter().any(|kind| code.contains(kind))
}

/// Whether a function of exactly that name is called.
fn calls(code: &str, function: &str) -> bool {
    code.match_indices(function).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        judge(&SourceFile { path: path.into(), text: text.into() }).len()
    }

    #[test]
    fn only_the_platform_asks_which_compiler_is_at_work() {
        assert_eq!(complaints("kernels/step.h", "#if defined(__CUDACC_RTC__)"), 1);
        assert_eq!(complaints("kernels/step.h", "#ifdef PHALANX_GPU"), 1);
        assert_eq!(complaints("kernels/platform/compiler.h", "#if defined(__CUDACC_RTC__)"), 0);
        assert_eq!(complaints("kernels/step.h", "#if PHALANX_SPECIALISED"), 0);
        assert_eq!(complaints("kernels/step.h", "#if !PHALANX_SPECIALISED"), 0);
        assert_eq!(complaints("kernels/step.h", "#include \"if.h\""), 0);
    }

    #[test]
    fn types_are_told_apart_in_the_tables_only() {
        assert_eq!(complaints("kernels/step.h", "switch (x) {"), 1);
        assert_eq!(complaints("kernels/step.h", "  } else if (type == Ball::type) {"), 1);
        assert_eq!(complaints("kernels/joints/joint_table.h", "  } else if (type == Ball::type) {"), 0);
        assert_eq!(complaints("kernels/step.h", "// a switch over types"), 0);
        assert_eq!(complaints("kernels/step.h", "const bool free = type == Free::type;"), 0);
        assert_eq!(complaints("src/lib.rs", "match model.jnt_type[joint] {"), 1);
        assert_eq!(complaints("src/lib.rs", "match model.name {"), 0);
    }

    #[test]
    fn counters_may_be_shared_and_floats_may_not() {
        assert_eq!(complaints("kernels/run.h", "atomic_add(counters + k, (uint64_t)tally.rows);"), 0);
        assert_eq!(complaints("kernels/run.h", "atomicAdd((float*)sum, x);"), 1);
    }

    #[test]
    fn float_functions_are_ours() {
        assert_eq!(complaints("kernels/a.h", "x = sinf(y);"), 1);
        assert_eq!(complaints("kernels/a.h", "x = my_sinf(y);"), 0);
        assert_eq!(complaints("kernels/a.h", "x = square_root(y);"), 0);
    }
}
