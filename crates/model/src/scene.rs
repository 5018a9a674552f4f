//! The model between parsing and compiling: bodies with what hangs on them, and a register of names.
//!
//! Frames, replicas and attachments are already resolved: every pose is in its body, every name is complete.

use std::collections::HashMap;
use std::rc::Rc;

use glam::{DQuat, DVec3};

use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::pose::Pose;
use crate::schema::suggestion;
use crate::solid_inertia::Shape;
use crate::source::Source;
use crate::xml_tree::Place;

/// Most bodies, geoms, joints, sites, cameras, lights and replicas together; far above what one environment can step.
const MAX_OBJECTS: usize = 200_000;

/// What a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Body,
    Joint,
    Geom,
    Site,
    Camera,
    Light,
    Actuator,
    Pair,
    Exclude,
    Key,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Body => "body",
            Kind::Joint => "joint",
            Kind::Geom => "geom",
            Kind::Site => "site",
            Kind::Camera => "camera",
            Kind::Light => "light",
            Kind::Actuator => "actuator",
            Kind::Pair => "contact pair",
            Kind::Exclude => "contact exclusion",
            Kind::Key => "keyframe",
        }
    }
}

/// Which element an object came from, in which copy of it: enough to find it again in a model that is attached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub file: Rc<std::path::Path>,
    pub offset: usize,
    pub scope: usize,
    pub replica: String,
}

/// One joint; a free joint has the axis z and the position 0.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub name: String,
    pub attributes: Attributes,
    pub origin: Origin,
    pub joint_type: i32,
    pub group: i32,
    pub pos: DVec3,
    pub axis: DVec3,
    pub limited: bool,
    pub range: [f64; 2],
    pub actuator_force_limited: bool,
    pub actuator_force_range: [f64; 2],
    pub actuator_gravcomp: bool,
    pub reference: f64,
    pub spring_reference: f64,
    pub spring_damper: [f64; 2],
    pub stiffness: [f64; 3],
    pub damping: [f64; 3],
    pub armature: f64,
    pub frictionloss: f64,
    pub margin: f64,
    pub solref_limit: [f64; 2],
    pub solimp_limit: [f64; 5],
    pub solref_friction: [f64; 2],
    pub solimp_friction: [f64; 5],
    pub align: Option<bool>,
}

/// One geom with its own mass properties.
#[derive(Clone, Debug)]
pub(crate) struct Geom {
    pub name: String,
    pub attributes: Attributes,
    pub shape: Shape,
    pub size: DVec3,
    pub pose: Pose,
    pub contype: i32,
    pub conaffinity: i32,
    pub condim: i32,
    pub group: i32,
    pub priority: i32,
    pub friction: [f64; 3],
    pub margin: f64,
    pub gap: f64,
    pub solmix: f64,
    pub solref: [f64; 2],
    pub solimp: [f64; 5],
    pub rgba: [f64; 4],
    pub mass: f64,
    /// Principal moments in the geom's axes.
    pub inertia: DVec3,
}

#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub name: String,
    pub shape: i32,
    pub size: [f64; 3],
    pub pose: Pose,
    pub group: i32,
    pub rgba: [f64; 4],
}

#[derive(Clone, Debug)]
pub(crate) struct Camera {
    pub name: String,
    pub attributes: Attributes,
    pub scope: usize,
    pub mode: i32,
    pub target: Option<String>,
    pub pose: Pose,
    pub fovy: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Light {
    pub name: String,
    pub attributes: Attributes,
    pub scope: usize,
    pub mode: i32,
    pub target: Option<String>,
    pub light_type: i32,
    pub castshadow: bool,
    pub active: bool,
    pub pos: DVec3,
    pub dir: DVec3,
    pub ambient: [f64; 3],
    pub diffuse: [f64; 3],
    pub specular: [f64; 3],
}

/// Mass, and inertia about the centre of mass along the axes of `pose`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MassProperties {
    pub mass: f64,
    pub pose: Pose,
    pub inertia: DVec3,
}

impl MassProperties {
    pub const NONE: MassProperties = MassProperties { mass: 0.0, pose: Pose::IDENTITY, inertia: DVec3::ZERO };
}

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub name: String,
    pub attributes: Attributes,
    pub source: Rc<Source>,
    pub parent: usize,
    pub pose: Pose,
    /// The pose as the element has it, without the frames around it.
    pub written_pose: Pose,
    pub mocap: bool,
    pub gravcomp: f64,
    pub may_be_simple: bool,
    pub inertial: Option<MassProperties>,
    pub joints: Vec<Joint>,
    pub geoms: Vec<Geom>,
    pub sites: Vec<Site>,
    pub cameras: Vec<Camera>,
    pub lights: Vec<Light>,
}

/// The main model or one attached copy: names inside it are looked up inside it first.
#[derive(Debug)]
pub(crate) struct Scope {
    pub source: Rc<Source>,
    pub prefix: String,
    pub suffix: String,
    /// Keyframes are added once, with the first replica.
    pub brings_keyframes: bool,
}

/// One object that a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named {
    /// The body it belongs to (or is), and its place among its kind in that body.
    pub body: usize,
    pub local: usize,
    /// Suffix of the replica it is in, inside its scope.
    pub replica: String,
}

#[derive(Debug, Default)]
pub(crate) struct Scene {
    pub bodies: Vec<Body>,
    pub scopes: Vec<Scope>,
    objects: usize,
    first_use: HashMap<(Kind, String), Place>,
    in_scope: HashMap<(Kind, usize, String), Vec<Named>>,
    global: HashMap<(Kind, String), Named>,
}

impl Scene {
    /// Counts one more object or replica.
    pub fn count_object(&mut self, place: &Place) -> Result<(), LoadError> {
        self.objects += 1;
        if self.objects > MAX_OBJECTS {
            return Err(place.error(format!("the model has more than {MAX_OBJECTS} objects; replicate less")));
        }
        Ok(())
    }

    /// Claims a complete name; two objects of a kind cannot share one.
    pub fn claim(&mut self, kind: Kind, full: &str, place: &Place) -> Result<(), LoadError> {
        if full.is_empty() {
            return Ok(());
        }
        match self.first_use.insert((kind, full.to_string()), place.clone()) {
            None => Ok(()),
            Some(first) => {
                let word = kind.word();
                let message =
                    format!("{word} \"{full}\": the name is already used at {}:{}", first.file.display(), first.line);
                Err(place.error(format!("{message}; every {word} needs its own")))
            }
        }
    }

    /// Enters an object under the name it has inside its scope.
    pub fn register(&mut self, kind: Kind, scope: usize, base: &str, full: &str, named: Named) {
        if !base.is_empty() {
            self.global.insert((kind, full.to_string()), named.clone());
            self.in_scope.entry((kind, scope, base.to_string())).or_default().push(named);
        }
    }

    /// Everything that `name` means inside `scope`: one object, or one in each replica. Empty if nothing.
    pub fn find(&self, kind: Kind, scope: usize, name: &str) -> Vec<Named> {
        if kind == Kind::Body && name == "world" {
            return vec![Named { body: 0, local: 0, replica: String::new() }];
        }
        if let Some(found) = self.in_scope.get(&(kind, scope, name.to_string())) {
            return found.clone();
        }
        let Some(Scope { prefix, suffix, .. }) = self.scopes.get(scope) else { return Vec::new() };
        let full = format!("{prefix}{name}{suffix}");
        self.global.get(&(kind, full)).cloned().into_iter().collect()
    }

    /// The error for a name that means nothing.
    pub fn not_found(&self, kind: Kind, a: &Attributes, attribute: &str, name: &str) -> LoadError {
        let known = self.global.keys().filter(|(k, _)| *k == kind).map(|(_, n)| n.as_str());
        let hint = suggestion(name, known);
        a.error_at(attribute, format!("{attribute} \"{name}\": there is no {} of this name{hint}", kind.word()))
    }
}

/// A rotation in MuJoCo's order w, x, y, z.
pub(crate) fn wxyz(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}
