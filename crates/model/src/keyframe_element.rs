//! Reads keyframes: the main model's by position, an attached model's joint by joint.
//!
//! A keyframe of an attached model sets what that attachment brought, and nothing else. (When parts of one model are
//! attached under several names, MuJoCo 4.0.0 also sets joints of the attachments that follow; we leave it there.)

use std::collections::HashMap;
use std::rc::Rc;

use crate::actuator_element::{self, Actuator};
use crate::attributes::Attributes;
use crate::joint_element::SLIDE;
use crate::kinematic_tree;
use crate::load_error::LoadError;
use crate::model::Model;
use crate::scene::{Kind, Origin, Scene};
use crate::xml_tree::Element;

/// Most numbers that all keyframes of a model hold together.
const MAX_NUMBERS: usize = 50_000_000;

/// Fills the keyframe arrays; `m` has everything else of `qpos`, `qvel` and `ctrl` already.
pub(crate) fn set(m: &mut Model, scene: &mut Scene, actuators: &[Actuator], at_least: usize) -> Result<(), LoadError> {
    let mut keys = Keys::new(m);
    for scope in 0..scene.scopes.len() {
        if !scene.scopes[scope].brings_keyframes {
            continue;
        }
        let source = scene.scopes[scope].source.clone();
        let elements: Vec<&Element> = source.section("keyframe").collect();
        if elements.is_empty() {
            continue;
        }
        let map = if scope == 0 { None } else { Some(AttachedLayout::new(m, scene, actuators, scope)?) };
        for element in elements {
            keys.reserve(&element.place, m)?;
            let full = match element.attribute("name").unwrap_or_default() {
                "" => String::new(),
                name => format!("{}{name}", scene.scopes[scope].prefix),
            };
            scene.claim(Kind::Key, &full, &element.place)?;
            keys.push(m, full, &Attributes::of(element), map.as_ref())?;
        }
    }
    for _ in keys.names.len()..at_least {
        keys.reserve(&scene.bodies[0].attributes.place().clone(), m)?;
        keys.push_default(m);
    }
    m.nkey = keys.names.len();
    m.names.key = keys.names;
    (m.key_time, m.key_qpos, m.key_qvel, m.key_ctrl) = (keys.time, keys.qpos, keys.qvel, keys.ctrl);
    (m.key_mpos, m.key_mquat) = (keys.mpos, keys.mquat);
    Ok(())
}

#[derive(Default)]
struct Keys {
    names: Vec<String>,
    time: Vec<f64>,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    ctrl: Vec<f64>,
    mpos: Vec<f64>,
    mquat: Vec<f64>,
    default_mpos: Vec<f64>,
    default_mquat: Vec<f64>,
}

impl Keys {
    fn new(m: &Model) -> Keys {
        let mut keys = Keys::default();
        for b in (0..m.nbody).filter(|b| m.body_mocapid[*b] >= 0) {
            keys.default_mpos.extend_from_slice(&m.body_pos[3 * b..3 * b + 3]);
            keys.default_mquat.extend_from_slice(&m.body_quat[4 * b..4 * b + 4]);
        }
        keys
    }

    fn reserve(&self, place: &crate::xml_tree::Place, m: &Model) -> Result<(), LoadError> {
        let numbers = (self.names.len() + 1).saturating_mul(m.nq + m.nv + m.nu + 7 * m.nmocap + 1);
        if numbers > MAX_NUMBERS {
            return Err(place.error(format!("the keyframes hold more than {MAX_NUMBERS} numbers; keep fewer")));
        }
        Ok(())
    }

    fn push_default(&mut self, m: &Model) {
        self.names.push(String::new());
        self.time.push(0.0);
        self.qpos.extend_from_slice(&m.qpos0);
        self.qvel.extend(std::iter::repeat_n(0.0, m.nv));
        self.ctrl.extend(std::iter::repeat_n(0.0, m.nu));
        self.mpos.extend_from_slice(&self.default_mpos);
        self.mquat.extend_from_slice(&self.default_mquat);
    }

    fn push(&mut self, m: &Model, name: String, a: &Attributes, map: Option<&AttachedLayout>) -> Result<(), LoadError> {
        let starts = [self.qpos.len(), self.qvel.len(), self.ctrl.len(), self.mpos.len(), self.mquat.len()];
        self.push_default(m);
        *self.names.last_mut().expect("just pushed") = name;
        *self.time.last_mut().expect("just pushed") = a.real_or("time", 0.0)?;
        for other in ["act", "plastic"] {
            if a.all_reals(other)?.is_some_and(|v| !v.is_empty()) {
                return Err(a.error_at(other, format!("{other} has numbers, but the model has no such state")));
            }
        }
        if map.is_some() && (a.has("mpos") || a.has("mquat")) {
            return Err(a.error_at("mpos", "mocap poses in an attached model's keyframe are not supported"));
        }
        for (i, (attribute, field)) in [
            ("qpos", &mut self.qpos),
            ("qvel", &mut self.qvel),
            ("ctrl", &mut self.ctrl),
            ("mpos", &mut self.mpos),
            ("mquat", &mut self.mquat),
        ]
        .into_iter()
        .enumerate()
        {
            let Some(values) = a.all_reals(attribute)? else { continue };
            let field = &mut field[starts[i]..];
            let slots = map.and_then(|map| map.slots(attribute));
            let expected = slots.map_or(field.len(), <[_]>::len);
            if values.len() > expected {
                let message = format!("{attribute} has {} numbers, the model takes {expected}", values.len());
                return Err(a.error_at(attribute, message));
            }
            for (k, value) in values.into_iter().enumerate() {
                if let Some(slot) = slots.map_or(Some(k), |s| s[k]) {
                    field[slot] = value;
                }
            }
        }
        let qpos = &mut self.qpos[starts[0]..];
        for j in (0..m.njnt).filter(|j| m.jnt_type[*j] < SLIDE) {
            let start = m.jnt_qposadr[j] as usize + if m.jnt_type[j] == 0 { 3 } else { 0 };
            normalize(&mut qpos[start..start + 4], a, "qpos")?;
        }
        self.mquat[starts[4]..].chunks_mut(4).try_for_each(|q| normalize(q, a, "mquat"))
    }
}

fn normalize(q: &mut [f64], a: &Attributes, attribute: &str) -> Result<(), LoadError> {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(length > 1e-15 && length.is_finite()) {
        return Err(a.error_at(attribute, format!("{attribute} has a zero quaternion; it must be a rotation")));
    }
    if (length - 1.0).abs() > 1e-15 {
        q.iter_mut().for_each(|x| *x /= length);
    }
    Ok(())
}

/// Where the numbers of an attached model's keyframe go; `None` for what was not attached.
struct AttachedLayout {
    qpos: Vec<Option<usize>>,
    qvel: Vec<Option<usize>>,
    ctrl: Vec<Option<usize>>,
}

impl AttachedLayout {
    fn new(m: &Model, scene: &Scene, actuators: &[Actuator], scope: usize) -> Result<AttachedLayout, LoadError> {
        // The attached model by itself says in which order its joints and controls stand.
        let mut alone = kinematic_tree::read(Rc::clone(&scene.scopes[scope].source))?;
        let alone_actuators = actuator_element::read_all(&mut alone)?;
        let key = |o: &Origin| (o.file.clone(), o.offset, o.replica.clone());
        let here: HashMap<_, usize> = scene
            .bodies
            .iter()
            .flat_map(|b| &b.joints)
            .enumerate()
            .filter(|(_, j)| j.origin.scope == scope)
            .map(|(id, j)| (key(&j.origin), id))
            .collect();
        let mut layout = AttachedLayout { qpos: Vec::new(), qvel: Vec::new(), ctrl: Vec::new() };
        for joint in alone.bodies.iter().flat_map(|b| &b.joints) {
            let id = here.get(&key(&joint.origin)).filter(|_| joint.origin.scope == 0);
            let traits = joint.traits();
            layout.qpos.extend((0..traits.coordinates).map(|k| id.map(|id| m.jnt_qposadr[*id] as usize + k)));
            layout.qvel.extend((0..traits.dofs).map(|k| id.map(|id| m.jnt_dofadr[*id] as usize + k)));
        }
        let controls: HashMap<_, usize> = actuators
            .iter()
            .enumerate()
            .filter(|(_, a)| a.origin.scope == scope)
            .map(|(id, a)| (key(&a.origin), id))
            .collect();
        layout.ctrl.extend(alone_actuators.iter().map(|a| controls.get(&key(&a.origin)).copied()));
        Ok(layout)
    }

    fn slots(&self, attribute: &str) -> Option<&[Option<usize>]> {
        match attribute {
            "qpos" => Some(&self.qpos),
            "qvel" => Some(&self.qvel),
            "ctrl" => Some(&self.ctrl),
            _ => None,
        }
    }
}
