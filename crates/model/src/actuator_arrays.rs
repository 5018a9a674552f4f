//! Fills the arrays of actuators.

use crate::actuator_element::Actuator;
use crate::inverse_weight;
use crate::joint_element::SLIDE;
use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use crate::scene::Scene;

pub(crate) fn set(m: &mut Model, scene: &Scene, actuators: &[Actuator]) {
    let mut first_joint = vec![0];
    for body in &scene.bodies {
        first_joint.push(first_joint[first_joint.len() - 1] + body.joints.len());
    }
    (m.nactuator, m.nu, m.nout) = (actuators.len(), actuators.len(), actuators.len());
    for (id, a) in actuators.iter().enumerate() {
        let joint = first_joint[a.joint.body] + a.joint.local;
        m.names.actuator.push(a.name.clone());
        m.actuator_trntype.push(a.in_parent.into());
        m.actuator_dyntype.push(0);
        m.actuator_gaintype.push(a.gaintype);
        m.actuator_biastype.push(a.biastype);
        m.actuator_ctrladr.push(id as i32);
        m.actuator_ctrlnum.push(1);
        m.actuator_ctrlspec.push(a.ctrlspec);
        m.actuator_outadr.push(id as i32);
        m.actuator_outnum.push(1);
        m.actuator_trnid.extend([joint as i32, -1]);
        m.actuator_group.push(a.group);
        m.actuator_dynprm.extend(a.dynprm);
        m.actuator_gainprm.extend(a.gainprm);
        m.actuator_biasprm.extend(a.biasprm);
        m.actuator_damping.push(0.0);
        m.actuator_armature.push(0.0);
        m.actuator_forcelimited.push(a.force.0.into());
        m.actuator_forcerange.extend(a.force.1);
        m.actuator_ctrllimited.push(a.ctrl.0.into());
        m.actuator_ctrlrange.extend(a.ctrl.1);
        m.actuator_gear.extend(a.gear);
        // A ball is at its reference, and a free joint has no length.
        let coordinate = if m.jnt_type[joint] >= SLIDE { m.qpos0[m.jnt_qposadr[joint] as usize] } else { 0.0 };
        m.actuator_length0.push(a.gear[0] * coordinate);
        m.actuator_lengthrange.extend(a.lengthrange);
    }
}

/// Velocity gains of position actuators that ask for a damping ratio: 2 ratio sqrt(kp m), m being the reflected mass.
pub(crate) fn set_damping_ratios(m: &mut Model, actuators: &[Actuator], inertia: &MassMatrix) {
    for (id, a) in actuators.iter().enumerate().filter(|(_, a)| a.damping_ratio > 0.0) {
        let (dof, mut moment) = inverse_weight::moment(m, inertia, id);
        let mass = 1.0 / inertia.inverse_weight(dof, &mut moment).max(1e-15);
        m.actuator_biasprm[10 * id + 2] = -2.0 * a.damping_ratio * (a.gainprm[0].max(0.0) * mass).sqrt();
    }
}
