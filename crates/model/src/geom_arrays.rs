//! Fills the arrays of geoms, and what bodies know of their geoms.

use std::collections::HashSet;

use glam::DVec3;

use crate::body_inertia::is_inferred;
use crate::contact_element::Pair;
use crate::load_error::LoadError;
use crate::model::Model;
use crate::pose::same_frame;
use crate::reference_pose::inertial_frame;
use crate::scene::{Geom, Scene, wxyz};
use crate::solid_inertia::{Shape, traits_of};
use crate::source::InertiaFromGeom;

/// The index of every geom, body by body; `None` for visual ones that `discardvisual` drops.
pub(crate) fn number(scene: &Scene, pairs: &[Pair]) -> Result<Vec<Vec<Option<usize>>>, LoadError> {
    let paired: HashSet<(usize, usize)> = pairs.iter().flat_map(|p| &p.geoms).map(|g| (g.body, g.local)).collect();
    let discard = scene.bodies[0].source.compiler.discard_visual;
    let mut next = 0;
    let mut index = Vec::with_capacity(scene.bodies.len());
    for (b, body) in scene.bodies.iter().enumerate() {
        let mut of_body = Vec::with_capacity(body.geoms.len());
        for (local, geom) in body.geoms.iter().enumerate() {
            let visual = geom.contype == 0 && geom.conaffinity == 0 && !paired.contains(&(b, local));
            if discard && visual {
                let forced = body.source.compiler.inertia_from_geom == InertiaFromGeom::Always;
                if b != 0 && geom.mass > 0.0 && forced && is_inferred(body) {
                    return Err(geom.attributes.error("discardvisual would drop its mass, as inertiafromgeom is on"));
                }
                of_body.push(None);
                continue;
            }
            of_body.push(Some(next));
            next += 1;
        }
        index.push(of_body);
    }
    Ok(index)
}

pub(crate) fn set(m: &mut Model, scene: &Scene, index: &[Vec<Option<usize>>]) -> Result<(), LoadError> {
    for (id, body) in scene.bodies.iter().enumerate() {
        let kept: Vec<&Geom> = body.geoms.iter().zip(&index[id]).filter(|(_, i)| i.is_some()).map(|(g, _)| g).collect();
        m.body_geomnum.push(kept.len() as i32);
        m.body_geomadr.push(if kept.is_empty() { -1 } else { m.ngeom as i32 });
        let fold = |start: i32, f: fn(&Geom) -> i32| kept.iter().fold(start, |all, g| all | f(g));
        m.body_contype.push(fold(0, |g| g.contype));
        m.body_conaffinity.push(fold(0, |g| g.conaffinity));
        m.body_margin.push(kept.iter().map(|g| g.margin + g.gap).fold(0.0, f64::max));
        for geom in kept {
            if geom.shape == Shape::Plane && m.body_weldid[id] != 0 {
                return Err(geom.attributes.error("a plane must be on a body that does not move"));
            }
            if geom.shape == Shape::Mesh && (geom.contype != 0 || geom.conaffinity != 0) {
                let advice = "set contype and conaffinity to 0, or use primitives";
                return Err(geom.attributes.error(format!("meshes that collide are not supported; {advice}")));
            }
            push_geom(m, id, geom);
        }
    }
    Ok(())
}

fn push_geom(m: &mut Model, body: usize, g: &Geom) {
    let traits = traits_of(g.shape);
    m.ngeom += 1;
    m.names.geom.push(g.name.clone());
    m.geom_type.push(g.shape as i32);
    m.geom_contype.push(g.contype);
    m.geom_conaffinity.push(g.conaffinity);
    m.geom_condim.push(g.condim);
    m.geom_bodyid.push(body as i32);
    m.geom_group.push(g.group);
    m.geom_priority.push(g.priority);
    let inertial = inertial_frame(m, body);
    m.geom_sameframe.push(same_frame(g.pose, Some(inertial)));
    m.geom_size.extend(g.size.to_array());
    // A plane's box is the half space below it, cut off at MuJoCo's mjMAXVAL.
    let (center, half) = match g.shape {
        Shape::Plane => (DVec3::new(0.0, 0.0, -0.5e10), DVec3::new(1e10, 1e10, 0.5e10)),
        _ => (DVec3::ZERO, (traits.half_box)(g.size)),
    };
    m.geom_aabb.extend(center.to_array());
    m.geom_aabb.extend(half.to_array());
    m.geom_rbound.push((traits.bounding_radius)(g.size));
    m.geom_pos.extend(g.pose.position.to_array());
    m.geom_quat.extend(wxyz(g.pose.rotation));
    m.geom_friction.extend(g.friction);
    m.geom_margin.push(g.margin);
    m.geom_gap.push(g.gap);
    m.geom_solmix.push(g.solmix);
    m.geom_solref.extend(g.solref);
    m.geom_solimp.extend(g.solimp);
    m.geom_fluid.extend([0.0; 12]);
    m.geom_rgba.extend(g.rgba);
}
