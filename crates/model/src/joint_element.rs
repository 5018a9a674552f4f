//! Reads `joint` and `freejoint`, with the facts of each joint type in one table.

use glam::DVec3;

use crate::attributes::Attributes;
use crate::kinematic_tree::Context;
use crate::load_error::LoadError;
use crate::scene::{Body, Joint};
use crate::source::unit_vector;
use crate::xml_tree::Element;

pub(crate) const FREE: i32 = 0;
pub(crate) const BALL: i32 = 1;
pub(crate) const SLIDE: i32 = 2;
pub(crate) const HINGE: i32 = 3;

/// What a joint type is, in MuJoCo's order (`mjtJoint`).
pub(crate) struct JointTraits {
    pub keyword: &'static str,
    pub coordinates: usize,
    pub dofs: usize,
    /// Its range is an angle.
    pub angular: bool,
    /// It has an axis, a reference value and a range of two numbers.
    pub scalar: bool,
    pub rotates: bool,
}

#[rustfmt::skip]
pub(crate) const JOINTS: [JointTraits; 4] = [
    JointTraits { keyword: "free",  coordinates: 7, dofs: 6, angular: false, scalar: false, rotates: true },
    JointTraits { keyword: "ball",  coordinates: 4, dofs: 3, angular: true,  scalar: false, rotates: true },
    JointTraits { keyword: "slide", coordinates: 1, dofs: 1, angular: false, scalar: true,  rotates: false },
    JointTraits { keyword: "hinge", coordinates: 1, dofs: 1, angular: true,  scalar: true,  rotates: true },
];

impl Joint {
    pub fn traits(&self) -> &'static JointTraits {
        &JOINTS[self.joint_type as usize]
    }
}

pub(crate) fn read(element: &Element, name: String, context: &Context) -> Result<Joint, LoadError> {
    let free_shortcut = &*element.name == "freejoint";
    // A `freejoint` takes nothing from its class: default damping would brake a free body.
    let a = if free_shortcut { Attributes::of(element) } else { context.complete(element)? };
    let types: Vec<(&str, i32)> = JOINTS.iter().map(|row| row.keyword).zip(0..).collect();
    let joint_type = if free_shortcut { FREE } else { a.keyword("type", &types)?.unwrap_or(HINGE) };
    let traits = &JOINTS[joint_type as usize];
    let unit = if traits.angular { context.source.compiler.angle_unit } else { 1.0 };
    let autolimits = context.source.compiler.autolimits;

    let mut axis = DVec3::Z;
    let mut pos = DVec3::ZERO;
    if joint_type != FREE {
        pos = context.frame.apply(a.reals::<3>("pos")?.map_or(DVec3::ZERO, DVec3::from_array));
    }
    if traits.scalar {
        let written = unit_vector(&a, "axis", a.reals::<3>("axis")?.map_or(DVec3::Z, DVec3::from_array))?;
        let turn = context.frame.rotation;
        axis = if turn == glam::DQuat::IDENTITY { written } else { (turn * written).normalize() };
    }
    let (limited, range) = if joint_type == FREE {
        (false, a.reals("range")?.unwrap_or_default())
    } else {
        a.limit("range", "limited", autolimits)?
    };
    if joint_type == FREE && element.attribute("limited") == Some("true") {
        return Err(a.error_at("limited", "a free joint cannot have limits"));
    }
    if joint_type == BALL && limited && range[0] != 0.0 {
        return Err(
            a.error_at("range", format!("range [{}, {}]: a ball joint's first limit must be 0", range[0], range[1]))
        );
    }
    let (actuator_force_limited, actuator_force_range) = if traits.scalar {
        a.limit("actuatorfrcrange", "actuatorfrclimited", autolimits)?
    } else {
        (false, a.reals("actuatorfrcrange")?.unwrap_or_default())
    };
    a.refuse("springyield", &["0"], "plastic springs are not supported")?;

    let (mut stiffness, mut damping) = ([0.0; 3], [0.0; 3]);
    a.fill("stiffness", &mut stiffness)?;
    a.fill("damping", &mut damping)?;
    let (reference, spring_reference) =
        if traits.scalar { (a.real_or("ref", 0.0)? * unit, a.real_or("springref", 0.0)? * unit) } else { (0.0, 0.0) };
    Ok(Joint {
        name,
        origin: context.origin(element),
        joint_type,
        group: a.int_or("group", 0)?,
        pos,
        axis,
        limited,
        // MuJoCo converts only what it uses.
        range: if limited { range.map(|x| x * unit) } else { range },
        actuator_force_limited,
        actuator_force_range,
        actuator_gravcomp: a.flag_or("actuatorgravcomp", false)?,
        reference,
        spring_reference,
        spring_damper: a.reals::<2>("springdamper")?.unwrap_or_default(),
        stiffness,
        damping,
        armature: a.nonnegative_or("armature", 0.0)?,
        frictionloss: a.nonnegative_or("frictionloss", 0.0)?,
        margin: a.real_or("margin", 0.0)?,
        solref_limit: solref(&a, "solreflimit")?,
        solimp_limit: solimp(&a, "solimplimit")?,
        solref_friction: solref(&a, "solreffriction")?,
        solimp_friction: solimp(&a, "solimpfriction")?,
        align: if free_shortcut { a.flag_or_auto("align")? } else { None },
        attributes: a,
    })
}

pub(crate) fn solref(a: &Attributes, name: &str) -> Result<[f64; 2], LoadError> {
    let mut value = [0.02, 1.0];
    a.fill(name, &mut value)?;
    Ok(value)
}

pub(crate) fn solimp(a: &Attributes, name: &str) -> Result<[f64; 5], LoadError> {
    let mut value = [0.9, 0.95, 0.001, 0.5, 2.0];
    a.fill(name, &mut value)?;
    Ok(value)
}

/// Refuses joints that cannot share a body.
pub(crate) fn check_combination(body: &Body) -> Result<(), LoadError> {
    let joints = &body.joints;
    if let Some(free) = joints.iter().find(|j| j.joint_type == FREE) {
        if joints.len() > 1 {
            return Err(free.attributes.error("a free joint must be the only joint of its body"));
        }
        if body.parent != 0 {
            return Err(free.attributes.error("a free joint is possible only in a direct child of the world"));
        }
    }
    if let Some(ball) = joints.iter().find(|j| j.joint_type == BALL)
        && joints.iter().filter(|j| j.traits().rotates).count() > 1
    {
        return Err(ball.attributes.error("a ball joint must be the only rotation of its body"));
    }
    let dofs: usize = joints.iter().map(|j| j.traits().dofs).sum();
    if dofs > 6 {
        return Err(body.attributes.error(format!("its joints have {dofs} degrees of freedom; a body has at most 6")));
    }
    Ok(())
}
