//! Reads explicit contact pairs and exclusions.

use std::collections::HashMap;

use crate::attributes::Attributes;
use crate::joint_element::{solimp, solref};
use crate::load_error::LoadError;
use crate::scene::{Kind, Named, Scene};
use crate::solid_inertia::Shape;
use crate::xml_tree::Element;

/// A pair of geoms with contact parameters of its own.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub name: String,
    pub geoms: [Named; 2],
    pub condim: i32,
    pub friction: [f64; 5],
    pub solref: [f64; 2],
    pub solref_friction: [f64; 2],
    pub solimp: [f64; 5],
    pub margin: f64,
    pub gap: f64,
}

/// Two bodies whose geoms do not touch, the lower index first.
#[derive(Clone, Debug)]
pub(crate) struct Exclude {
    pub name: String,
    pub bodies: [usize; 2],
}

/// All pairs and exclusions, ordered by MuJoCo's signature: first body, then second.
pub(crate) fn read_all(scene: &mut Scene) -> Result<(Vec<Pair>, Vec<Exclude>), LoadError> {
    let (mut pairs, mut excludes) = (Vec::new(), Vec::new());
    for scope in 0..scene.scopes.len() {
        let source = scene.scopes[scope].source.clone();
        for element in source.section("contact") {
            if &*element.name == "pair" {
                pairs.extend(read_pair(element, scene, scope)?);
            } else {
                excludes.extend(read_exclude(element, scene, scope)?);
            }
        }
    }
    pairs.sort_by_key(|p| (p.geoms[0].body, p.geoms[1].body));
    excludes.sort_by_key(|e| e.bodies);
    Ok((pairs, excludes))
}

/// What two references mean together, once for every replica that holds both.
fn find_both(
    scene: &Scene,
    scope: usize,
    kind: Kind,
    a: &Attributes,
    names: [&str; 2],
) -> Result<Vec<(Named, Named)>, LoadError> {
    let text = [a.required_text(names[0])?, a.required_text(names[1])?];
    let found = text.map(|t| scene.find(kind, scope, t));
    for i in 0..2 {
        if found[i].is_empty() {
            // What an attached model refers to may have been left behind; in the main model it is a mistake.
            let missing = scene.not_found(kind, a, names[i], text[i]);
            return if scope == 0 { Err(missing) } else { Ok(Vec::new()) };
        }
    }
    let second: HashMap<&str, &Named> = found[1].iter().map(|n| (n.replica.as_str(), n)).collect();
    let partner = |first: &Named| second.get(first.replica.as_str()).map(|n| (first.clone(), Named::clone(n)));
    let both: Vec<(Named, Named)> = found[0].iter().filter_map(partner).collect();
    if both.is_empty() {
        let message = format!("\"{}\" and \"{}\" are not in the same replica; name one copy of each", text[0], text[1]);
        return Err(a.error_at(names[1], message));
    }
    Ok(both)
}

fn claim(scene: &mut Scene, scope: usize, kind: Kind, element: &Element, replica: &str) -> Result<String, LoadError> {
    scene.count_object(&element.place)?;
    let base = element.attribute("name").unwrap_or_default();
    let s = &scene.scopes[scope];
    let name = if base.is_empty() { String::new() } else { format!("{}{base}{replica}{}", s.prefix, s.suffix) };
    scene.claim(kind, &name, &element.place)?;
    Ok(name)
}

fn read_pair(element: &Element, scene: &mut Scene, scope: usize) -> Result<Vec<Pair>, LoadError> {
    let a = scene.scopes[scope].source.defaults.complete(element, None)?;
    a.refuse("adhesion", &["0"], "adhesion is not supported")?;
    let mut pairs = Vec::new();
    for (first, second) in find_both(scene, scope, Kind::Geom, &a, ["geom1", "geom2"])? {
        if first == second {
            return Err(a.error_at("geom2", "a geom cannot touch itself; name two geoms"));
        }
        for (attribute, named) in [("geom1", &first), ("geom2", &second)] {
            let geom = &scene.bodies[named.body].geoms[named.local];
            if geom.shape == Shape::Mesh {
                return Err(a.error_at(attribute, format!("geom \"{}\" is a mesh; meshes do not collide", geom.name)));
            }
        }
        let condim = a.int_or("condim", 3)?;
        if ![1, 3, 4, 6].contains(&condim) {
            return Err(a.error_at("condim", format!("condim {condim} must be 1, 3, 4 or 6")));
        }
        let name = claim(scene, scope, Kind::Pair, element, &first.replica)?;
        let mut friction = [1.0, 1.0, 0.005, 0.0001, 0.0001];
        a.fill("friction", &mut friction)?;
        let mut solref_friction = [0.0; 2];
        a.fill("solreffriction", &mut solref_friction)?;
        let mut geoms = [first, second];
        if geoms[0].body > geoms[1].body {
            geoms.reverse();
        }
        pairs.push(Pair {
            name,
            geoms,
            condim,
            friction,
            solref: solref(&a, "solref")?,
            solref_friction,
            solimp: solimp(&a, "solimp")?,
            margin: a.real_or("margin", 0.0)?,
            gap: a.real_or("gap", 0.0)?,
        });
    }
    Ok(pairs)
}

fn read_exclude(element: &Element, scene: &mut Scene, scope: usize) -> Result<Vec<Exclude>, LoadError> {
    let a = Attributes::of(element);
    let mut excludes = Vec::new();
    for (first, second) in find_both(scene, scope, Kind::Body, &a, ["body1", "body2"])? {
        let name = claim(scene, scope, Kind::Exclude, element, &first.replica)?;
        let mut bodies = [first.body, second.body];
        bodies.sort_unstable();
        excludes.push(Exclude { name, bodies });
    }
    Ok(excludes)
}
