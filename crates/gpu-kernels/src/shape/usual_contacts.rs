//! How many contacts an environment has at most times: what the fast workspace is first given.
//!
//! An estimate. An environment with more is stepped again in the retry pool, so it decides speed, never results.

use std::collections::{BTreeMap, BTreeSet};

use super::Shape;
use super::collision_table::{CollisionTable, Pair};
use crate::pairs::PAIR_TYPES;
use phalanx_model::Model;

/// Contacts for each loose body that touches at points, like a sphere. In a heap without friction a sphere has six
/// neighbours, so three contacts are its own; a hundred spheres in a bowl had 2.2.
const OF_ROUND_BODY: u64 = 3;
/// Contacts for each loose body that lies on faces or edges, like a box. A cube on a cube has four; a tower of twelve that
/// was pushed had 4.7, thirty boxes in a heap 4.1.
const OF_FLAT_BODY: u64 = 5;
/// Fewer are not worth saving.
const FEWEST: u64 = 8;

impl Shape {
    /// Contacts that the fast workspace is first given.
    pub fn usual_contacts(&self) -> u64 {
        let usual = of_robots(&self.collisions) + of_loose_bodies(&self.collisions);
        usual.max(FEWEST).min(self.proven_contacts())
    }

    /// Jacobian entries that go with the usual contacts: for those of robots as many as the longest chain to an immovable geom,
    /// for those of loose bodies as many as two of them have.
    pub fn usual_jacobian_entries(&self) -> u64 {
        let table = &self.collisions;
        let loose = of_loose_bodies(table);
        let robots = self.usual_contacts().saturating_sub(loose);
        let longest = |pairs: &dyn Fn(&Pair) -> bool| {
            table.pairs.iter().filter(|pair| pairs(pair)).map(|pair| pair.chain_length as u64).max()
        };
        let of_robot = longest(&|pair| !is_loose(table, pair) && pair.with_static).or_else(|| longest(&|_| true));
        let of_loose = longest(&|pair| is_loose(table, pair));
        (robots * of_robot.unwrap_or(0) + loose * of_loose.unwrap_or(0)).min(self.proven_jacobian_entries())
    }
}

/// Geoms of bodies that can move and are joined to no other body that can.
pub(super) fn loose_geoms(model: &Model) -> BTreeSet<usize> {
    let top = |body: usize| {
        let (mut body, mut top) = (body, 0);
        while body > 0 {
            if model.body_dofnum[body] > 0 {
                top = body;
            }
            body = model.body_parentid[body] as usize;
        }
        top
    };
    let mut movable = vec![0; model.nbody];
    (0..model.nbody).filter(|&body| model.body_dofnum[body] > 0).for_each(|body| movable[top(body)] += 1);
    (0..model.ngeom).filter(|&geom| movable[top(model.geom_bodyid[geom] as usize)] == 1).collect()
}

fn is_loose(table: &CollisionTable, pair: &Pair) -> bool {
    table.loose.contains(&pair.geom1) || table.loose.contains(&pair.geom2)
}

/// A little more than one for every geom that can touch anything but loose bodies. In a robot that lies on the floor about
/// every geom has a contact; of several robots not all lie at once.
fn of_robots(table: &CollisionTable) -> u64 {
    let pairs = table.pairs.iter().filter(|pair| !is_loose(table, pair));
    let touching: BTreeSet<usize> = pairs.flat_map(|pair| [pair.geom1, pair.geom2]).collect();
    let n = touching.len() as u64;
    (n * 5 / 4).min(22 + n * 2 / 5).min(64)
}

/// So many for each, whatever it touches.
fn of_loose_bodies(table: &CollisionTable) -> u64 {
    let mut most = BTreeMap::new();
    for pair in &table.pairs {
        for geom in [pair.geom1, pair.geom2].into_iter().filter(|geom| table.loose.contains(geom)) {
            let of_pair = PAIR_TYPES[pair.pair_type].most;
            most.entry(geom).and_modify(|most: &mut usize| *most = of_pair.max(*most)).or_insert(of_pair);
        }
    }
    most.values().map(|most| if *most == 1 { OF_ROUND_BODY } else { OF_FLAT_BODY }).sum()
}
