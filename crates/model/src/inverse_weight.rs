//! How easily bodies, joints and actuators move at `qpos0`: `invweight0`, `M0`, `acc0`.
//!
//! MuJoCo scales constraint impedance with these; a wrong value changes every contact.

use glam::DVec3;

use crate::joint_element::{FREE, JOINTS};
use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use crate::reference_pose::{ReferencePose, quat};

/// A simple body with sliders only: MuJoCo takes its mass, without armature.
const SLIDERS_ONLY: i32 = 2;
/// MuJoCo's `mjTRN_JOINTINPARENT`.
const IN_PARENT: i32 = 1;

pub(crate) fn set(m: &mut Model, pose: &ReferencePose, mass: &MassMatrix) {
    m.dof_M0 = mass.diagonal.clone();
    m.stat.meaninertia = if m.nv == 0 { 1.0 } else { mass.diagonal.iter().sum::<f64>() / m.nv as f64 };
    m.dof_invweight0 = dof_invweight(m, mass);
    m.body_invweight0 = (0..m.nbody).flat_map(|b| body_invweight(m, pose, mass, b)).collect();
    m.actuator_acc0 = (0..m.nactuator).map(|a| acceleration_of_unit_force(m, mass, a)).collect();
}

/// Diagonal of M^-1, averaged over the three directions of a ball or of a free joint's halves.
fn dof_invweight(m: &Model, mass: &MassMatrix) -> Vec<f64> {
    let mut weights: Vec<f64> = (0..m.nv)
        .map(|dof| {
            if m.body_simple[m.dof_bodyid[dof] as usize] == SLIDERS_ONLY {
                return 1.0 / m.body_mass[m.dof_bodyid[dof] as usize];
            }
            let (first, count) = mass.block(dof);
            let mut x = vec![0.0; count];
            x[dof - first] = 1.0;
            mass.inverse_weight(dof, &mut x)
        })
        .collect();
    for j in 0..m.njnt {
        if !JOINTS[m.jnt_type[j] as usize].scalar {
            let (first, count) = (m.jnt_dofadr[j] as usize, JOINTS[m.jnt_type[j] as usize].dofs);
            for three in weights[first..first + count].chunks_mut(3) {
                let mean = three.iter().sum::<f64>() / 3.0;
                three.fill(mean);
            }
        }
    }
    weights
}

/// Mean of the diagonal of J M^-1 J' at the centre of mass: translation, rotation.
fn body_invweight(m: &Model, pose: &ReferencePose, mass: &MassMatrix, body: usize) -> [f64; 2] {
    let moving = m.body_weldid[body] as usize;
    let Some(last) = last_dof(m, moving) else { return [0.0; 2] };
    if m.body_simple[body] == SLIDERS_ONLY {
        return [1.0 / m.body_mass[body], 0.0];
    }
    let (first, count) = mass.block(last);
    let mut weight = [0.0; 2];
    let mut row = vec![0.0; count];
    for axis in 0..6 {
        row.fill(0.0);
        let mut dof = Some(last);
        while let Some(d) = dof {
            let motion = &pose.dof[d];
            let velocity = if axis < 3 { motion.velocity_at(pose.center[body]) } else { motion.angular };
            row[d - first] = velocity[axis % 3];
            dof = usize::try_from(m.dof_parentid[d]).ok();
        }
        weight[axis / 3] += mass.inverse_weight(last, &mut row) / 3.0;
    }
    weight
}

/// The last dof that moves `body`, which is the top of a weld.
fn last_dof(m: &Model, body: usize) -> Option<usize> {
    let address = usize::try_from(m.body_dofadr[body]).ok()?;
    Some(address + m.body_dofnum[body] as usize - 1)
}

/// |M^-1 J'| for an actuator with the moment J.
fn acceleration_of_unit_force(m: &Model, mass: &MassMatrix, actuator: usize) -> f64 {
    let (dof, mut x) = moment(m, mass, actuator);
    mass.solve(dof, &mut x);
    x.iter().map(|y| y * y).sum::<f64>().sqrt()
}

/// The first dof of an actuator's joint, and the actuator's moment at `qpos0` over the block of that dof.
pub(crate) fn moment(m: &Model, mass: &MassMatrix, actuator: usize) -> (usize, Vec<f64>) {
    let joint = m.actuator_trnid[2 * actuator] as usize;
    let dof = m.jnt_dofadr[joint] as usize;
    let (first, count) = mass.block(dof);
    let mut gear = [0.0; 6];
    gear.copy_from_slice(&m.actuator_gear[6 * actuator..6 * actuator + 6]);
    if m.jnt_type[joint] == FREE && m.actuator_trntype[actuator] == IN_PARENT {
        // The gear turns about the world's axes, the dofs about the body's. (A ball is at its reference: they agree.)
        let body = quat(&m.body_quat, m.jnt_bodyid[joint] as usize);
        let turned = body.conjugate() * DVec3::new(gear[3], gear[4], gear[5]);
        gear[3..].copy_from_slice(&turned.to_array());
    }
    let mut x = vec![0.0; count];
    let dofs = JOINTS[m.jnt_type[joint] as usize].dofs;
    x[dof - first..][..dofs].copy_from_slice(&gear[..dofs]);
    (dof, x)
}
