//! Which geom pairs may touch, by MuJoCo's filters, sorted by pair type.
use super::ShapeError;
use crate::pairs::{geom, pair_type};
use phalanx_model::Model;
use std::collections::BTreeSet;

/// MuJoCo's mjDSBL_FILTERPARENT.
const DISABLE_FILTERPARENT: u32 = 1 << 10;

/// One pair that may touch.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) geom1: usize,
    pub(super) geom2: usize,
    /// The pair that the model names, or none.
    pub(super) named: Option<usize>,
    pub(super) pair_type: usize,
    /// Contact dimension.
    pub(super) dim: usize,
    /// Dofs that move the two bodies differently.
    pub(super) chain_length: usize,
    /// Whether one of the bodies cannot move.
    pub(super) with_static: bool,
}

/// All pairs that may touch.
#[derive(Clone, Debug, Default)]
pub(super) struct CollisionTable {
    pub(super) pairs: Vec<Pair>,
    /// Geoms of bodies that can move and are joined to no other body that can.
    pub(super) loose: BTreeSet<usize>,
}

impl CollisionTable {
    pub(super) fn of(model: &Model) -> Result<CollisionTable, ShapeError> {
        let mut pairs = Vec::new();
        let mut named = BTreeSet::new();
        for p in 0..model.npair {
            let (a, b) = (model.pair_geom1[p] as usize, model.pair_geom2[p] as usize);
            named.insert((a.min(b), a.max(b)));
            pairs.extend(pair(model, a, b, Some(p))?);
        }
        for a in 0..model.ngeom {
            for b in a + 1..model.ngeom {
                if !named.contains(&(a, b)) && bodies_may_touch(model, a, b) && bits_match(model, a, b) {
                    pairs.extend(pair(model, a, b, None)?);
                }
            }
        }
        pairs.sort_by_key(|p| (p.pair_type, p.geom1, p.geom2));
        Ok(CollisionTable { pairs, loose: super::usual_contacts::loose_geoms(model) })
    }
}

/// The pair in the order of the shapes' types; none for two immovable shapes that no function could ever separate.
fn pair(model: &Model, a: usize, b: usize, named: Option<usize>) -> Result<Option<Pair>, ShapeError> {
    let (a, b) = if model.geom_type[a] > model.geom_type[b] { (b, a) } else { (a, b) };
    if model.geom_type[a] == geom::PLANE && model.geom_type[b] == geom::PLANE {
        return Ok(None);
    }
    let Some(pair_type) = pair_type(model.geom_type[a], model.geom_type[b]) else {
        return Err(ShapeError::NoCollisionFunction {
            first: geom_name(model, a),
            first_type: type_name(model.geom_type[a]),
            second: geom_name(model, b),
            second_type: type_name(model.geom_type[b]),
        });
    };
    let (body1, body2) = (model.geom_bodyid[a] as usize, model.geom_bodyid[b] as usize);
    let dim = dim(model, a, b, named);
    super::refusals::check_dimension(model, a, b, dim)?;
    let chain_length = chain_length(model, body1, body2);
    let with_static = model.body_weldid[body1] == 0 || model.body_weldid[body2] == 0;
    Ok(Some(Pair { geom1: a, geom2: b, named, pair_type, dim, chain_length, with_static }))
}

fn dim(model: &Model, a: usize, b: usize, named: Option<usize>) -> usize {
    let dim = match named {
        Some(p) => model.pair_dim[p],
        None => match model.geom_priority[a].cmp(&model.geom_priority[b]) {
            std::cmp::Ordering::Greater => model.geom_condim[a],
            std::cmp::Ordering::Less => model.geom_condim[b],
            std::cmp::Ordering::Equal => model.geom_condim[a].max(model.geom_condim[b]),
        },
    };
    dim as usize
}

/// MuJoCo's body filters: the same welded body, parent and child, excluded bodies.
fn bodies_may_touch(model: &Model, a: usize, b: usize) -> bool {
    let (body1, body2) = (model.geom_bodyid[a] as usize, model.geom_bodyid[b] as usize);
    let (weld1, weld2) = (model.body_weldid[body1], model.body_weldid[body2]);
    if weld1 == weld2 {
        return false;
    }
    if model.opt.disableflags & DISABLE_FILTERPARENT == 0 && weld1 != 0 && weld2 != 0 {
        let above = |weld: i32| model.body_weldid[model.body_parentid[weld as usize] as usize];
        if weld1 == above(weld2) || weld2 == above(weld1) {
            return false;
        }
    }
    let (low, high) = (body1.min(body2) as i32, body1.max(body2) as i32);
    !model.exclude_signature.contains(&((low << 16) + high))
}

fn bits_match(model: &Model, a: usize, b: usize) -> bool {
    model.geom_contype[a] & model.geom_conaffinity[b] != 0 || model.geom_contype[b] & model.geom_conaffinity[a] != 0
}

/// The last dof that moves the body, or -1.
pub(super) fn last_dof(model: &Model, body: usize) -> i32 {
    let mut body = body;
    while body > 0 {
        if model.body_dofnum[body] > 0 {
            return model.body_dofadr[body] + model.body_dofnum[body] - 1;
        }
        body = model.body_parentid[body] as usize;
    }
    -1
}

/// Dofs that move the two bodies differently: both chains up to where they meet.
fn chain_length(model: &Model, body1: usize, body2: usize) -> usize {
    let (mut a, mut b) = (last_dof(model, body1), last_dof(model, body2));
    let mut length = 0;
    while a != b {
        if a > b {
            a = model.dof_parentid[a as usize];
        } else {
            b = model.dof_parentid[b as usize];
        }
        length += 1;
    }
    length
}

fn geom_name(model: &Model, geom: usize) -> String {
    model.names.geom.get(geom).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| format!("#{geom}"))
}

fn type_name(geom_type: i32) -> &'static str {
    ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"]
        .get(geom_type as usize)
        .unwrap_or(&"unknown")
}
