//! Decides the mass properties of every body: from `inertial`, from its geoms, then MuJoCo's corrections.

use glam::{DMat3, DVec3};

use crate::geom_element::{MIN_VALUE, is_declared_massless};
use crate::load_error::LoadError;
use crate::pose::Pose;
use crate::principal_axes::principal_axes;
use crate::scene::{Body, MassProperties, Scene};
use crate::solid_inertia::Shape;
use crate::source::InertiaFromGeom;

/// Mass properties of all bodies, the world's being nothing.
pub(crate) fn mass_properties(scene: &Scene) -> Result<Vec<MassProperties>, LoadError> {
    let mut all = vec![MassProperties::NONE];
    for body in scene.bodies.iter().skip(1) {
        all.push(corrected(body, properties_of(body)?)?);
    }
    if let Some(total) = scene.bodies[0].source.compiler.total_mass {
        let sum: f64 = all.iter().map(|p| p.mass).sum();
        if sum > MIN_VALUE {
            for p in &mut all {
                p.mass *= total / sum;
                p.inertia *= total / sum;
            }
        }
    }
    check_moving_bodies(scene, &all)?;
    Ok(all)
}

/// Whether the body's mass comes from its geoms.
pub(crate) fn is_inferred(body: &Body) -> bool {
    match body.source.compiler.inertia_from_geom {
        InertiaFromGeom::Always => true,
        InertiaFromGeom::Never => false,
        InertiaFromGeom::WithoutInertial => body.inertial.is_none(),
    }
}

fn properties_of(body: &Body) -> Result<MassProperties, LoadError> {
    if !is_inferred(body) {
        return body.inertial.ok_or_else(|| {
            body.attributes.error("element `inertial` is missing, as inertiafromgeom is off; give the body one")
        });
    }
    let [low, high] = body.source.compiler.inertia_group_range;
    let mut parts = Vec::new();
    for geom in body.geoms.iter().filter(|g| (low..=high).contains(&g.group)) {
        if geom.shape == Shape::Mesh && !is_declared_massless(&geom.attributes)? {
            let advice = "give the body an `inertial`, or the geom mass=\"0\"";
            return Err(geom.attributes.error(format!("its mesh would add mass, which is not supported; {advice}")));
        }
        if geom.mass > MIN_VALUE {
            parts.push(MassProperties { mass: geom.mass, pose: geom.pose, inertia: geom.inertia });
        }
    }
    Ok(match parts.as_slice() {
        // No geom has mass. MuJoCo leaves such a body's own pose as its inertial frame; contacts of its geoms see it
        // through invweight0, so we do the same.
        [] => body.inertial.unwrap_or(MassProperties { pose: body.written_pose, ..MassProperties::NONE }),
        [one] => *one,
        many => combined(many),
    })
}

/// Mass properties of several solids as one.
fn combined(parts: &[MassProperties]) -> MassProperties {
    let mass: f64 = parts.iter().map(|p| p.mass).sum();
    let center = parts.iter().map(|p| p.pose.position * p.mass).sum::<DVec3>() / mass;
    let tensor = parts.iter().fold(DMat3::ZERO, |sum, p| {
        let offset = p.pose.position - center;
        sum + tensor_of(p) + p.mass * parallel_axis(offset)
    });
    let (rotation, inertia) = principal_axes(tensor);
    MassProperties { mass, pose: Pose { position: center, rotation }, inertia }
}

/// Inertia about the centre of mass, along the axes in which the pose is given.
pub(crate) fn tensor_of(p: &MassProperties) -> DMat3 {
    let r = DMat3::from_quat(p.pose.rotation);
    r * DMat3::from_diagonal(p.inertia) * r.transpose()
}

/// Inertia of a unit point mass at `offset`: |r|^2 - r r'.
pub(crate) fn parallel_axis(offset: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(offset.length_squared()))
        - DMat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z)
}

/// Lower bounds, then the triangle inequality that every rigid body obeys.
fn corrected(body: &Body, mut p: MassProperties) -> Result<MassProperties, LoadError> {
    let compiler = &body.source.compiler;
    p.mass = p.mass.max(compiler.bound_mass);
    p.inertia = p.inertia.max(DVec3::splat(compiler.bound_inertia));
    if !(p.mass.is_finite() && p.inertia.is_finite() && p.pose.position.is_finite()) {
        return Err(body.attributes.error("its mass or inertia is not finite; check sizes and densities"));
    }
    let DVec3 { x, y, z } = p.inertia;
    // Rounding in files with six digits is forgiven, as in MuJoCo's own comparison.
    let violates = |a: f64, b: f64, c: f64| a + b < c * (1.0 - 1e-12);
    if violates(x, y, z) || violates(y, z, x) || violates(z, x, y) {
        if !compiler.balance_inertia {
            let message = format!("inertia [{x}, {y}, {z}] is impossible: no moment can exceed the sum of the others");
            return Err(body.attributes.error(format!("{message}; correct it or set balanceinertia")));
        }
        p.inertia = DVec3::splat((x + y + z) / 3.0);
    }
    Ok(p)
}

/// A body that moves must have mass and inertia, its own or of bodies welded to it.
fn check_moving_bodies(scene: &Scene, all: &[MassProperties]) -> Result<(), LoadError> {
    let has_mass = |p: &MassProperties| p.mass >= MIN_VALUE && p.inertia.min_element() >= MIN_VALUE;
    let mut heavy: Vec<bool> = all.iter().map(has_mass).collect();
    // Children come after their parents, so one backward sweep carries mass up through welds.
    for (id, body) in scene.bodies.iter().enumerate().skip(1).rev() {
        if body.joints.is_empty() {
            heavy[body.parent] |= heavy[id];
        } else if !heavy[id] {
            return Err(body.attributes.error("it moves but has no mass or inertia; give it a geom or an `inertial`"));
        }
    }
    Ok(())
}
