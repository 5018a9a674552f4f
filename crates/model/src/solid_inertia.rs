//! Mass and inertia of the geometric primitives, solid or as a shell of no thickness.
//!
//! All about the centre of the shape, in its own axes, for uniform density. Sizes are MuJoCo's half sizes. Where a
//! closed form exists it is used; the ellipsoid's surface has none, so its inertia is the difference quotient of two
//! solids as MuJoCo takes it, and its area is Thomsen's approximation.

use std::f64::consts::PI;

use glam::DVec3;

/// MuJoCo's `mjtGeom`.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Shape {
    Plane = 0,
    Sphere = 2,
    Capsule = 3,
    Ellipsoid = 4,
    Cylinder = 5,
    Box = 6,
    Mesh = 7,
}

/// What a shape is, for every question the compiler asks.
pub(crate) struct ShapeTraits {
    pub shape: Shape,
    pub keyword: &'static str,
    /// How many sizes it needs, and the words for them.
    pub sizes: &'static [&'static str],
    pub volume: fn(DVec3) -> f64,
    pub area: fn(DVec3) -> f64,
    /// Principal moments of the solid of mass 1.
    pub solid: fn(DVec3) -> DVec3,
    /// Principal moments of the shell of mass 1.
    pub shell: fn(DVec3) -> DVec3,
    /// Half sizes of the bounding box.
    pub half_box: fn(DVec3) -> DVec3,
    pub bounding_radius: fn(DVec3) -> f64,
}

#[rustfmt::skip]
pub(crate) const SHAPES: &[ShapeTraits] = &[
    ShapeTraits { shape: Shape::Plane, keyword: "plane", sizes: &["x half size", "y half size", "grid spacing"],
        volume: |_| 0.0, area: |_| 0.0, solid: |_| DVec3::ZERO, shell: |_| DVec3::ZERO,
        half_box: |_| DVec3::ZERO, bounding_radius: |_| 0.0 },
    ShapeTraits { shape: Shape::Sphere, keyword: "sphere", sizes: &["radius"],
        volume: |s| 4.0 * PI * s.x.powi(3) / 3.0, area: |s| 4.0 * PI * s.x * s.x,
        solid: |s| DVec3::splat(2.0 * s.x * s.x / 5.0), shell: |s| DVec3::splat(2.0 * s.x * s.x / 3.0),
        half_box: |s| DVec3::splat(s.x), bounding_radius: |s| s.x },
    ShapeTraits { shape: Shape::Capsule, keyword: "capsule", sizes: &["radius", "half length"],
        volume: |s| PI * s.x * s.x * (2.0 * s.y + 4.0 * s.x / 3.0), area: |s| 4.0 * PI * s.x * (s.x + s.y),
        solid: capsule_solid, shell: capsule_shell,
        half_box: |s| DVec3::new(s.x, s.x, s.x + s.y), bounding_radius: |s| s.x + s.y },
    ShapeTraits { shape: Shape::Ellipsoid, keyword: "ellipsoid", sizes: &["x radius", "y radius", "z radius"],
        volume: |s| 4.0 * PI * s.x * s.y * s.z / 3.0, area: ellipsoid_area,
        solid: |s| box_like(s * s) / 5.0, shell: ellipsoid_shell,
        half_box: |s| s, bounding_radius: |s| s.max_element() },
    ShapeTraits { shape: Shape::Cylinder, keyword: "cylinder", sizes: &["radius", "half length"],
        volume: |s| 2.0 * PI * s.x * s.x * s.y, area: |s| 2.0 * PI * s.x * (s.x + 2.0 * s.y),
        solid: |s| { let side = s.x * s.x / 4.0 + s.y * s.y / 3.0; DVec3::new(side, side, s.x * s.x / 2.0) },
        shell: cylinder_shell,
        half_box: |s| DVec3::new(s.x, s.x, s.y), bounding_radius: |s| (s.x * s.x + s.y * s.y).sqrt() },
    ShapeTraits { shape: Shape::Box, keyword: "box", sizes: &["x half size", "y half size", "z half size"],
        volume: |s| 8.0 * s.x * s.y * s.z, area: |s| 8.0 * (s.x * s.y + s.y * s.z + s.z * s.x),
        solid: |s| box_like(s * s) / 3.0, shell: box_shell,
        half_box: |s| s, bounding_radius: |s| s.length() },
    ShapeTraits { shape: Shape::Mesh, keyword: "mesh", sizes: &[],
        volume: |_| 0.0, area: |_| 0.0, solid: |_| DVec3::ZERO, shell: |_| DVec3::ZERO,
        half_box: |_| DVec3::ZERO, bounding_radius: |_| 0.0 },
];

/// The table row of a shape.
pub(crate) fn traits_of(shape: Shape) -> &'static ShapeTraits {
    SHAPES.iter().find(|row| row.shape == shape).unwrap_or(&SHAPES[0])
}

/// `(y + z, x + z, x + y)`: moments from mean squares along the axes.
fn box_like(square: DVec3) -> DVec3 {
    DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y)
}

/// Cylinder plus two half balls, each weighted by its volume.
fn capsule_solid(s: DVec3) -> DVec3 {
    let (radius, height) = (s.x, 2.0 * s.y);
    let balls = 4.0 * radius / (4.0 * radius + 3.0 * height); // share of the volume
    let tube = 1.0 - balls;
    let side = tube * (3.0 * radius * radius + height * height) / 12.0
        + balls * (2.0 * radius * radius / 5.0 + height * (3.0 * radius + 2.0 * height) / 8.0);
    DVec3::new(side, side, tube * radius * radius / 2.0 + balls * 2.0 * radius * radius / 5.0)
}

/// Open tube plus two half spheres, each weighted by its area.
fn capsule_shell(s: DVec3) -> DVec3 {
    let (radius, half) = (s.x, s.y);
    let spheres = radius / (radius + half);
    let tube = 1.0 - spheres;
    let side = tube * (radius * radius / 2.0 + half * half / 3.0)
        + spheres * (2.0 * radius * radius / 3.0 + half * half + half * radius);
    DVec3::new(side, side, tube * radius * radius + spheres * 2.0 * radius * radius / 3.0)
}

/// Open tube plus two discs, each weighted by its area.
fn cylinder_shell(s: DVec3) -> DVec3 {
    let (radius, half) = (s.x, s.y);
    let discs = radius / (radius + 2.0 * half);
    let tube = 1.0 - discs;
    let side = tube * (radius * radius / 2.0 + half * half / 3.0) + discs * (radius * radius / 4.0 + half * half);
    DVec3::new(side, side, tube * radius * radius + discs * radius * radius / 2.0)
}

/// Six faces, each weighted by its area.
fn box_shell(s: DVec3) -> DVec3 {
    let faces = DVec3::new(s.y * s.z, s.z * s.x, s.x * s.y) / (s.x * s.y + s.y * s.z + s.z * s.x);
    // A face across x has its points at x = s.x; the others spread evenly along x.
    let square = s * s;
    box_like(square * (faces + (DVec3::ONE - faces) / 3.0))
}

/// Thomsen's approximation, with the exponent that keeps the error below 1.061 %.
fn ellipsoid_area(s: DVec3) -> f64 {
    let p = 1.6075;
    let mean = ((s.x * s.y).powf(p) + (s.y * s.z).powf(p) + (s.z * s.x).powf(p)) / 3.0;
    4.0 * PI * mean.powf(1.0 / p)
}

/// The solid that is larger by a thin layer, less the solid.
fn ellipsoid_shell(s: DVec3) -> DVec3 {
    let layer = 1e-6;
    let outer = s + DVec3::splat(layer);
    let (volume, outer_volume) = (s.x * s.y * s.z, outer.x * outer.y * outer.z);
    let moment = |size: DVec3| box_like(size * size) / 5.0;
    (moment(outer) * outer_volume - moment(s) * volume) / (outer_volume - volume)
}
