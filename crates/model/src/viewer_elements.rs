//! Reads what only viewers and sensors need: sites, cameras and lights.

use glam::DVec3;

use crate::geom_element::segment;
use crate::kinematic_tree::Context;
use crate::load_error::LoadError;
use crate::scene::{Camera, Light, Site};
use crate::solid_inertia::{SHAPES, Shape};
use crate::source::{check_single_orientation, unit_vector};
use crate::xml_tree::Element;

/// MuJoCo's `mjtCamLight`.
const MODES: &[(&str, i32)] = &[("fixed", 0), ("track", 1), ("trackcom", 2), ("targetbody", 3), ("targetbodycom", 4)];

pub(crate) fn read_site(element: &Element, name: String, context: &Context) -> Result<Site, LoadError> {
    let a = context.complete(element)?;
    let shapes: Vec<(&str, Shape)> =
        SHAPES.iter().filter(|s| s.shape != Shape::Plane).map(|row| (row.keyword, row.shape)).collect();
    let shape = a.keyword("type", &shapes)?.unwrap_or(Shape::Sphere);
    context.source.check_asset(&a, "material")?;
    let mut size = [0.005; 3];
    a.fill("size", &mut size)?;
    let pose = match segment(&a, shape, &mut size)? {
        Some(pose) => context.frame.then(&pose),
        None => context.pose(&a)?,
    };
    if size.iter().any(|s| *s < 0.0) {
        return Err(a.error_at("size", format!("size {size:?} has a negative number")));
    }
    let mut rgba = [0.5, 0.5, 0.5, 1.0];
    a.fill("rgba", &mut rgba)?;
    Ok(Site { name, shape: shape as i32, size, pose, group: a.int_or("group", 0)?, rgba })
}

pub(crate) fn read_camera(element: &Element, name: String, context: &Context) -> Result<Camera, LoadError> {
    let a = context.complete(element)?;
    let mode = a.keyword("mode", MODES)?.unwrap_or(0);
    let target = a.text("target").map(str::to_string);
    if mode >= 3 && target.is_none() {
        return Err(a.error("attribute `target` is missing; this mode looks at a body"));
    }
    let fovy = a.real_or("fovy", 45.0)?;
    Ok(Camera { name, scope: context.scope, mode, target, pose: context.pose(&a)?, fovy, attributes: a })
}

pub(crate) fn read_light(element: &Element, name: String, context: &Context) -> Result<Light, LoadError> {
    check_single_orientation(element)?;
    let a = context.complete(element)?;
    let mode = a.keyword("mode", MODES)?.unwrap_or(0);
    let target = a.text("target").map(str::to_string);
    if mode >= 3 && target.is_none() {
        return Err(a.error("attribute `target` is missing; this mode points at a body"));
    }
    // MuJoCo's mjtLightType.
    let types = [("spot", 0), ("directional", 1), ("point", 2), ("image", 3)];
    let directional = if a.flag_or("directional", false)? { 1 } else { 0 };
    let light_type = a.keyword("type", &types)?.unwrap_or(directional);
    let dir = unit_vector(&a, "dir", a.reals::<3>("dir")?.map_or(DVec3::NEG_Z, DVec3::from_array))?;
    Ok(Light {
        name,
        scope: context.scope,
        mode,
        target,
        light_type,
        castshadow: a.flag_or("castshadow", true)?,
        active: a.flag_or("active", true)?,
        pos: context.frame.apply(a.reals::<3>("pos")?.map_or(DVec3::ZERO, DVec3::from_array)),
        dir: context.frame.rotation * dir,
        ambient: a.reals::<3>("ambient")?.unwrap_or([0.0; 3]),
        diffuse: a.reals::<3>("diffuse")?.unwrap_or([0.7; 3]),
        specular: a.reals::<3>("specular")?.unwrap_or([0.3; 3]),
        attributes: a,
    })
}
