//! What a model may hold that Phalanx does not simulate: harmless elements are set aside, others are errors.

use std::collections::BTreeMap;

use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::scene::{Kind, Scene};
use crate::source::Source;
use crate::xml_tree::Element;

/// What makes a fixed tendon act on the motion, with values that do not.
const TENDON_ACTIONS: &[(&str, &[&str])] = &[
    ("stiffness", &["0"]),
    ("damping", &["0"]),
    ("frictionloss", &["0"]),
    ("armature", &["0"]),
    ("springyield", &["0"]),
];

/// Checks the sections without arrays in [`crate::Model`], in the main model and in attached ones.
pub(crate) fn check(scene: &Scene) -> Result<(), LoadError> {
    for (scope, s) in scene.scopes.iter().enumerate() {
        check_source(&s.source, scene, scope)?;
    }
    Ok(())
}

fn check_source(source: &Source, scene: &Scene, scope: usize) -> Result<(), LoadError> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let flex = |e: &&Element| &*e.name == "flex";
    for (refused, what) in [
        (source.section("equality").next(), "equality constraints are"),
        (source.section("extension").next(), "plugins are"),
        (source.section("deformable").find(flex), "flexes are"),
    ] {
        if let Some(element) = refused {
            return Err(element.error(format!("{what} not supported")));
        }
    }
    for tendon in source.section("tendon") {
        check_tendon(tendon, source, scene, scope)?;
        *count.entry("tendon").or_default() += 1;
    }
    for sensor in source.section("sensor") {
        if &*sensor.name == "plugin" {
            return Err(sensor.error("plugins are not supported"));
        }
        *count.entry("sensor").or_default() += 1;
    }
    for (kind, n) in count {
        let file = source.root.place.file.display();
        tracing::info!("{file}: {n} {kind}(s) set aside, as they do not act on the motion");
    }
    Ok(())
}

fn check_tendon(tendon: &Element, source: &Source, scene: &Scene, scope: usize) -> Result<(), LoadError> {
    if &*tendon.name == "spatial" {
        return Err(tendon.error("spatial tendons are not supported"));
    }
    let class = source.defaults.class_of(tendon, None)?;
    let a = Attributes::of(tendon).over(class.get("tendon"));
    for (name, harmless) in TENDON_ACTIONS {
        a.refuse(name, harmless, "tendons that act on the motion are not supported")?;
    }
    for (range, limited) in [("range", "limited"), ("actuatorfrcrange", "actuatorfrclimited")] {
        if a.limit(range, limited, source.compiler.autolimits)?.0 {
            return Err(a.error_at(range, format!("{limited} tendons are not supported")));
        }
    }
    for joint in &tendon.children {
        let joint = Attributes::of(joint);
        let name = joint.required_text("joint")?;
        if scope == 0 && scene.find(Kind::Joint, scope, name).is_empty() {
            return Err(scene.not_found(Kind::Joint, &joint, "joint", name));
        }
        joint.real("coef")?;
    }
    Ok(())
}
