//! From the scene to the arrays: numbers everything, then computes what depends on the reference pose.

use std::collections::HashSet;
use std::rc::Rc;

use crate::joint_element::FREE;
use crate::load_error::LoadError;
use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use crate::pose::Pose;
use crate::reference_pose::ReferencePose;
use crate::scene::{MassProperties, Scene};
use crate::source::Source;
use crate::{
    actuator_arrays, actuator_element, contact_arrays, contact_element, geom_arrays, tree_arrays, viewer_arrays,
};
use crate::{
    body_inertia, inverse_weight, keyframe_element, kinematic_tree, option_element, set_aside, simple_body, statistic,
};

pub(crate) fn compile(source: Source) -> Result<Model, LoadError> {
    let source = Rc::new(source);
    let mut m = Model {
        name: source.root.attribute("model").unwrap_or("MuJoCo Model").to_string(),
        opt: option_element::read_options(&source)?,
        ..Model::default()
    };
    let key_count = option_element::read_key_count(&source)?;
    let mut scene = kinematic_tree::read(source.clone())?;
    let actuators = actuator_element::read_all(&mut scene)?;
    let (pairs, excludes) = contact_element::read_all(&mut scene)?;
    set_aside::check(&scene)?;

    let mut mass = body_inertia::mass_properties(&scene)?;
    align_free_bodies(&mut scene, &mut mass);
    let geom_index = geom_arrays::number(&scene, &pairs)?;

    tree_arrays::set(&mut m, &scene, &mass)?;
    geom_arrays::set(&mut m, &scene, &geom_index)?;
    viewer_arrays::set(&mut m, &scene)?;
    contact_arrays::set(&mut m, &scene, &geom_index, &pairs, &excludes)?;
    actuator_arrays::set(&mut m, &scene, &actuators);
    simple_body::set(&mut m, &scene);

    let pose = ReferencePose::of(&m);
    let inertia = MassMatrix::new(&m, &pose, &m.dof_armature).map_err(|dof| {
        let joint = scene.bodies.iter().flat_map(|b| &b.joints).nth(m.dof_jntid[dof] as usize);
        let place = joint.map_or(&scene.bodies[0].attributes, |j| &j.attributes);
        place.error("the mass matrix is not positive here; give the body inertia or armature, and no two joints the same motion")
    })?;
    inverse_weight::set(&mut m, &pose, &inertia);
    set_spring_dampers(&mut m, &scene);
    actuator_arrays::set_damping_ratios(&mut m, &actuators, &inertia);
    viewer_arrays::set_tracking_poses(&mut m, &pose);
    statistic::set(&mut m, &pose, &source)?;
    keyframe_element::set(&mut m, &mut scene, &actuators, key_count)?;
    Ok(m)
}

/// Moves the frame of a free body without children into its inertial frame, where that is asked for.
fn align_free_bodies(scene: &mut Scene, mass: &mut [MassProperties]) {
    let parents: HashSet<usize> = scene.bodies.iter().skip(1).map(|b| b.parent).collect();
    for (id, body) in scene.bodies.iter_mut().enumerate().skip(1) {
        let [joint] = body.joints.as_slice() else { continue };
        let wanted = joint.align.unwrap_or(body.source.compiler.align_free);
        if joint.joint_type != FREE || parents.contains(&id) || !wanted {
            continue;
        }
        let inertial = std::mem::replace(&mut mass[id].pose, Pose::IDENTITY);
        let back = inertial.inverse();
        body.pose = body.pose.then(&inertial);
        body.geoms.iter_mut().for_each(|g| g.pose = back.then(&g.pose));
        body.sites.iter_mut().for_each(|s| s.pose = back.then(&s.pose));
        body.cameras.iter_mut().for_each(|c| c.pose = back.then(&c.pose));
        for light in &mut body.lights {
            light.pos = back.apply(light.pos);
            light.dir = back.rotation * light.dir;
        }
    }
}

/// Stiffness and damping of joints that ask for a time constant and a damping ratio.
fn set_spring_dampers(m: &mut Model, scene: &Scene) {
    for (id, joint) in scene.bodies.iter().flat_map(|b| &b.joints).enumerate() {
        let [time, ratio] = joint.spring_damper;
        if time <= 0.0 || ratio <= 0.0 {
            continue;
        }
        let (first, count) = (m.jnt_dofadr[id] as usize, joint.traits().dofs);
        let weight: f64 = m.dof_invweight0[first..first + count].iter().sum();
        let inertia = count as f64 / weight.max(1e-15);
        m.jnt_stiffness[id] = inertia / (time * time * ratio * ratio).max(1e-15);
        m.dof_damping[first..first + count].fill(2.0 * inertia / time.max(1e-15));
    }
}
