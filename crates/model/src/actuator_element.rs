//! Reads actuators: what they act on, with which gain and bias.

use std::collections::HashMap;

use crate::actuator_shortcuts;
use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::scene::{Joint, Kind, Named, Origin, Scene, Scope};
use crate::xml_tree::Element;

/// Transmissions and features that are refused, with the reason.
const REFUSED: &[(&str, &[&str], &str)] = &[
    ("tendon", &[], "actuators act on joints"),
    ("site", &[], "actuators act on joints"),
    ("refsite", &[], "actuators act on joints"),
    ("body", &[], "actuators act on joints"),
    ("slidersite", &[], "actuators act on joints"),
    ("cranksite", &[], "actuators act on joints"),
    ("dyntype", &["none"], "activation dynamics are not supported"),
    ("actdim", &["-1", "0"], "activation dynamics are not supported"),
    ("actlimited", &["false", "auto"], "activation dynamics are not supported"),
    ("actrange", &["0"], "activation dynamics are not supported"),
    ("delay", &["0"], "delays are not supported"),
    ("nsample", &["0"], "control histories are not supported"),
    ("damping", &["0"], "put the damping on the joint"),
    ("armature", &["0"], "put the armature on the joint, multiplied by the square of the gear"),
    ("velrange", &["0"], "only pid actuators have one"),
    ("ffrange", &["0"], "only pid actuators have one"),
];

/// One actuator; `joint` is where its joint hangs.
#[derive(Clone, Debug)]
pub(crate) struct Actuator {
    pub name: String,
    pub attributes: Attributes,
    pub origin: Origin,
    pub joint: Named,
    pub in_parent: bool,
    pub group: i32,
    pub gaintype: i32,
    pub biastype: i32,
    pub ctrlspec: i32,
    pub dynprm: [f64; 10],
    pub gainprm: [f64; 10],
    pub biasprm: [f64; 10],
    pub gear: [f64; 6],
    pub ctrl: (bool, [f64; 2]),
    pub force: (bool, [f64; 2]),
    pub lengthrange: [f64; 2],
    pub damping_ratio: f64,
}

/// All actuators in MuJoCo's order: by model, replicas after the rest, replica by replica.
pub(crate) fn read_all(scene: &mut Scene) -> Result<Vec<Actuator>, LoadError> {
    let mut all = Vec::new();
    for scope in 0..scene.scopes.len() {
        let source = scene.scopes[scope].source.clone();
        let mut groups: Vec<Vec<Actuator>> = vec![Vec::new()];
        let mut group_of = HashMap::from([(String::new(), 0)]);
        for element in source.section("actuator") {
            for actuator in read(element, scene, scope)? {
                scene.count_object(&element.place)?;
                let group = *group_of.entry(actuator.origin.replica.clone()).or_insert(groups.len());
                if group == groups.len() {
                    groups.push(Vec::new());
                }
                groups[group].push(actuator);
            }
        }
        all.extend(groups.into_iter().flatten());
    }
    for actuator in &all {
        scene.claim(Kind::Actuator, &actuator.name, actuator.attributes.place())?;
    }
    Ok(all)
}

/// The actuator once for every replica of its joint; none if an attached model's joint was left behind.
fn read(element: &Element, scene: &Scene, scope: usize) -> Result<Vec<Actuator>, LoadError> {
    let Scope { source, prefix, suffix, .. } = &scene.scopes[scope];
    let class = source.defaults.class_of(element, None)?;
    let a = actuator_shortcuts::complete(&class.actuators, element)?;
    for (name, harmless, why) in REFUSED {
        a.refuse(name, harmless, why)?;
    }
    let (attribute, in_parent) = match (a.has("joint"), a.has("jointinparent")) {
        (true, false) => ("joint", false),
        (false, true) => ("jointinparent", true),
        (true, true) => return Err(a.error_at("joint", "joint and jointinparent exclude each other; give one")),
        (false, false) => return Err(a.error("attribute `joint` is missing")),
    };
    let target = a.required_text(attribute)?;
    let joints = scene.find(Kind::Joint, scope, target);
    if joints.is_empty() && scope == 0 {
        return Err(scene.not_found(Kind::Joint, &a, attribute, target));
    }
    joints.into_iter().map(|joint| read_one(element, &a, scene, scope, (prefix, suffix), joint, in_parent)).collect()
}

fn read_one(
    element: &Element,
    a: &Attributes,
    scene: &Scene,
    scope: usize,
    (prefix, suffix): (&str, &str),
    named: Named,
    in_parent: bool,
) -> Result<Actuator, LoadError> {
    let autolimits = scene.scopes[scope].source.compiler.autolimits;
    let joint = &scene.bodies[named.body].joints[named.local];
    let base = element.attribute("name").unwrap_or_default();
    let name = if base.is_empty() { String::new() } else { format!("{prefix}{base}{}{suffix}", named.replica) };
    let mut dynprm = [0.0; 10];
    dynprm[0] = 1.0;
    let (mut gainprm, mut biasprm, mut gear) = (dynprm, [0.0; 10], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    a.fill("dynprm", &mut dynprm)?;
    a.fill("gainprm", &mut gainprm)?;
    a.fill("biasprm", &mut biasprm)?;
    a.fill("gear", &mut gear)?;
    for (name, supported) in [("gaintype", ["fixed", "affine"]), ("biastype", ["none", "affine"])] {
        if let Some(other) = a.text(name).filter(|t| !supported.contains(t)) {
            let message = format!("{name}=\"{other}\" is not supported; use {} or affine", supported[0]);
            return Err(a.error_at(name, message));
        }
    }
    let gaintype = a.keyword("gaintype", &[("fixed", 0), ("affine", 1)])?.unwrap_or(0);
    let biastype = a.keyword("biastype", &[("none", 0), ("affine", 1)])?.unwrap_or(0);
    // A positive third bias beside a position gain is a damping ratio, whoever wrote it.
    let has_position_gain = gainprm[0] == -biasprm[1];
    let is_position = gaintype == 0 && biastype == 1 && has_position_gain;
    let ctrl = match inherited_range(a, joint, is_position)? {
        Some(range) => (a.flag_or_auto("ctrllimited")?.unwrap_or(autolimits), range),
        None => a.limit("ctrlrange", "ctrllimited", autolimits)?,
    };
    // What the one control is; it does not change the force. MuJoCo's mjtCtrlSpec bits.
    let ctrlspec = a.keyword("input", &[("", 0), ("pos", 1), ("vel", 2), ("pressure", 32)])?.unwrap_or(0);
    Ok(Actuator {
        name,
        origin: Origin {
            file: element.place.file.clone(),
            offset: element.place.offset,
            scope,
            replica: named.replica.clone(),
        },
        joint: named,
        in_parent,
        group: a.int_or("group", 0)?,
        gaintype,
        biastype,
        ctrlspec,
        dynprm,
        gainprm,
        biasprm,
        gear,
        ctrl,
        force: a.limit("forcerange", "forcelimited", autolimits)?,
        lengthrange: a.reals("lengthrange")?.unwrap_or_default(),
        damping_ratio: if has_position_gain { biasprm[2].max(0.0) } else { 0.0 },
        attributes: a.clone(),
    })
}

/// The control range that a position actuator takes from its joint, if it asks for that.
fn inherited_range(a: &Attributes, joint: &Joint, is_position: bool) -> Result<Option<[f64; 2]>, LoadError> {
    let scale = a.nonnegative_or("inheritrange", 0.0)?;
    if scale == 0.0 {
        return Ok(None);
    }
    if !is_position || !joint.traits().scalar {
        return Err(a.error_at("inheritrange", "inheritrange needs a position actuator on a hinge or slider"));
    }
    if a.has("ctrlrange") {
        return Err(a.error_at("inheritrange", "inheritrange and ctrlrange exclude each other; give one"));
    }
    let [low, high] = joint.range;
    if low >= high {
        return Err(a.error_at("inheritrange", format!("inheritrange: joint \"{}\" has no range", joint.name)));
    }
    let (middle, half) = ((low + high) / 2.0, scale * (high - low) / 2.0);
    Ok(Some([middle - half, middle + half]))
}
