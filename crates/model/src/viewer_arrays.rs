//! Fills the arrays of sites, cameras and lights.

use glam::DMat3;

use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::model::Model;
use crate::pose::same_frame;
use crate::reference_pose::{ReferencePose, inertial_frame, quat, vec3};
use crate::scene::{Kind, Scene, wxyz};

pub(crate) fn set(m: &mut Model, scene: &Scene) -> Result<(), LoadError> {
    let target = |scope: usize, a: &Attributes, name: &Option<String>| match name {
        None => Ok(-1),
        Some(name) => match scene.find(Kind::Body, scope, name).first() {
            Some(found) => Ok(found.body as i32),
            None => Err(scene.not_found(Kind::Body, a, "target", name)),
        },
    };
    for (id, body) in scene.bodies.iter().enumerate() {
        for s in &body.sites {
            m.nsite += 1;
            m.names.site.push(s.name.clone());
            m.site_type.push(s.shape);
            m.site_bodyid.push(id as i32);
            m.site_group.push(s.group);
            let inertial = inertial_frame(m, id);
            m.site_sameframe.push(same_frame(s.pose, Some(inertial)));
            m.site_size.extend(s.size);
            m.site_pos.extend(s.pose.position.to_array());
            m.site_quat.extend(wxyz(s.pose.rotation));
            m.site_rgba.extend(s.rgba);
        }
        for c in &body.cameras {
            m.ncam += 1;
            m.names.cam.push(c.name.clone());
            m.cam_mode.push(c.mode);
            m.cam_bodyid.push(id as i32);
            m.cam_targetbodyid.push(target(c.scope, &c.attributes, &c.target)?);
            m.cam_pos.extend(c.pose.position.to_array());
            m.cam_quat.extend(wxyz(c.pose.rotation));
            m.cam_fovy.push(c.fovy);
        }
        for l in &body.lights {
            m.nlight += 1;
            m.names.light.push(l.name.clone());
            m.light_mode.push(l.mode);
            m.light_bodyid.push(id as i32);
            m.light_targetbodyid.push(target(l.scope, &l.attributes, &l.target)?);
            m.light_type.push(l.light_type);
            m.light_castshadow.push(l.castshadow.into());
            m.light_active.push(l.active.into());
            m.light_pos.extend(l.pos.to_array());
            m.light_dir.extend(l.dir.to_array());
            m.light_ambient.extend(l.ambient);
            m.light_diffuse.extend(l.diffuse);
            m.light_specular.extend(l.specular);
        }
    }
    Ok(())
}

/// Where cameras and lights are at `qpos0`, relative to what they may track.
pub(crate) fn set_tracking_poses(m: &mut Model, pose: &ReferencePose) {
    for c in 0..m.ncam {
        let body = m.cam_bodyid[c] as usize;
        let at = pose.body[body].apply(vec3(&m.cam_pos, c));
        m.cam_poscom0.extend((at - pose.subtree_center[body]).to_array());
        m.cam_pos0.extend((at - pose.body[body].position).to_array());
        let r = DMat3::from_quat(pose.body[body].rotation * quat(&m.cam_quat, c));
        m.cam_mat0.extend(r.transpose().to_cols_array());
    }
    for l in 0..m.nlight {
        let body = m.light_bodyid[l] as usize;
        let at = pose.body[body].apply(vec3(&m.light_pos, l));
        m.light_poscom0.extend((at - pose.subtree_center[body]).to_array());
        m.light_pos0.extend((at - pose.body[body].position).to_array());
        m.light_dir0.extend((pose.body[body].rotation * vec3(&m.light_dir, l)).to_array());
    }
}
