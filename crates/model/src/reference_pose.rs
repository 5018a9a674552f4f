//! Where bodies, joints and centres of mass are at `qpos0`, in the world frame.
//!
//! At `qpos0` every joint is at its reference, so a body is exactly where its parent's frame puts it.

use glam::{DMat3, DQuat, DVec3};

use crate::joint_element::{BALL, FREE, SLIDE};
use crate::model::Model;
use crate::pose::Pose;

/// How one degree of freedom moves points: v(p) = linear + angular x (p - anchor).
#[derive(Clone, Copy, Debug)]
pub(crate) struct DofMotion {
    pub angular: DVec3,
    pub linear: DVec3,
    pub anchor: DVec3,
}

impl DofMotion {
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point - self.anchor)
    }
}

pub(crate) struct ReferencePose {
    pub body: Vec<Pose>,
    /// Centres of mass of the bodies.
    pub center: Vec<DVec3>,
    /// Inertia about the centre of mass, along the world's axes.
    pub inertia: Vec<DMat3>,
    /// Centres of mass of the subtrees; a massless subtree has its body's own.
    pub subtree_center: Vec<DVec3>,
    pub joint_anchor: Vec<DVec3>,
    pub dof: Vec<DofMotion>,
}

pub(crate) fn vec3(data: &[f64], i: usize) -> DVec3 {
    DVec3::new(data[3 * i], data[3 * i + 1], data[3 * i + 2])
}

pub(crate) fn quat(data: &[f64], i: usize) -> DQuat {
    DQuat::from_xyzw(data[4 * i + 1], data[4 * i + 2], data[4 * i + 3], data[4 * i])
}

/// The inertial frame of a body, in the body.
pub(crate) fn inertial_frame(m: &Model, body: usize) -> Pose {
    Pose { position: vec3(&m.body_ipos, body), rotation: quat(&m.body_iquat, body) }
}

impl ReferencePose {
    pub fn of(m: &Model) -> ReferencePose {
        let mut body: Vec<Pose> = Vec::with_capacity(m.nbody);
        for i in 0..m.nbody {
            let local = Pose { position: vec3(&m.body_pos, i), rotation: quat(&m.body_quat, i) };
            let parent = m.body_parentid[i] as usize;
            let pose = if i == 0 { local } else { body[parent].then(&local) };
            body.push(pose);
        }
        let center: Vec<DVec3> = (0..m.nbody).map(|i| body[i].apply(vec3(&m.body_ipos, i))).collect();
        let inertia = (0..m.nbody)
            .map(|i| {
                let r = DMat3::from_quat(body[i].rotation * quat(&m.body_iquat, i));
                r * DMat3::from_diagonal(vec3(&m.body_inertia, i)) * r.transpose()
            })
            .collect();
        let mut moment: Vec<DVec3> = (0..m.nbody).map(|i| center[i] * m.body_mass[i]).collect();
        for i in (1..m.nbody).rev() {
            let up = moment[i];
            moment[m.body_parentid[i] as usize] += up;
        }
        let subtree_center = (0..m.nbody)
            .map(|i| if m.body_subtreemass[i] < 1e-15 { center[i] } else { moment[i] / m.body_subtreemass[i] })
            .collect();

        let mut joint_anchor = Vec::with_capacity(m.njnt);
        let mut dof = Vec::with_capacity(m.nv);
        for j in 0..m.njnt {
            let frame = body[m.jnt_bodyid[j] as usize];
            let anchor = frame.apply(vec3(&m.jnt_pos, j));
            let axis = frame.rotation * vec3(&m.jnt_axis, j);
            joint_anchor.push(anchor);
            let turn = |angular| DofMotion { angular, linear: DVec3::ZERO, anchor };
            let slide = |linear| DofMotion { angular: DVec3::ZERO, linear, anchor };
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            match m.jnt_type[j] {
                FREE => {
                    dof.extend(axes.map(slide)); // world axes
                    dof.extend(axes.map(|a| turn(frame.rotation * a))); // body axes
                }
                BALL => dof.extend(axes.map(|a| turn(frame.rotation * a))),
                SLIDE => dof.push(slide(axis)),
                _ => dof.push(turn(axis)),
            }
        }
        ReferencePose { body, center, inertia, subtree_center, joint_anchor, dof }
    }
}
