//! Size, mass and place of the model as a whole: what viewers scale their drawings by.
//!
//! MuJoCo's heuristics: the extent is the largest side of the box around bodies, joints, sites and geoms at `qpos0`; a
//! body's size is its largest distance to a joint or to the far side of a geom.

use glam::DVec3;

use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::model::Model;
use crate::reference_pose::{ReferencePose, vec3};
use crate::source::Source;

/// Smallest size of a body and of a model, in metres.
const MIN_SIZE: f64 = 1e-5;

pub(crate) fn set(m: &mut Model, pose: &ReferencePose, source: &Source) -> Result<(), LoadError> {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut include = |point: DVec3, radius: f64| {
        low = low.min(point - DVec3::splat(radius));
        high = high.max(point + DVec3::splat(radius));
    };
    let body_of = |ids: &[i32], i: usize| ids[i] as usize;
    for b in 1..m.nbody {
        include(pose.body[b].position, 0.0);
        include(pose.center[b], 0.0);
    }
    pose.joint_anchor.iter().for_each(|a| include(*a, 0.0));
    for s in 0..m.nsite {
        include(pose.body[body_of(&m.site_bodyid, s)].apply(vec3(&m.site_pos, s)), 0.0);
    }
    let mut size = vec![0.0f64; m.nbody];
    for (j, anchor) in pose.joint_anchor.iter().enumerate() {
        let body = body_of(&m.jnt_bodyid, j);
        for b in [body, m.body_parentid[body] as usize] {
            size[b] = size[b].max((pose.center[b] - *anchor).length());
        }
    }
    for g in 0..m.ngeom {
        let b = body_of(&m.geom_bodyid, g);
        let center = pose.body[b].apply(vec3(&m.geom_pos, g));
        let radius = m.geom_rbound[g];
        if radius > 0.0 {
            include(center, radius);
            size[b] = size[b].max((pose.center[b] - center).length() + radius);
        } else if m.geom_type[g] == 0 {
            // A plane counts with a tenth of its drawn size, an infinite one with a centimetre.
            let drawn = m.geom_size[3 * g].max(m.geom_size[3 * g + 1]);
            include(center, if drawn > 0.0 { 0.1 * drawn } else { 0.01 });
        }
    }

    let moving = (m.nbody - 1) as f64;
    m.stat.meansize = if m.nbody > 1 { size[1..].iter().map(|s| s.max(MIN_SIZE)).sum::<f64>() / moving } else { 0.2 };
    m.stat.meanmass = if m.nbody > 1 { m.body_subtreemass[0] / moving } else { 1.0 };
    if low.x <= high.x {
        m.stat.center = ((low + high) / 2.0).to_array();
        m.stat.extent = (high - low).max_element();
    }
    m.stat.extent = m.stat.extent.max(2.0 * m.stat.meansize).max(MIN_SIZE);
    read_overrides(m, source)
}

fn read_overrides(m: &mut Model, source: &Source) -> Result<(), LoadError> {
    for element in source.root.children.iter().filter(|e| &*e.name == "statistic") {
        let a = Attributes::of(element);
        let s = &mut m.stat;
        s.meaninertia = a.real_or("meaninertia", s.meaninertia)?;
        s.meanmass = a.real_or("meanmass", s.meanmass)?;
        s.meansize = a.real_or("meansize", s.meansize)?;
        s.extent = a.real_or("extent", s.extent)?;
        if s.extent <= 0.0 {
            return Err(a.error_at("extent", format!("extent {} must be positive", s.extent)));
        }
        s.center = a.reals("center")?.unwrap_or(s.center);
    }
    Ok(())
}
