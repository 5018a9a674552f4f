//! How easily bodies, joints and actuators move at `qpos0`: `invweight0`, `M0`, `acc0`.
//!
//! MuJoCo scales constraint impedance with these; a wrong value changes every contact.

use crate::joint_element::JOINTS;
use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use crate::reference_pose::ReferencePose;

/// A simple body with sliders only: MuJoCo takes its mass, without armature.
const SLIDERS_ONLY: i32 = 2;

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

/// |M^-1 gear| for an actuator on a scalar joint.
fn acceleration_of_unit_force(m: &Model, mass: &MassMatrix, actuator: usize) -> f64 {
    let dof = m.jnt_dofadr[m.actuator_trnid[2 * actuator] as usize] as usize;
    let (first, count) = mass.block(dof);
    let mut x = vec![0.0; count];
    x[dof - first] = m.actuator_gear[6 * actuator];
    mass.solve(dof, &mut x);
    x.iter().map(|y| y * y).sum::<f64>().sqrt()
}
