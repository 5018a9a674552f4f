//! One MJCF file as read: its elements, its compiler settings and its default classes.

use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};

use crate::attributes::{Attributes, ORIENTATIONS};
use crate::default_classes::DefaultClasses;
use crate::load_error::LoadError;
use crate::pose::{Pose, rotation_of_axes, rotation_of_z_to};
use crate::schema;
use crate::xml_tree::{self, Element};

/// Whether body masses come from geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InertiaFromGeom {
    Never,
    Always,
    WithoutInertial,
}

/// The `compiler` element, with MuJoCo's defaults.
#[derive(Clone, Debug)]
pub(crate) struct CompilerSettings {
    pub autolimits: bool,
    /// Radians per unit of angle in the file.
    pub angle_unit: f64,
    pub euler_sequence: [char; 3],
    pub inertia_from_geom: InertiaFromGeom,
    pub inertia_group_range: [i32; 2],
    pub balance_inertia: bool,
    pub bound_mass: f64,
    pub bound_inertia: f64,
    pub total_mass: Option<f64>,
    pub align_free: bool,
    pub discard_visual: bool,
}

impl CompilerSettings {
    fn read(root: &Element) -> Result<CompilerSettings, LoadError> {
        let mut s = CompilerSettings {
            autolimits: true,
            angle_unit: std::f64::consts::PI / 180.0,
            euler_sequence: ['x', 'y', 'z'],
            inertia_from_geom: InertiaFromGeom::WithoutInertial,
            inertia_group_range: [0, 5],
            balance_inertia: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: None,
            align_free: false,
            discard_visual: false,
        };
        for element in root.children.iter().filter(|e| &*e.name == "compiler") {
            let a = Attributes::of(element);
            s.autolimits = a.flag_or("autolimits", s.autolimits)?;
            let units = [("degree", std::f64::consts::PI / 180.0), ("radian", 1.0)];
            s.angle_unit = a.keyword("angle", &units)?.unwrap_or(s.angle_unit);
            if let Some(text) = a.text("eulerseq") {
                let letters: Vec<char> = text.chars().collect();
                s.euler_sequence = letters
                    .try_into()
                    .ok()
                    .filter(|l: &[char; 3]| l.iter().all(|c| "xyzXYZ".contains(*c)))
                    .ok_or_else(|| {
                        a.error_at("eulerseq", format!("eulerseq \"{text}\" must be three of x y z X Y Z"))
                    })?;
            }
            let sources = [
                ("false", InertiaFromGeom::Never),
                ("true", InertiaFromGeom::Always),
                ("auto", InertiaFromGeom::WithoutInertial),
            ];
            s.inertia_from_geom = a.keyword("inertiafromgeom", &sources)?.unwrap_or(s.inertia_from_geom);
            if let Some([low, high]) = a.reals::<2>("inertiagrouprange")? {
                s.inertia_group_range = [low as i32, high as i32];
            }
            s.balance_inertia = a.flag_or("balanceinertia", s.balance_inertia)?;
            s.bound_mass = a.nonnegative_or("boundmass", s.bound_mass)?;
            s.bound_inertia = a.nonnegative_or("boundinertia", s.bound_inertia)?;
            s.total_mass = a.real("settotalmass")?.or(s.total_mass).filter(|m| *m > 0.0);
            s.align_free = a.flag_or("alignfree", s.align_free)?;
            s.discard_visual = a.flag_or("discardvisual", s.discard_visual)?;
            a.refuse("coordinate", &["local"], "MuJoCo dropped global coordinates; write local ones")?;
            a.refuse("fusestatic", &["false"], "static bodies are kept")?;
            a.refuse("conflict", &["warning"], "options of attached models are not merged")?;
        }
        Ok(s)
    }

    /// The rotation that an element asks for, if it has one of the five orientation attributes.
    pub fn orientation(&self, a: &Attributes) -> Result<Option<DQuat>, LoadError> {
        let unit = self.angle_unit;
        if let Some([w, x, y, z]) = a.reals::<4>("quat")? {
            let q = DQuat::from_xyzw(x, y, z, w);
            if q.length() < 1e-15 {
                return Err(a.error_at("quat", "quat is zero; it must be a rotation"));
            }
            return Ok(Some(q.normalize()));
        }
        if let Some([x, y, z, angle]) = a.reals::<4>("axisangle")? {
            let axis = unit_vector(a, "axisangle", DVec3::new(x, y, z))?;
            return Ok(Some(DQuat::from_axis_angle(axis, angle * unit)));
        }
        if let Some([x, y, z, u, v, w]) = a.reals::<6>("xyaxes")? {
            let x_axis = unit_vector(a, "xyaxes", DVec3::new(x, y, z))?;
            let y_axis = DVec3::new(u, v, w);
            let y_axis = unit_vector(a, "xyaxes", y_axis - x_axis * x_axis.dot(y_axis))?;
            return Ok(Some(rotation_of_axes(x_axis, y_axis)));
        }
        if let Some([x, y, z]) = a.reals::<3>("zaxis")? {
            return Ok(Some(rotation_of_z_to(unit_vector(a, "zaxis", DVec3::new(x, y, z))?)));
        }
        if let Some(angles) = a.reals::<3>("euler")? {
            return Ok(Some(self.euler(angles)));
        }
        Ok(None)
    }

    /// The rotation of three Euler angles in the file's unit and sequence; capital letters turn about fixed axes.
    pub fn euler(&self, angles: [f64; 3]) -> DQuat {
        let mut q = DQuat::IDENTITY;
        for (letter, angle) in self.euler_sequence.iter().zip(angles) {
            let axis = match letter.to_ascii_lowercase() {
                'x' => DVec3::X,
                'y' => DVec3::Y,
                _ => DVec3::Z,
            };
            let turn = DQuat::from_axis_angle(axis, angle * self.angle_unit);
            q = if letter.is_ascii_lowercase() { q * turn } else { turn * q };
        }
        q.normalize()
    }

    /// The position and rotation of an element's frame in its parent's.
    pub fn pose(&self, a: &Attributes) -> Result<Pose, LoadError> {
        let position = a.reals::<3>("pos")?.map_or(DVec3::ZERO, DVec3::from_array);
        Ok(Pose { position, rotation: self.orientation(a)?.unwrap_or(DQuat::IDENTITY) })
    }
}

/// Refuses more than one orientation on the element itself (its class may have another).
pub(crate) fn check_single_orientation(element: &Element) -> Result<(), LoadError> {
    let names = ORIENTATIONS.iter().copied().chain(["fullinertia"]);
    let given: Vec<&str> = names.filter(|n| element.attribute(n).is_some()).collect();
    if given.len() > 1 {
        return Err(element.error(format!("{} exclude each other; give one orientation", given.join(" and "))));
    }
    Ok(())
}

pub(crate) fn unit_vector(a: &Attributes, name: &str, v: DVec3) -> Result<DVec3, LoadError> {
    let length = v.length();
    if length.is_finite() && length > 1e-14 {
        Ok(v / length)
    } else {
        Err(a.error_at(name, format!("{name}: the direction [{}, {}, {}] has no length", v.x, v.y, v.z)))
    }
}

/// One MJCF file.
#[derive(Debug)]
pub(crate) struct Source {
    pub root: Element,
    pub compiler: CompilerSettings,
    pub defaults: DefaultClasses,
    /// Where attached models are looked for; `None` for text.
    pub directory: Option<PathBuf>,
}

impl Source {
    pub fn from_file(path: &Path) -> Result<Source, LoadError> {
        let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Source::new(xml_tree::read_file(path)?, Some(directory))
    }

    pub fn from_text(xml: &str, name: &Path, directory: Option<PathBuf>) -> Result<Source, LoadError> {
        Source::new(xml_tree::read_text_with_includes(xml, name, directory.clone())?, directory)
    }

    fn new(root: Element, directory: Option<PathBuf>) -> Result<Source, LoadError> {
        schema::check(&root)?;
        let compiler = CompilerSettings::read(&root)?;
        let defaults = DefaultClasses::read(&root)?;
        Ok(Source { root, compiler, defaults, directory })
    }

    /// Refuses a reference to an asset that the model does not have. An asset without a name has that of its file.
    pub fn check_asset(&self, a: &Attributes, attribute: &str) -> Result<(), LoadError> {
        let Some(name) = a.text(attribute).filter(|n| !n.is_empty()) else { return Ok(()) };
        let names = || self.section("asset").filter(|e| &*e.name == attribute).filter_map(asset_name);
        if names().any(|known| known == name) {
            return Ok(());
        }
        let hint = schema::suggestion(name, names());
        Err(a.error_at(attribute, format!("{attribute} \"{name}\": there is no {attribute} of this name{hint}")))
    }

    /// The elements of every section called `section`.
    pub fn section(&self, section: &'static str) -> impl Iterator<Item = &Element> {
        self.root.children.iter().filter(move |e| &*e.name == section).flat_map(|e| &e.children)
    }
}

fn asset_name(asset: &Element) -> Option<&str> {
    let stem = || Path::new(asset.attribute("file")?).file_stem()?.to_str();
    asset.attribute("name").or_else(stem)
}
