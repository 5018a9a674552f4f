//! The names of a model's objects, in index order; an object without a name has an empty one.

/// Names by kind, in MuJoCo's index order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Body names; body 0 is `world`.
    pub body: Vec<String>,
    /// Joint names.
    pub jnt: Vec<String>,
    /// Geom names.
    pub geom: Vec<String>,
    /// Site names.
    pub site: Vec<String>,
    /// Camera names.
    pub cam: Vec<String>,
    /// Light names.
    pub light: Vec<String>,
    /// Actuator names.
    pub actuator: Vec<String>,
    /// Keyframe names.
    pub key: Vec<String>,
    /// Names of contact pairs.
    pub pair: Vec<String>,
    /// Names of contact exclusions.
    pub exclude: Vec<String>,
}

/// The index of `name`; an empty name is never found.
pub(crate) fn find(names: &[String], name: &str) -> Option<usize> {
    if name.is_empty() { None } else { names.iter().position(|n| n == name) }
}
