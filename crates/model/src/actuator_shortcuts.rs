//! Rewrites `motor`, `position` and `velocity` as the `general` actuator they stand for.
//!
//! A class has one actuator default, which all kinds of actuator share; its last element decides gain, bias and input.
//! `position` and `velocity` start from the gains of the nearest class that was written as the same kind or as
//! `general`, and from 1 if there is none. Found by trial on MuJoCo 4.0.0; its documentation only hints at it.

use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::xml_tree::Element;

/// What an actuator default was last written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    General,
    Motor,
    Position,
    Velocity,
    /// A kind that is refused when used.
    Unsupported,
}

#[rustfmt::skip]
const KINDS: &[(&str, Written)] = &[
    ("general", Written::General), ("motor", Written::Motor), ("position", Written::Position),
    ("velocity", Written::Velocity), ("intvelocity", Written::Unsupported), ("orientation", Written::Unsupported),
    ("pid", Written::Unsupported), ("damper", Written::Unsupported), ("cylinder", Written::Unsupported),
    ("muscle", Written::Unsupported), ("adhesion", Written::Unsupported), ("dcmotor", Written::Unsupported),
    ("plugin", Written::Unsupported),
];

/// Attributes that every kind of actuator shares with the others through its class.
const SHARED: &[&str] = &[
    "group",
    "nsample",
    "interp",
    "delay",
    "ctrlrange",
    "user",
    "ctrllimited",
    "forcelimited",
    "forcerange",
    "gear",
    "damping",
    "armature",
    "cranklength",
];

/// The actuator default of one class.
#[derive(Clone, Debug)]
pub(crate) struct ActuatorDefault {
    written: Written,
    /// As attributes of a `general` actuator.
    general: Attributes,
}

pub(crate) fn is_actuator(name: &str) -> bool {
    KINDS.iter().any(|(kind, _)| *kind == name)
}

fn kind_of(element: &Element) -> Written {
    KINDS.iter().find(|(kind, _)| *kind == &*element.name).map_or(Written::Unsupported, |(_, written)| *written)
}

/// The default that `element` makes of a class whose ancestors (and earlier elements) left `chain`, nearest last.
pub(crate) fn default_from(chain: &[ActuatorDefault], element: &Element) -> Result<ActuatorDefault, LoadError> {
    let written = kind_of(element);
    let general = if written == Written::Unsupported {
        let own = Attributes::of(element);
        own.filtered(|name| SHARED.contains(&name)).over(chain.last().map(|d| &d.general))
    } else {
        as_general(chain, element, written)?
    };
    Ok(ActuatorDefault { written, general })
}

/// The attributes of an actuator as those of a `general` one. A positive third bias is a damping ratio.
pub(crate) fn complete(chain: &[ActuatorDefault], element: &Element) -> Result<Attributes, LoadError> {
    let refusal = "this kind of actuator is not supported; use general, motor, position or velocity";
    let written = kind_of(element);
    if written == Written::Unsupported {
        return Err(element.error(refusal));
    }
    if let Some(last) = chain.last().filter(|d| d.written == Written::Unsupported && written == Written::General) {
        return Err(last.general.error(refusal));
    }
    as_general(chain, element, written)
}

fn as_general(chain: &[ActuatorDefault], element: &Element, written: Written) -> Result<Attributes, LoadError> {
    let own = Attributes::of(element);
    let inherited = chain.last().map(|d| &d.general);
    if written == Written::General {
        let inherited_gain = inherited.and_then(|d| d.text("gaintype")).unwrap_or("fixed");
        let new_gain = own.text("gaintype").is_some_and(|t| t != inherited_gain);
        let keeps_input = own.has("input") || !new_gain;
        let mut general = own.over(inherited);
        if !keeps_input {
            general.remove("input"); // what it said belongs to the other kind of gain
        }
        return Ok(general);
    }
    let mut general = own.filtered(|name| !["kp", "kv", "dampratio", "timeconst"].contains(&name));
    general = general.over(inherited);
    for name in ["dyntype", "dynprm", "gaintype", "gainprm", "biastype", "biasprm", "input"] {
        general.remove(name);
    }
    if written == Written::Motor {
        return Ok(general); // the general actuator of unit gain
    }
    let start = chain.iter().rev().find(|d| [written, Written::General].contains(&d.written));
    let (mut gain, mut bias) = ([1.0; 1], [0.0; 3]);
    if let Some(start) = start {
        gain[0] = start.general.all_reals("gainprm")?.and_then(|g| g.first().copied()).unwrap_or(1.0);
        let written_bias = start.general.all_reals("biasprm")?.unwrap_or_default();
        bias.iter_mut().zip(written_bias).for_each(|(b, w)| *b = w);
    }
    if written == Written::Velocity {
        let kv = own.real_or("kv", gain[0])?;
        general.set("gainprm", &kv.to_string());
        general.set("biasprm", &format!("0 0 {}", -kv));
    } else {
        own.refuse("timeconst", &["0"], "activation dynamics are not supported")?;
        let kp = own.real_or("kp", gain[0])?;
        general.set("gainprm", &kp.to_string());
        general.set("biasprm", &format!("0 {} {}", -kp, velocity_bias(&own, bias[2])?));
    }
    general.set("biastype", "affine");
    general.set("input", if written == Written::Velocity { "vel" } else { "pos" });
    Ok(general)
}

/// The third bias of a position actuator: -kv, or the damping ratio.
fn velocity_bias(own: &Attributes, inherited: f64) -> Result<f64, LoadError> {
    let kv = own.has("kv").then(|| own.nonnegative_or("kv", 0.0)).transpose()?;
    let ratio = own.has("dampratio").then(|| own.nonnegative_or("dampratio", 0.0)).transpose()?;
    match (kv, ratio) {
        (Some(_), Some(_)) => Err(own.error_at("dampratio", "kv and dampratio exclude each other; give one")),
        (Some(kv), None) => Ok(-kv),
        (None, Some(ratio)) => Ok(ratio),
        (None, None) => Ok(inherited),
    }
}
