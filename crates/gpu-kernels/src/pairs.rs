//! The table of collision pairs: which function finds the contacts of which two shapes, and how many there can be.
//!
//! A new pair is one line here and one header in `kernels/collision/narrowphase/`. The kernels' table is generated from it.
use std::fmt::Write;

/// MuJoCo's geom types.
pub mod geom {
    /// Infinite plane.
    pub const PLANE: i32 = 0;
    /// Sphere.
    pub const SPHERE: i32 = 2;
    /// Capsule.
    pub const CAPSULE: i32 = 3;
    /// Ellipsoid.
    pub const ELLIPSOID: i32 = 4;
    /// Cylinder.
    pub const CYLINDER: i32 = 5;
    /// Box.
    pub const BOX: i32 = 6;
}
use geom::*;

/// One pair of shapes.
#[derive(Clone, Copy, Debug)]
pub struct PairType {
    /// Types of the first and second shape, the lower first.
    pub types: (i32, i32),
    /// The function in the kernels, and the header of the same name.
    pub function: &'static str,
    /// Contacts at most.
    pub most: usize,
}

const fn p(first: i32, second: i32, function: &'static str, most: usize) -> PairType {
    PairType { types: (first, second), function, most }
}

/// Every pair of shapes that can touch.
#[rustfmt::skip]
pub const PAIR_TYPES: &[PairType] = &[
    p(PLANE, SPHERE, "plane_sphere", 1),
    p(PLANE, CAPSULE, "plane_capsule", 2),
    p(PLANE, ELLIPSOID, "plane_ellipsoid", 1),
    p(PLANE, CYLINDER, "plane_cylinder", 4),
    p(PLANE, BOX, "plane_box", 4),
    p(SPHERE, SPHERE, "sphere_sphere", 1),
    p(SPHERE, CAPSULE, "sphere_capsule", 1),
    p(SPHERE, ELLIPSOID, "sphere_ellipsoid", 1),
    p(SPHERE, CYLINDER, "sphere_cylinder", 1),
    p(SPHERE, BOX, "sphere_box", 1),
    p(CAPSULE, CAPSULE, "capsule_capsule", 2),
    p(CAPSULE, ELLIPSOID, "capsule_ellipsoid", 1),
    p(CAPSULE, CYLINDER, "capsule_cylinder", 2),
    p(CAPSULE, BOX, "capsule_box", 2),
    p(ELLIPSOID, ELLIPSOID, "ellipsoid_ellipsoid", 1),
    p(ELLIPSOID, CYLINDER, "ellipsoid_cylinder", 1),
    p(ELLIPSOID, BOX, "ellipsoid_box", 1),
    p(CYLINDER, CYLINDER, "cylinder_cylinder", 4),
    p(CYLINDER, BOX, "cylinder_box", 4),
    p(BOX, BOX, "box_box", 8),
];

/// The index in [`PAIR_TYPES`] of two geom types in MuJoCo's order.
pub fn pair_type(first: i32, second: i32) -> Option<usize> {
    PAIR_TYPES.iter().position(|p| p.types == (first, second))
}

/// The kernels' table: includes and the list `PHALANX_PAIRS`.
pub fn pair_header() -> String {
    let mut out = String::from(
        "// The pair functions of the narrow phase, in the order of the collision table.\n\
         // Generated from the pair table by `cargo xtask generate`; do not edit.\n#pragma once\n",
    );
    for pair in PAIR_TYPES {
        let _ = writeln!(out, "#include \"collision/narrowphase/{}.h\"", pair.function);
    }
    out.push_str("\n#define PHALANX_PAIRS(PAIR)");
    for (i, pair) in PAIR_TYPES.iter().enumerate() {
        let _ = write!(out, " \\\n  PAIR({i}, {}, {})", pair.function, pair.most);
    }
    let most = PAIR_TYPES.iter().map(|p| p.most).max().unwrap_or(1);
    let _ = write!(out, "\n\nconstexpr int most_contacts_of_a_pair = {most};\n");
    out
}
