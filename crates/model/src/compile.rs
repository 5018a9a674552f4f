//! From the scene to the arrays: numbers everything, then computes what depends on the reference pose.

use std::collections::HashSet;
use std::rc::Rc;

use glam::{DMat3, DQuat, DVec3};

use crate::actuator_element::{self, Actuator};
use crate::body_inertia::{is_inferred, mass_properties};
use crate::contact_element::{self, Exclude, Pair};
use crate::joint_element::FREE;
use crate::load_error::LoadError;
use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use crate::reference_pose::ReferencePose;
use crate::scene::{Body, Geom, Joint, Kind, MassProperties, Scene, wxyz};
use crate::solid_inertia::{Shape, traits_of};
use crate::source::{InertiaFromGeom, Pose, Source};
use crate::{inverse_weight, keyframe_element, kinematic_tree, option_element, set_aside, simple_body, statistic};

/// Most degrees of freedom of one kinematic tree: its mass matrix is dense here.
const MAX_TREE_DOFS: i32 = 1000;
/// Most bodies that a contact signature can tell apart.
const MAX_SIGNED_BODIES: usize = 1 << 15;

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

    let mut mass = mass_properties(&scene)?;
    align_free_bodies(&mut scene, &mut mass);
    let geom_index = number_geoms(&scene, &pairs)?;

    set_bodies(&mut m, &scene, &mass);
    for b in 0..scene.bodies.len() {
        scene.bodies[b].joints.iter().for_each(|j| push_joint(&mut m, &scene.bodies[b], b, j));
    }
    set_trees(&mut m, &scene)?;
    set_geoms(&mut m, &scene, &geom_index)?;
    set_viewer_elements(&mut m, &scene)?;
    set_contacts(&mut m, &scene, &geom_index, &pairs, &excludes)?;
    set_actuators(&mut m, &scene, &actuators);
    simple_body::set(&mut m, &scene);

    let pose = ReferencePose::of(&m);
    let inertia = MassMatrix::new(&m, &pose, &m.dof_armature).map_err(|dof| {
        let joint = scene.bodies.iter().flat_map(|b| &b.joints).nth(m.dof_jntid[dof] as usize);
        let place = joint.map_or(&scene.bodies[0].attributes, |j| &j.attributes);
        place.error("the mass matrix is not positive at its degree of freedom; give the body more inertia or armature")
    })?;
    inverse_weight::set(&mut m, &pose, &inertia);
    set_spring_dampers(&mut m, &scene);
    set_damping_ratios(&mut m, &actuators, &inertia);
    set_tracking_poses(&mut m, &pose);
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

/// The index of every geom, body by body; `None` for visual ones that `discardvisual` drops.
fn number_geoms(scene: &Scene, pairs: &[Pair]) -> Result<Vec<Vec<Option<usize>>>, LoadError> {
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

/// MuJoCo's `mjtSameFrame`: 1 the body's frame, 2 its inertial frame, 3 and 4 only their axes, 0 neither.
fn same_frame(pose: Pose, inertial: Option<Pose>) -> i32 {
    let near = |a: DVec3, b: DVec3| (a - b).abs().max_element() < 1e-6;
    let turned = |a: DQuat, b: DQuat| (a - b).length().min((a + b).length()) < 1e-6;
    let same = |p: Pose| (near(pose.position, p.position), turned(pose.rotation, p.rotation));
    let body = same(Pose::IDENTITY);
    let inertia = inertial.map_or((false, false), same);
    match (body, inertia) {
        ((true, true), _) => 1,
        ((_, true), _) => 3,
        (_, (true, true)) => 2,
        (_, (_, true)) => 4,
        _ => 0,
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

fn set_geoms(m: &mut Model, scene: &Scene, index: &[Vec<Option<usize>>]) -> Result<(), LoadError> {
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
    let inertial =
        Pose { position: crate::reference_pose::vec3(&m.body_ipos, body), rotation: crate::reference_pose::quat(&m.body_iquat, body) };
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

fn set_viewer_elements(m: &mut Model, scene: &Scene) -> Result<(), LoadError> {
    let target = |scope: usize, a: &crate::attributes::Attributes, name: &Option<String>| match name {
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
            let inertial =
                Pose { position: crate::reference_pose::vec3(&m.body_ipos, id), rotation: crate::reference_pose::quat(&m.body_iquat, id) };
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

fn set_contacts(
    m: &mut Model,
    scene: &Scene,
    geom_index: &[Vec<Option<usize>>],
    pairs: &[Pair],
    excludes: &[Exclude],
) -> Result<(), LoadError> {
    if m.nbody > MAX_SIGNED_BODIES && !(pairs.is_empty() && excludes.is_empty()) {
        let message = format!("more than {MAX_SIGNED_BODIES} bodies are possible only without contact pairs and exclusions");
        return Err(scene.bodies[0].attributes.error(message));
    }
    for p in pairs {
        let [first, second] = [0, 1].map(|i| geom_index[p.geoms[i].body][p.geoms[i].local].unwrap_or_default() as i32);
        m.npair += 1;
        m.names.pair.push(p.name.clone());
        m.pair_dim.push(p.condim);
        m.pair_geom1.push(first);
        m.pair_geom2.push(second);
        m.pair_signature.push(signature([p.geoms[0].body, p.geoms[1].body]));
        m.pair_solref.extend(p.solref);
        m.pair_solreffriction.extend(p.solref_friction);
        m.pair_solimp.extend(p.solimp);
        m.pair_margin.push(p.margin);
        m.pair_gap.push(p.gap);
        m.pair_friction.extend(p.friction);
    }
    for e in excludes {
        m.nexclude += 1;
        m.names.exclude.push(e.name.clone());
        m.exclude_signature.push(signature(e.bodies));
    }
    Ok(())
}

fn signature([first, second]: [usize; 2]) -> i32 {
    ((first as i32) << 16) | second as i32
}

fn set_actuators(m: &mut Model, scene: &Scene, actuators: &[Actuator]) {
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
        m.actuator_length0.push(a.gear[0] * m.qpos0[m.jnt_qposadr[joint] as usize]);
        m.actuator_lengthrange.extend(a.lengthrange);
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

/// Velocity gains of position actuators that ask for a damping ratio: 2 ratio sqrt(kp m), m being the reflected mass.
fn set_damping_ratios(m: &mut Model, actuators: &[Actuator], inertia: &MassMatrix) {
    for (id, a) in actuators.iter().enumerate().filter(|(_, a)| a.damping_ratio > 0.0) {
        let dof = m.jnt_dofadr[m.actuator_trnid[2 * id] as usize] as usize;
        let (first, count) = inertia.block(dof);
        let mut moment = vec![0.0; count];
        moment[dof - first] = a.gear[0];
        let mass = 1.0 / inertia.inverse_weight(dof, &mut moment).max(1e-15);
        m.actuator_biasprm[10 * id + 2] = -2.0 * a.damping_ratio * (a.gainprm[0].max(0.0) * mass).sqrt();
    }
}

/// Where cameras and lights are at `qpos0`, relative to what they may track.
fn set_tracking_poses(m: &mut Model, pose: &ReferencePose) {
    for c in 0..m.ncam {
        let body = m.cam_bodyid[c] as usize;
        let at = pose.body[body].apply(crate::reference_pose::vec3(&m.cam_pos, c));
        m.cam_poscom0.extend((at - pose.subtree_center[body]).to_array());
        m.cam_pos0.extend((at - pose.body[body].position).to_array());
        let r = DMat3::from_quat(pose.body[body].rotation * crate::reference_pose::quat(&m.cam_quat, c));
        m.cam_mat0.extend(r.transpose().to_cols_array());
    }
    for l in 0..m.nlight {
        let body = m.light_bodyid[l] as usize;
        let at = pose.body[body].apply(crate::reference_pose::vec3(&m.light_pos, l));
        m.light_poscom0.extend((at - pose.subtree_center[body]).to_array());
        m.light_pos0.extend((at - pose.body[body].position).to_array());
        m.light_dir0.extend((pose.body[body].rotation * crate::reference_pose::vec3(&m.light_dir, l)).to_array());
    }
}
