//! Fills the arrays of bodies, joints, degrees of freedom and kinematic trees.

use crate::joint_element::FREE;
use crate::load_error::LoadError;
use crate::model::Model;
use crate::pose::same_frame;
use crate::scene::{Body, Joint, MassProperties, Scene, wxyz};

/// Most degrees of freedom of one kinematic tree: its mass matrix is dense here.
const MAX_TREE_DOFS: i32 = 1000;

/// Bodies, then joints with their dofs, then what needs both.
pub(crate) fn set(m: &mut Model, scene: &Scene, mass: &[MassProperties]) -> Result<(), LoadError> {
    set_bodies(m, scene, mass);
    for (id, body) in scene.bodies.iter().enumerate() {
        body.joints.iter().for_each(|joint| push_joint(m, body, id, joint));
    }
    set_trees(m, scene)
}

fn set_bodies(m: &mut Model, scene: &Scene, mass: &[MassProperties]) {
    m.nbody = scene.bodies.len();
    for (id, (body, p)) in scene.bodies.iter().zip(mass).enumerate() {
        let parent = body.parent;
        m.names.body.push(body.name.clone());
        m.body_parentid.push(parent as i32);
        m.body_rootid.push(if parent == 0 { id as i32 } else { m.body_rootid[parent] });
        let own_root = id == 0 || body.mocap || !body.joints.is_empty();
        m.body_weldid.push(if own_root { id as i32 } else { m.body_weldid[parent] });
        m.body_mocapid.push(if body.mocap { m.nmocap as i32 } else { -1 });
        m.nmocap += usize::from(body.mocap);
        m.body_pos.extend(body.pose.position.to_array());
        m.body_quat.extend(wxyz(body.pose.rotation));
        m.body_ipos.extend(p.pose.position.to_array());
        m.body_iquat.extend(wxyz(p.pose.rotation));
        m.body_mass.push(p.mass);
        m.body_inertia.extend(p.inertia.to_array());
        m.body_gravcomp.push(body.gravcomp);
        m.body_sameframe.push(same_frame(p.pose, None));
    }
    m.body_subtreemass = m.body_mass.clone();
    for id in (1..m.nbody).rev() {
        m.body_subtreemass[scene.bodies[id].parent] += m.body_subtreemass[id];
    }
}

fn push_joint(m: &mut Model, body: &Body, body_id: usize, j: &Joint) {
    let id = m.njnt as i32;
    let traits = j.traits();
    let last_in_body = m.jnt_bodyid.last() == Some(&(body_id as i32));
    let mut parent_dof = if last_in_body { m.nv as i32 - 1 } else { nearest_dof(m, body.parent) };
    m.names.jnt.push(j.name.clone());
    m.jnt_type.push(j.joint_type);
    m.jnt_qposadr.push(m.nq as i32);
    m.jnt_dofadr.push(m.nv as i32);
    m.jnt_bodyid.push(body_id as i32);
    m.jnt_group.push(j.group);
    m.jnt_limited.push(j.limited.into());
    m.jnt_actfrclimited.push(j.actuator_force_limited.into());
    m.jnt_actgravcomp.push(j.actuator_gravcomp.into());
    m.jnt_solref.extend(j.solref_limit);
    m.jnt_solimp.extend(j.solimp_limit);
    m.jnt_pos.extend(j.pos.to_array());
    m.jnt_axis.extend(j.axis.to_array());
    m.jnt_stiffness.push(j.stiffness[0]);
    m.jnt_stiffnesspoly.extend(&j.stiffness[1..]);
    m.jnt_springyield.push(0.0);
    m.jnt_range.extend(j.range);
    m.jnt_actfrcrange.extend(j.actuator_force_range);
    m.jnt_margin.push(j.margin);
    let (reference, spring) = reference_coordinates(body, j);
    m.qpos0.extend(reference);
    m.qpos_spring.extend(spring);
    for _ in 0..traits.dofs {
        m.dof_bodyid.push(body_id as i32);
        m.dof_jntid.push(id);
        m.dof_parentid.push(parent_dof);
        parent_dof = m.nv as i32;
        m.dof_solref.extend(j.solref_friction);
        m.dof_solimp.extend(j.solimp_friction);
        m.dof_frictionloss.push(j.frictionloss);
        m.dof_armature.push(j.armature);
        m.dof_damping.push(j.damping[0]);
        m.dof_dampingpoly.extend(&j.damping[1..]);
        m.nv += 1;
    }
    m.nq += traits.coordinates;
    m.njnt += 1;
}

/// The coordinates of a joint at rest, and where its spring rests.
fn reference_coordinates(body: &Body, j: &Joint) -> (Vec<f64>, Vec<f64>) {
    match (j.joint_type, j.traits().scalar) {
        (_, true) => (vec![j.reference], vec![j.spring_reference]),
        (FREE, _) => {
            let pose = [&body.pose.position.to_array()[..], &wxyz(body.pose.rotation)].concat();
            (pose.clone(), pose)
        }
        _ => (vec![1.0, 0.0, 0.0, 0.0], vec![1.0, 0.0, 0.0, 0.0]),
    }
}

/// The last dof of `body` or of its nearest ancestor that has one, or -1. Joints are pushed body by body.
fn nearest_dof(m: &Model, body: usize) -> i32 {
    let mut b = body;
    while b != 0 {
        if let Ok(last) = m.jnt_bodyid.binary_search(&(b as i32)) {
            // Any joint of the body will do to reach its last one.
            let end = m.jnt_bodyid[last..].partition_point(|id| *id == b as i32) + last;
            return m.jnt_dofadr.get(end).map_or(m.nv as i32, |next| *next) - 1;
        }
        b = m.body_parentid[b] as usize;
    }
    -1
}

/// Addresses of joints and dofs, and the kinematic trees.
fn set_trees(m: &mut Model, scene: &Scene) -> Result<(), LoadError> {
    let (mut joint, mut dof) = (0, 0);
    for (id, body) in scene.bodies.iter().enumerate() {
        let dofs: i32 = body.joints.iter().map(|j| j.traits().dofs as i32).sum();
        let joints = body.joints.len() as i32;
        m.body_jntnum.push(joints);
        m.body_jntadr.push(if joints > 0 { joint } else { -1 });
        m.body_dofnum.push(dofs);
        m.body_dofadr.push(if dofs > 0 { dof } else { -1 });
        (joint, dof) = (joint + joints, dof + dofs);
        let above = if id == 0 { -1 } else { m.body_treeid[body.parent] };
        let starts_tree = above < 0 && dofs > 0;
        m.body_treeid.push(if starts_tree { m.ntree as i32 } else { above });
        m.ntree += usize::from(starts_tree);
    }
    let mut count = vec![0; m.ntree];
    for dof in 0..m.nv {
        let body = m.dof_bodyid[dof] as usize;
        let tree = m.body_treeid[body];
        m.dof_treeid.push(tree);
        count[tree as usize] += 1;
        if count[tree as usize] > MAX_TREE_DOFS {
            let message = format!("its kinematic tree has more than {MAX_TREE_DOFS} degrees of freedom");
            return Err(scene.bodies[body].attributes.error(message));
        }
    }
    Ok(())
}
