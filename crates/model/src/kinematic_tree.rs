//! Walks `worldbody` and resolves what is only notation: frames, replicas, attached models, child classes.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use glam::DVec3;

use crate::attributes::Attributes;
use crate::load_error::LoadError;
use crate::pose::Pose;
use crate::scene::{Body, Kind, Named, Origin, Scene, Scope};
use crate::source::{Source, check_single_orientation};
use crate::xml_tree::{Element, MAX_DEPTH, Place};
use crate::{geom_element, inertial_element, joint_element, viewer_elements};

/// Deepest chain of models that attach models.
const MAX_ATTACH_DEPTH: usize = 20;
/// Most replicas of one `replicate` element.
const MAX_REPLICAS: i32 = 100_000;

/// Where in the tree the walk is.
#[derive(Clone)]
pub(crate) struct Context {
    pub source: Rc<Source>,
    pub scope: usize,
    /// Before every name.
    pub prefix: String,
    /// After every name: the replica inside the scope, then the scope's own suffix.
    pub replica: String,
    pub suffix: String,
    pub class: Option<Rc<str>>,
    /// Frames between the body and here.
    pub frame: Pose,
    attach_depth: usize,
    depth: usize,
}

impl Context {
    /// The complete name of an element; empty if it has none.
    pub fn full_name(&self, base: &str) -> String {
        if base.is_empty() { String::new() } else { format!("{}{base}{}{}", self.prefix, self.replica, self.suffix) }
    }

    pub fn origin(&self, element: &Element) -> Origin {
        let Place { file, offset, .. } = element.place.clone();
        Origin { file, offset, scope: self.scope, replica: self.replica.clone() }
    }

    /// An element's attributes completed by its class.
    pub fn complete(&self, element: &Element) -> Result<Attributes, LoadError> {
        check_single_orientation(element)?;
        self.source.defaults.complete(element, self.class.as_ref())
    }

    /// The pose of an element in its body.
    pub fn pose(&self, a: &Attributes) -> Result<Pose, LoadError> {
        Ok(self.frame.then(&self.source.compiler.pose(a)?))
    }
}

/// Reads the bodies of the main model and of everything it attaches.
pub(crate) fn read(main: Rc<Source>) -> Result<Scene, LoadError> {
    let mut scene = Scene::default();
    let root = main.root.clone();
    scene.bodies.push(new_body("world".into(), Attributes::of(&root), main.clone(), 0));
    scene.claim(Kind::Body, "world", &root.place)?;
    let scope = Scope { source: main.clone(), prefix: String::new(), suffix: String::new(), brings_keyframes: true };
    scene.scopes.push(scope);
    let context = Context {
        source: main,
        scope: 0,
        prefix: String::new(),
        replica: String::new(),
        suffix: String::new(),
        class: None,
        frame: Pose::IDENTITY,
        attach_depth: 0,
        depth: 0,
    };
    let mut walk = Walk { scene, files: HashMap::new(), keyframes_taken: HashSet::new() };
    for world in root.children.iter().filter(|e| &*e.name == "worldbody") {
        walk.children(world, 0, &context)?;
    }
    Ok(walk.scene)
}

fn new_body(name: String, attributes: Attributes, source: Rc<Source>, parent: usize) -> Body {
    Body {
        name,
        attributes,
        source,
        parent,
        pose: Pose::IDENTITY,
        written_pose: Pose::IDENTITY,
        mocap: false,
        gravcomp: 0.0,
        may_be_simple: true,
        inertial: None,
        joints: Vec::new(),
        geoms: Vec::new(),
        sites: Vec::new(),
        cameras: Vec::new(),
        lights: Vec::new(),
    }
}

struct Walk {
    scene: Scene,
    files: HashMap<PathBuf, Rc<Source>>,
    /// Attach elements, by file and line and prefix, whose keyframes are already in.
    keyframes_taken: HashSet<(PathBuf, u32, String)>,
}

impl Walk {
    fn children(&mut self, parent: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        if context.depth > MAX_DEPTH {
            return Err(parent.error(format!("bodies and frames are nested more than {MAX_DEPTH} deep")));
        }
        let context = &Context { depth: context.depth + 1, ..context.clone() };
        for element in &parent.children {
            self.scene.count_object(&element.place)?;
            match &*element.name {
                "body" => self.body(element, body, context)?,
                "frame" => self.frame(element, body, context)?,
                "replicate" => self.replicate(element, body, context)?,
                "attach" => self.attach(element, body, context)?,
                "inertial" => self.inertial(element, body, context)?,
                "joint" | "freejoint" => self.joint(element, body, context)?,
                "geom" => self.geom(element, body, context)?,
                "site" => self.site(element, body, context)?,
                "camera" => self.camera(element, body, context)?,
                "light" => self.light(element, body, context)?,
                other => return Err(element.error(format!("{other} is not supported in a body"))),
            }
        }
        Ok(())
    }

    /// Claims and registers the name of an element that hangs on `body`.
    fn name(
        &mut self,
        kind: Kind,
        element: &Element,
        body: usize,
        local: usize,
        context: &Context,
    ) -> Result<String, LoadError> {
        let base = element.attribute("name").unwrap_or_default();
        let full = context.full_name(base);
        self.scene.claim(kind, &full, &element.place)?;
        let named = Named { body, local, replica: context.replica.clone() };
        self.scene.register(kind, context.scope, base, &full, named);
        Ok(full)
    }

    fn body(&mut self, element: &Element, parent: usize, context: &Context) -> Result<(), LoadError> {
        check_single_orientation(element)?;
        let a = Attributes::of(element);
        let id = self.scene.bodies.len();
        let name = self.name(Kind::Body, element, id, 0, context)?;
        let class = context.source.defaults.check_childclass(element)?.or_else(|| context.class.clone());
        a.refuse("sleep", &["auto", "never"], "bodies do not sleep")?;
        let mut body = new_body(name, a.clone(), context.source.clone(), parent);
        body.written_pose = context.source.compiler.pose(&a)?;
        body.pose = context.frame.then(&body.written_pose);
        body.mocap = a.flag_or("mocap", false)?;
        body.gravcomp = a.real_or("gravcomp", 0.0)?;
        body.may_be_simple = a.keyword("simple", &[("auto", true), ("false", false)])?.unwrap_or(true);
        a.keyword("fuse", &[("auto", ()), ("false", ())])?;
        if body.mocap && parent != 0 {
            return Err(a.error_at("mocap", "a mocap body must be a direct child of the world"));
        }
        self.scene.bodies.push(body);
        self.children(element, id, &Context { class, frame: Pose::IDENTITY, ..context.clone() })?;
        let body = &self.scene.bodies[id];
        if body.mocap && !body.joints.is_empty() {
            return Err(a.error_at("mocap", "a mocap body cannot have joints"));
        }
        joint_element::check_combination(body)
    }

    fn frame(&mut self, element: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        check_single_orientation(element)?;
        let a = Attributes::of(element);
        for name in ["scale", "massscale"] {
            a.refuse(name, &["1", "1 1 1"], "scaled frames are not supported")?;
        }
        let class = context.source.defaults.check_childclass(element)?.or_else(|| context.class.clone());
        self.children(element, body, &Context { class, frame: context.pose(&a)?, ..context.clone() })
    }

    fn replicate(&mut self, element: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        let a = Attributes::of(element);
        let count = a.int("count")?.ok_or_else(|| element.error("attribute `count` is missing"))?;
        if !(1..=MAX_REPLICAS).contains(&count) {
            return Err(a.error_at("count", format!("count {count} must be from 1 to {MAX_REPLICAS}")));
        }
        if let Some(joint) = element.children.iter().find(|e| matches!(&*e.name, "joint" | "freejoint" | "inertial")) {
            return Err(joint.error("it cannot be replicated directly; wrap it in a body"));
        }
        let separator = a.text("sep").unwrap_or_default();
        let offset = a.reals::<3>("offset")?.map_or(DVec3::ZERO, DVec3::from_array);
        let angles = a.reals::<3>("euler")?.unwrap_or_default();
        let digits = (count - 1).to_string().len();
        let mut replica_pose = Pose::IDENTITY;
        for i in 0..count {
            self.scene.count_object(&element.place)?;
            // Inner replicas come first in the name: the walk reaches them last, so they go in front.
            let replica = format!("{separator}{i:0digits$}{}", context.replica);
            let frame = context.frame.then(&replica_pose);
            self.children(element, body, &Context { replica, frame, ..context.clone() })?;
            // MuJoCo multiplies the angles, which for turns about several axes differs from turning again and again.
            replica_pose.position = replica_pose.apply(offset);
            replica_pose.rotation = context.source.compiler.euler(angles.map(|angle| angle * f64::from(i + 1)));
        }
        Ok(())
    }

    fn attach(&mut self, element: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        let a = Attributes::of(element);
        if context.attach_depth >= MAX_ATTACH_DEPTH {
            return Err(element.error(format!("models are attached more than {MAX_ATTACH_DEPTH} deep; is it a cycle?")));
        }
        let source = match a.text("model") {
            Some(model) => self.attached_source(&a, model, context)?,
            None => context.source.clone(),
        };
        let prefix = format!("{}{}", context.prefix, a.required_text("prefix")?);
        let suffix = format!("{}{}", context.replica, context.suffix);
        let key = (element.place.file.to_path_buf(), element.place.line, prefix.clone());
        let brings_keyframes = a.has("model") && self.keyframes_taken.insert(key);
        let scope = self.scene.scopes.len();
        self.scene.scopes.push(Scope {
            source: source.clone(),
            prefix: prefix.clone(),
            suffix: suffix.clone(),
            brings_keyframes,
        });
        let inner = Context {
            source: source.clone(),
            scope,
            prefix,
            replica: String::new(),
            suffix,
            class: None,
            frame: context.frame,
            attach_depth: context.attach_depth + 1,
            depth: context.depth,
        };
        let worlds = || source.root.children.iter().filter(|e| &*e.name == "worldbody");
        let subtree = match (a.text("body"), a.text("frame")) {
            (Some(_), Some(_)) => return Err(a.error_at("frame", "body and frame exclude each other; give one")),
            (None, None) if !a.has("model") => {
                return Err(element.error("attaching a model to itself needs `body` or `frame`"));
            }
            (None, None) => {
                for world in worlds() {
                    self.children(world, body, &inner)?;
                }
                return Ok(());
            }
            (Some(name), None) => (name, "body"),
            (None, Some(name)) => (name, "frame"),
        };
        let (name, kind) = subtree;
        let Some((found, class)) = worlds().find_map(|world| find_subtree(world, kind, name, None)) else {
            return Err(a.error_at(kind, format!("{kind} \"{name}\": the attached model has no {kind} of this name")));
        };
        self.children(
            &Element {
                name: "worldbody".into(),
                attributes: Vec::new(),
                children: vec![found.clone()],
                place: found.place.clone(),
            },
            body,
            &Context { class, ..inner },
        )
    }

    fn attached_source(&mut self, a: &Attributes, model: &str, context: &Context) -> Result<Rc<Source>, LoadError> {
        let asset = context
            .source
            .section("asset")
            .find(|e| &*e.name == "model" && e.attribute("name").or(e.attribute("file")) == Some(model))
            .ok_or_else(|| a.error_at("model", format!("model \"{model}\": there is no model asset of this name")))?;
        let file = asset.attribute("file").ok_or_else(|| asset.error("attribute `file` is missing"))?;
        let Some(directory) = &context.source.directory else {
            return Err(asset.error("a model given as text cannot attach files; save it and load the file"));
        };
        let path = directory.join(file);
        if let Some(source) = self.files.get(&path) {
            return Ok(source.clone());
        }
        if !path.is_file() {
            return Err(asset.error(format!("file \"{file}\" does not exist in {}", directory.display())));
        }
        let source = Rc::new(Source::from_file(&path)?);
        for ignored in ["option", "size", "statistic"] {
            if source.root.children.iter().any(|e| &*e.name == ignored) {
                tracing::warn!("{}: `{ignored}` is ignored, as the model is attached to another", path.display());
            }
        }
        self.files.insert(path, source.clone());
        Ok(source)
    }

    fn inertial(&mut self, element: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        check_single_orientation(element)?;
        if body == 0 {
            return Err(element.error("the world has no inertia"));
        }
        if self.scene.bodies[body].inertial.is_some() {
            return Err(element.error("the body has two; give one"));
        }
        self.scene.bodies[body].inertial =
            Some(inertial_element::read(element, &context.source.compiler, &context.frame)?);
        Ok(())
    }

    fn joint(&mut self, element: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        if body == 0 {
            return Err(element.error("the world cannot have joints; put it in a body"));
        }
        let local = self.scene.bodies[body].joints.len();
        let name = self.name(Kind::Joint, element, body, local, context)?;
        let joint = joint_element::read(element, name, context)?;
        self.scene.bodies[body].joints.push(joint);
        Ok(())
    }

    fn geom(&mut self, element: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        let local = self.scene.bodies[body].geoms.len();
        let name = self.name(Kind::Geom, element, body, local, context)?;
        let geom = geom_element::read(element, name, context)?;
        self.scene.bodies[body].geoms.push(geom);
        Ok(())
    }

    fn site(&mut self, element: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        let local = self.scene.bodies[body].sites.len();
        let name = self.name(Kind::Site, element, body, local, context)?;
        let site = viewer_elements::read_site(element, name, context)?;
        self.scene.bodies[body].sites.push(site);
        Ok(())
    }

    fn camera(&mut self, element: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        let local = self.scene.bodies[body].cameras.len();
        let name = self.name(Kind::Camera, element, body, local, context)?;
        let camera = viewer_elements::read_camera(element, name, context)?;
        self.scene.bodies[body].cameras.push(camera);
        Ok(())
    }

    fn light(&mut self, element: &Element, body: usize, context: &Context) -> Result<(), LoadError> {
        let local = self.scene.bodies[body].lights.len();
        let name = self.name(Kind::Light, element, body, local, context)?;
        let light = viewer_elements::read_light(element, name, context)?;
        self.scene.bodies[body].lights.push(light);
        Ok(())
    }
}

/// The body or frame called `name`, with the child class that its surroundings give it.
fn find_subtree<'a>(
    parent: &'a Element,
    kind: &str,
    name: &str,
    class: Option<Rc<str>>,
) -> Option<(&'a Element, Option<Rc<str>>)> {
    parent.children.iter().find_map(|child| {
        if &*child.name == kind && child.attribute("name") == Some(name) {
            return Some((child, class.clone()));
        }
        let inner = child.attribute("childclass").map(Rc::from).or_else(|| class.clone());
        find_subtree(child, kind, name, inner)
    })
}
