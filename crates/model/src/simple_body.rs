//! Which bodies have a diagonal block in the mass matrix (MuJoCo's "simple" bodies).
//!
//! The arrays only allow shortcuts; a body that could be simple and is not gives the same motion.

use glam::DVec3;

use crate::joint_element::{FREE, SLIDE};
use crate::model::Model;
use crate::scene::{Body, Scene};

pub(crate) fn set(m: &mut Model, scene: &Scene) {
    let mut has_child = vec![false; m.nbody];
    for body in scene.bodies.iter().skip(1) {
        has_child[body.parent] = true;
    }
    for (id, body) in scene.bodies.iter().enumerate() {
        let rooted = id == 0 || m.body_treeid[body.parent] < 0;
        let leaf = id == 0 || !has_child[id];
        let simple = body.may_be_simple && m.body_sameframe[id] == 1 && rooted && leaf && has_simple_joints(body);
        let sliders = !body.joints.is_empty() && body.joints.iter().all(|j| j.joint_type == SLIDE);
        m.body_simple.push(match (simple, sliders) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        });
    }
    m.dof_simplenum = vec![0; m.nv];
    for dof in (0..m.nv).rev() {
        if m.body_simple[m.dof_bodyid[dof] as usize] > 0 {
            m.dof_simplenum[dof] = 1 + m.dof_simplenum.get(dof + 1).copied().unwrap_or(0);
        }
    }
}

/// Joints at the origin, along the axes, with at most one rotation.
fn has_simple_joints(body: &Body) -> bool {
    let near_zero = |v: DVec3| v.abs().max_element() < 1e-15;
    let along_axis = |v: DVec3| v.to_array().iter().filter(|x| x.abs() > 1e-15).count() == 1;
    body.joints.iter().filter(|j| j.traits().rotates).count() <= 1
        && body
            .joints
            .iter()
            .all(|j| j.joint_type == FREE || (near_zero(j.pos) && (!j.traits().scalar || along_axis(j.axis))))
}
