//! Rewrites `motor`, `position` and `velocity` as the `general` actuator they stand for.
//!
//! A class has one actuator default: its last shortcut decides gain, bias and input of a later `general`, while each
//! shortcut remembers its own gains (`kp`, `kv`) along the chain of classes. MuJoCo 4.0.0 does the same.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::xml_tree::Element;

/// Attributes that only one shortcut has, kept apart from those that all actuators share.
const OWN_ATTRIBUTES: &[(&str, &[&str])] = &[
    ("general", &[]),
    ("motor", &[]),
    ("position", &["kp", "kv", "dampratio", "timeconst"]),
    ("velocity", &["kv"]),
];
/// What a shortcut sets and a `general` actuator may write itself.
const GENERAL_ATTRIBUTES: &[&str] = &["dyntype", "dynprm", "gaintype", "gainprm", "biastype", "biasprm", "input"];
/// Actuators that are refused; their defaults are harmless until one is used.
const UNSUPPORTED: &[&str] =
    &["intvelocity", "orientation", "pid", "damper", "cylinder", "muscle", "adhesion", "dcmotor", "plugin"];

const SHARED: &str = "actuator";

pub(crate) fn is_actuator(name: &str) -> bool {
    OWN_ATTRIBUTES.iter().any(|(shortcut, _)| *shortcut == name) || UNSUPPORTED.contains(&name)
}

fn own_attributes(element: &Element) -> Result<&'static [&'static str], LoadError> {
    OWN_ATTRIBUTES.iter().find(|(name, _)| *name == &*element.name).map(|(_, own)| *own).ok_or_else(|| {
        element.error("this kind of actuator is not supported; use general, motor, position or velocity")
    })
}

/// Adds an actuator element of a default class to the class.
pub(crate) fn record_default(class: &mut BTreeMap<Rc<str>, Attributes>, element: &Element) -> Result<(), LoadError> {
    if UNSUPPORTED.contains(&&*element.name) {
        // Using it is an error; a later `general` of this class would inherit from it, so that is one too.
        class.insert("refused actuator".into(), Attributes::of(element));
        return Ok(());
    }
    if &*element.name != "general" {
        class.remove("refused actuator");
    }
    let own = own_attributes(element)?;
    let (expanded, remembered) = expand(class, element, own)?;
    if !own.is_empty() {
        class.insert(element.name.clone(), remembered);
    }
    class.insert(SHARED.into(), expanded);
    Ok(())
}

/// The attributes of an actuator as those of a `general` one; `dampratio` stays, as it needs the mass matrix.
pub(crate) fn complete(class: &BTreeMap<Rc<str>, Attributes>, element: &Element) -> Result<Attributes, LoadError> {
    let own = own_attributes(element)?;
    if let Some(refused) = class.get("refused actuator").filter(|_| &*element.name == "general") {
        return Err(refused.error("this kind of actuator is not supported, and a general actuator takes its defaults"));
    }
    Ok(expand(class, element, own)?.0)
}

/// The general attributes, and the shortcut's own ones as they are now.
fn expand(
    class: &BTreeMap<Rc<str>, Attributes>,
    element: &Element,
    own: &[&str],
) -> Result<(Attributes, Attributes), LoadError> {
    let written = Attributes::of(element);
    let remembered = written.filtered(|name| own.contains(&name)).over(class.get(&element.name));
    let mut general = written.filtered(|name| !own.contains(&name)).over(class.get(SHARED));
    if &*element.name == "general" {
        return Ok((general, remembered));
    }
    for name in GENERAL_ATTRIBUTES {
        general.remove(name);
    }
    general.remove("dampratio");
    match &*element.name {
        "position" => {
            remembered.refuse("timeconst", &["0"], "activation dynamics are not supported")?;
            let kp = remembered.real_or("kp", 1.0)?;
            let kv = remembered.nonnegative_or("kv", 0.0)?;
            if let Some(ratio) = remembered.real("dampratio")?.filter(|r| *r != 0.0) {
                if kv != 0.0 {
                    return Err(remembered.error_at("dampratio", "kv and dampratio exclude each other; give one"));
                }
                if ratio < 0.0 {
                    return Err(remembered.error_at("dampratio", format!("dampratio {ratio} is negative")));
                }
                general.set("dampratio", &ratio.to_string());
            }
            general.set("gainprm", &kp.to_string());
            general.set("biasprm", &format!("0 {} {}", -kp, -kv));
            general.set("biastype", "affine");
            general.set("input", "pos");
        }
        "velocity" => {
            let kv = remembered.real_or("kv", 1.0)?;
            general.set("gainprm", &kv.to_string());
            general.set("biasprm", &format!("0 0 {}", -kv));
            general.set("biastype", "affine");
            general.set("input", "vel");
        }
        _ => {} // a motor is the general actuator of unit gain
    }
    Ok((general, remembered))
}
