//! Fills the arrays of explicit contact pairs and exclusions.

use crate::contact_element::{Exclude, Pair};
use crate::load_error::LoadError;
use crate::model::Model;
use crate::scene::Scene;

/// Most bodies that a contact signature can tell apart.
const MAX_SIGNED_BODIES: usize = 1 << 15;

pub(crate) fn set(
    m: &mut Model,
    scene: &Scene,
    geom_index: &[Vec<Option<usize>>],
    pairs: &[Pair],
    excludes: &[Exclude],
) -> Result<(), LoadError> {
    if m.nbody > MAX_SIGNED_BODIES && !(pairs.is_empty() && excludes.is_empty()) {
        let message =
            format!("more than {MAX_SIGNED_BODIES} bodies are possible only without contact pairs and exclusions");
        return Err(scene.bodies[0].attributes.error(message));
    }
    for p in pairs {
        let [first, second] = [0, 1].map(|i| geom_index[p.geoms[i].body][p.geoms[i].local].unwrap_or_default() as i32);
        m.npair += 1;
        m.names.pair.push(p.name.clone());
        m.pair_dim.push(p.condim);
        m.pair_geom1.push(first);
        m.pair_geom2.push(second);
        m.pair_signature.push(signature([p.geoms[0].body, p.geoms[1].body]));
        m.pair_solref.extend(p.solref);
        m.pair_solreffriction.extend(p.solref_friction);
        m.pair_solimp.extend(p.solimp);
        m.pair_margin.push(p.margin);
        m.pair_gap.push(p.gap);
        m.pair_friction.extend(p.friction);
    }
    for e in excludes {
        m.nexclude += 1;
        m.names.exclude.push(e.name.clone());
        m.exclude_signature.push(signature(e.bodies));
    }
    Ok(())
}

fn signature([first, second]: [usize; 2]) -> i32 {
    ((first as i32) << 16) | second as i32
}
