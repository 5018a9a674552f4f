//! Reads `geom`: its shape, its contact parameters and its own mass.

use glam::DVec3;

use crate::attributes::Attributes;
use crate::joint_element::{solimp, solref};
use crate::kinematic_tree::Context;
use crate::load_error::LoadError;
use crate::pose::{Pose, rotation_of_z_to};
use crate::scene::Geom;
use crate::solid_inertia::{SHAPES, Shape, ShapeTraits, traits_of};
use crate::xml_tree::Element;

/// Volumes and masses below this count as none (MuJoCo's `mjMINVAL`).
pub(crate) const MIN_VALUE: f64 = 1e-15;

pub(crate) fn read(element: &Element, name: String, context: &Context) -> Result<Geom, LoadError> {
    let a = context.complete(element)?;
    if let Some(child) = element.children.first() {
        return Err(child.error("plugins are not supported"));
    }
    for unsupported in ["hfield", "sdf"] {
        if a.text("type") == Some(unsupported) {
            return Err(a.error_at("type", format!("type=\"{unsupported}\" is not supported")));
        }
    }
    let shapes: Vec<(&str, Shape)> = SHAPES.iter().map(|row| (row.keyword, row.shape)).collect();
    let shape = a.keyword("type", &shapes)?.unwrap_or(Shape::Sphere);
    if a.has("mesh") && shape != Shape::Mesh {
        return Err(a.error_at("mesh", "fitting a primitive to a mesh is not supported; write its size"));
    }
    if shape == Shape::Mesh {
        a.required_text("mesh")?;
        context.source.check_asset(&a, "mesh")?;
    }
    context.source.check_asset(&a, "material")?;
    if a.has("hfield") {
        return Err(a.error_at("hfield", "height fields are not supported"));
    }
    a.refuse("fluidshape", &["none"], "the ellipsoid fluid model is not supported")?;
    a.refuse("surfacevel", &["0"], "moving surfaces are not supported")?;
    a.refuse("adhesion", &["0"], "adhesion is not supported")?;
    let traits = traits_of(shape);

    let mut size = [0.0; 3];
    a.fill("size", &mut size)?;
    let pose = match segment(&a, shape, &mut size)? {
        Some(pose) => context.frame.then(&pose),
        None => context.pose(&a)?,
    };
    check_size(&a, traits, &size)?;
    let size = DVec3::from_array(size);

    let condim = a.int_or("condim", 3)?;
    if ![1, 3, 4, 6].contains(&condim) {
        return Err(a.error_at("condim", format!("condim {condim} must be 1, 3, 4 or 6")));
    }
    let mut friction = [1.0, 0.005, 0.0001];
    a.fill("friction", &mut friction)?;
    let mut rgba = [0.5, 0.5, 0.5, 1.0];
    a.fill("rgba", &mut rgba)?;
    let (mass, inertia) = mass_and_inertia(&a, traits, size)?;
    Ok(Geom {
        name,
        shape,
        size,
        pose,
        contype: a.int_or("contype", 1)?,
        conaffinity: a.int_or("conaffinity", 1)?,
        condim,
        group: a.int_or("group", 0)?,
        priority: a.int_or("priority", 0)?,
        friction,
        margin: a.real_or("margin", 0.0)?,
        gap: a.real_or("gap", 0.0)?,
        solmix: a.real_or("solmix", 1.0)?,
        solref: solref(&a, "solref")?,
        solimp: solimp(&a, "solimp")?,
        rgba,
        mass,
        inertia,
        attributes: a,
    })
}

/// The pose that `fromto` gives, and the length it writes into `size`.
pub(crate) fn segment(a: &Attributes, shape: Shape, size: &mut [f64; 3]) -> Result<Option<Pose>, LoadError> {
    let Some([x0, y0, z0, x1, y1, z1]) = a.reals::<6>("fromto")? else { return Ok(None) };
    if a.has("pos") {
        return Err(a.error_at("pos", "pos and fromto both say where it is; write one of them"));
    }
    let (from, to) = (DVec3::new(x0, y0, z0), DVec3::new(x1, y1, z1));
    let length = (to - from).length();
    if length < MIN_VALUE {
        return Err(a.error_at("fromto", "fromto: the two points are the same"));
    }
    match shape {
        Shape::Capsule | Shape::Cylinder => size[1] = length / 2.0,
        Shape::Box | Shape::Ellipsoid => {
            size[1] = size[0];
            size[2] = length / 2.0;
        }
        _ => return Err(a.error_at("fromto", "fromto needs a capsule, cylinder, box or ellipsoid")),
    }
    // MuJoCo's z axis points from the second point to the first.
    let direction = (from - to) / length;
    Ok(Some(Pose { position: (from + to) / 2.0, rotation: rotation_of_z_to(direction) }))
}

fn check_size(a: &Attributes, traits: &ShapeTraits, size: &[f64; 3]) -> Result<(), LoadError> {
    if traits.shape == Shape::Plane {
        if size[0] < 0.0 || size[1] < 0.0 || size[2] <= 0.0 {
            return Err(a.error_at("size", "size: a plane needs half sizes of 0 or more, and a positive grid spacing"));
        }
        return Ok(());
    }
    match traits.sizes.iter().zip(size).find(|(_, s)| **s <= 0.0) {
        None => Ok(()),
        Some((what, s)) => {
            let message = format!("size: the {what} is {s}; a {} needs a positive {what}", traits.keyword);
            Err(a.error_at("size", message))
        }
    }
}

/// Mass and principal moments, from `mass` or `density` (per area for a shell).
fn mass_and_inertia(a: &Attributes, traits: &ShapeTraits, size: DVec3) -> Result<(f64, DVec3), LoadError> {
    let shell = a.flag_or("shellinertia", false)?;
    let density = a.nonnegative_or("density", 1000.0)?;
    let extent = if shell { (traits.area)(size) } else { (traits.volume)(size) };
    if !extent.is_finite() {
        return Err(a.error_at("size", "size is so large that the geom's mass is not finite"));
    }
    let mass = match a.real("mass")? {
        Some(mass) if mass < 0.0 => return Err(a.error_at("mass", format!("mass {mass} is negative"))),
        Some(mass) if extent > MIN_VALUE => mass,
        Some(_) => 0.0,
        None => density * extent,
    };
    let unit = if shell { (traits.shell)(size) } else { (traits.solid)(size) };
    let inertia = if mass > 0.0 { unit * mass } else { DVec3::ZERO };
    if !(mass.is_finite() && inertia.is_finite()) {
        return Err(a.error("its mass or inertia is not finite; check size and density"));
    }
    Ok((mass, inertia))
}

/// Whether a mesh geom has given a mass of nothing.
pub(crate) fn is_declared_massless(a: &Attributes) -> Result<bool, LoadError> {
    Ok(match a.real("mass")? {
        Some(mass) => mass == 0.0,
        None => a.real("density")? == Some(0.0),
    })
}
