//! Sizes and topology arrays: who is above whom, who drives what.
use super::collision_table::{CollisionTable, last_dof};
use crate::pairs::PAIR_TYPES;
use phalanx_model::Model;
use std::collections::BTreeMap;

type Sizes = BTreeMap<&'static str, i64>;
type Arrays = BTreeMap<&'static str, Vec<i32>>;

/// MuJoCo's joint types that end in an orientation.
const FREE: i32 = 0;
const BALL: i32 = 1;

/// MuJoCo's mjENBL_OVERRIDE.
const ENABLE_OVERRIDE: u32 = 1 << 0;

/// A matrix of more dofs is no longer dense: each tree is a block of its own, or the pattern rules. A team of 32 lanes has two
/// columns of so many in registers.
const MOST_DENSE_DOFS: i64 = 48;

/// Trees of fewer dofs leave most lanes idle when one after the other is factored in registers: such models go by the pattern.
const LEAST_TREE_DOFS: i64 = 12;

/// All sizes and topology arrays of the field table.
pub(super) fn of(model: &Model, collisions: &CollisionTable) -> (Sizes, Arrays) {
    let mut sizes = Sizes::new();
    let mut arrays = Arrays::new();
    copies(model, &mut arrays);
    bodies(model, &mut arrays);
    dofs(model, &mut arrays);
    collision(collisions, &mut arrays);
    actuators(model, &mut arrays);
    let count = |name: &str| arrays[name].len() as i64;
    let (nv, nbody) = (model.nv as i64, model.nbody as i64);
    let tree_max = arrays["tree_dofnum"].iter().copied().max().map_or(0, i64::from);
    // Dofs of a block that a team factors in registers: all of them, a tree's, or none.
    let blocks = match nv {
        _ if nv <= MOST_DENSE_DOFS => nv,
        _ if (LEAST_TREE_DOFS..=MOST_DENSE_DOFS).contains(&tree_max) => tree_max,
        _ => 0,
    };
    sizes.extend([
        ("nq", model.nq as i64),
        ("nv", nv),
        ("nu", model.nu as i64),
        ("na", model.na as i64),
        ("nbody", nbody),
        ("njnt", model.njnt as i64),
        ("ngeom", model.ngeom as i64),
        ("nsite", model.nsite as i64),
        ("nmocap", model.nmocap as i64),
        ("npair", model.npair as i64),
        ("nM", arrays["dof_depth"].iter().map(|d| i64::from(*d) + 1).sum()),
        ("nlower", nv * (nv + 1) / 2),
        ("level_count", count("level_adr") - 1),
        ("level_adr_count", count("level_adr")),
        ("child_count", count("child_body")),
        ("collision_count", count("collision_geom1")),
        ("collision_type_adr_count", count("collision_typeadr")),
        ("dof_actuator_count", count("actuator_list")),
        ("joint_types", model.jnt_type.iter().fold(0, |bits, t| bits | 1 << t)),
        ("turning_actuators", i64::from(arrays["actuator_trnid"].iter().any(|j| model.jnt_type[*j as usize] <= BALL))),
        ("actuator_gravcomp", i64::from(model.jnt_actgravcomp.iter().any(|f| *f != 0))),
        ("disabled_actuators", arrays["actuator_disabled"].iter().map(|d| i64::from(*d)).sum()),
        ("contact_override", i64::from(model.opt.enableflags & ENABLE_OVERRIDE != 0)),
        ("pair_types", collisions.pairs.iter().fold(0, |bits, p| bits | 1 << p.pair_type)),
        ("ntree", count("tree_dofadr")),
        ("tree_dof_max", tree_max),
        ("trees_alike", i64::from(trees_alike(model, &arrays))),
        ("free_block_count", arrays["body_freeblock"].iter().map(|f| i64::from(*f)).sum()),
        ("tree_lower", if nv > MOST_DENSE_DOFS && blocks > 0 { tree_max * (tree_max + 1) / 2 } else { 0 }),
        ("pivot_words", 2 * ((blocks + 4) / 4 * 4) * i64::from(blocks > 0)),
        ("pattern_dofs", if nv > MOST_DENSE_DOFS { nv } else { 0 }),
        ("pattern_bodies", if nv > MOST_DENSE_DOFS { nbody } else { 0 }),
        ("pattern_columns", if nv > MOST_DENSE_DOFS { most_columns(&arrays["body_dofnum"]) } else { 0 }),
        ("pattern_words", if nv > MOST_DENSE_DOFS { nbody * ((nbody + 31) / 32) } else { 0 }),
        ("friction_row_max", friction_rows(model)),
        ("ball_row_max", if has_ball_limit(model) { friction_rows(model) + limit_rows(model) } else { 0 }),
        ("row_max", friction_rows(model) + limit_rows(model)),
    ]);
    (sizes, arrays)
}

/// Friction rows at most: one for every dof, or none where the model has no dry friction.
fn friction_rows(model: &Model) -> i64 {
    if model.dof_frictionloss.iter().any(|f| *f > 0.0) { model.nv as i64 } else { 0 }
}

fn has_ball_limit(model: &Model) -> bool {
    (0..model.njnt).any(|j| model.jnt_limited[j] != 0 && model.jnt_type[j] == BALL)
}

/// Limit rows at most: both sides of a hinge or slide, one of a ball.
fn limit_rows(model: &Model) -> i64 {
    let limited = (0..model.njnt).filter(|j| model.jnt_limited[*j] != 0);
    limited.map(|j| if model.jnt_type[j] == BALL { 1 } else { 2 }).sum()
}

/// Columns that the bodies' rows have beyond themselves in whatever order they are eliminated: of two bodies the later one's
/// dofs.
fn most_columns(body_dofs: &[i32]) -> i64 {
    let mut dofs: Vec<i64> = body_dofs.iter().copied().filter(|n| *n > 0).map(i64::from).collect();
    dofs.sort_unstable();
    dofs.iter().zip(0..).map(|(dofs, smaller)| dofs * smaller).sum()
}

fn copies(model: &Model, arrays: &mut Arrays) {
    let mut copy = |name: &'static str, values: &[i32]| arrays.insert(name, values.to_vec());
    copy("body_parentid", &model.body_parentid);
    copy("body_rootid", &model.body_rootid);
    copy("body_jntnum", &model.body_jntnum);
    copy("body_jntadr", &model.body_jntadr);
    copy("body_dofnum", &model.body_dofnum);
    copy("body_dofadr", &model.body_dofadr);
    copy("body_simple", &model.body_simple);
    copy("body_mocapid", &model.body_mocapid);
    copy("jnt_type", &model.jnt_type);
    copy("jnt_qposadr", &model.jnt_qposadr);
    copy("jnt_dofadr", &model.jnt_dofadr);
    copy("jnt_limited", &model.jnt_limited);
    copy("jnt_actfrclimited", &model.jnt_actfrclimited);
    copy("jnt_actgravcomp", &model.jnt_actgravcomp);
    copy("dof_bodyid", &model.dof_bodyid);
    copy("dof_jntid", &model.dof_jntid);
    copy("dof_parentid", &model.dof_parentid);
    copy("geom_type", &model.geom_type);
    copy("geom_bodyid", &model.geom_bodyid);
    copy("geom_condim", &model.geom_condim);
    copy("geom_priority", &model.geom_priority);
    copy("site_bodyid", &model.site_bodyid);
    copy("pair_dim", &model.pair_dim);
    copy("actuator_trntype", &model.actuator_trntype);
    copy("actuator_gaintype", &model.actuator_gaintype);
    copy("actuator_biastype", &model.actuator_biastype);
    copy("actuator_ctrllimited", &model.actuator_ctrllimited);
    copy("actuator_forcelimited", &model.actuator_forcelimited);
    copy("actuator_trnid", &model.actuator_trnid.iter().step_by(2).copied().collect::<Vec<_>>());
}

/// Children, levels and subtrees; bodies are in depth-first order, so a subtree is a range.
fn bodies(model: &Model, arrays: &mut Arrays) {
    let n = model.nbody;
    let mut children = vec![Vec::new(); n];
    let mut depth = vec![0usize; n];
    for body in 1..n {
        let parent = model.body_parentid[body] as usize;
        children[parent].push(body as i32);
        depth[body] = depth[parent] + 1;
    }
    let mut end: Vec<i32> = (1..=n as i32).collect();
    for body in (1..n).rev() {
        let parent = model.body_parentid[body] as usize;
        end[parent] = end[parent].max(end[body]);
    }
    let mut by_level: Vec<i32> = (0..n as i32).collect();
    by_level.sort_by_key(|b| (depth[*b as usize], *b));
    let levels = depth.iter().max().map_or(1, |d| d + 1);
    // Two levels at least, so that a model without bodies needs no case of its own.
    let level_adr = (0..=levels.max(2)).map(|l| depth.iter().filter(|d| **d < l).count() as i32).collect();
    let free_block = (0..n).map(|b| i32::from(is_free_block(model, b, end[b] as usize))).collect();
    arrays.insert("body_lastdof", (0..n).map(|b| last_dof(model, b)).collect());
    arrays.insert("body_childnum", children.iter().map(|c| c.len() as i32).collect());
    arrays.insert("body_childadr", starts(&children));
    arrays.insert("child_body", children.concat());
    arrays.insert("level_body", by_level);
    arrays.insert("level_adr", level_adr);
    arrays.insert("body_subtree_end", end);
    arrays.insert("body_freeblock", free_block);
}

/// A free body whose descendants have no joints.
fn is_free_block(model: &Model, body: usize, end: usize) -> bool {
    model.body_jntnum[body] == 1
        && model.jnt_type[model.body_jntadr[body] as usize] == FREE
        && (body + 1..end).all(|b| model.body_jntnum[b] == 0)
}

fn dofs(model: &Model, arrays: &mut Arrays) {
    let n = model.nv;
    let mut depth = vec![0i32; n];
    let mut address = vec![0i32; n];
    let mut next = 0;
    for dof in 0..n {
        let parent = model.dof_parentid[dof];
        depth[dof] = if parent < 0 { 0 } else { depth[parent as usize] + 1 };
        address[dof] = next;
        next += depth[dof] + 1;
    }
    let mut end: Vec<i32> = (1..=n as i32).collect();
    for dof in (0..n).rev() {
        let parent = model.dof_parentid[dof];
        if parent >= 0 {
            end[parent as usize] = end[parent as usize].max(end[dof]);
        }
    }
    let roots: Vec<usize> = (0..n).filter(|dof| model.dof_parentid[*dof] < 0).collect();
    let tree = |dof: usize| roots.iter().filter(|root| **root <= dof).count() as i32 - 1;
    arrays.insert("dof_treeid", (0..n).map(tree).collect());
    arrays.insert("tree_dofadr", roots.iter().map(|root| *root as i32).collect());
    arrays.insert("tree_dofnum", roots.iter().map(|root| end[*root] - *root as i32).collect());
    arrays.insert("dof_depth", depth);
    arrays.insert("dof_Madr", address);
    arrays.insert("dof_subtree_end", end);
}

/// Whether every tree has as many dofs as the first, with the same dofs above and the same groups of them on one body.
fn trees_alike(model: &Model, arrays: &Arrays) -> bool {
    let (first, count) = (&arrays["tree_dofadr"], &arrays["tree_dofnum"]);
    let arrangement = |tree: usize| {
        let start = first[tree];
        (start..start + count[tree]).map(move |dof| {
            let (parent, body) = (model.dof_parentid[dof as usize], model.dof_bodyid[dof as usize]);
            (if parent < 0 { -1 } else { parent - start }, model.body_dofadr[body as usize] - start)
        })
    };
    (1..first.len()).all(|tree| arrangement(tree).eq(arrangement(0)))
}

fn collision(collisions: &CollisionTable, arrays: &mut Arrays) {
    let pairs = &collisions.pairs;
    arrays.insert("collision_geom1", pairs.iter().map(|p| p.geom1 as i32).collect());
    arrays.insert("collision_geom2", pairs.iter().map(|p| p.geom2 as i32).collect());
    arrays.insert("collision_pairid", pairs.iter().map(|p| p.named.map_or(-1, |n| n as i32)).collect());
    let before = |t: usize| pairs.iter().filter(|p| p.pair_type < t).count() as i32;
    arrays.insert("collision_typeadr", (0..=PAIR_TYPES.len()).map(before).collect());
}

/// Which actuators drive each dof, and which are off.
fn actuators(model: &Model, arrays: &mut Arrays) {
    let mut drivers = vec![Vec::new(); model.nv];
    for (actuator, &joint) in arrays["actuator_trnid"].iter().enumerate() {
        let joint = joint as usize;
        let first = model.jnt_dofadr[joint] as usize;
        let count = match model.jnt_type[joint] {
            FREE => 6,
            BALL => 3,
            _ => 1,
        };
        (first..first + count).for_each(|dof| drivers[dof].push(actuator as i32));
    }
    let disabled = |group: &i32| i32::from((0..=30).contains(group) && model.opt.disableactuator >> group & 1 != 0);
    arrays.insert("actuator_disabled", model.actuator_group.iter().map(disabled).collect());
    arrays.insert("dof_actuatornum", drivers.iter().map(|d| d.len() as i32).collect());
    arrays.insert("dof_actuatoradr", starts(&drivers));
    arrays.insert("actuator_list", drivers.concat());
}

/// Where each group starts when groups are laid one after the other.
fn starts(groups: &[Vec<i32>]) -> Vec<i32> {
    let mut next = 0;
    let mut result = Vec::with_capacity(groups.len());
    for group in groups {
        result.push(next);
        next += group.len() as i32;
    }
    result
}
