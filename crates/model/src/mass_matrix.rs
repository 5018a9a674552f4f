//! The joint-space mass matrix at `qpos0`, one dense block per kinematic tree, factorised.
//!
//! Composite rigid bodies (Featherstone, Rigid Body Dynamics Algorithms, table 6.2). Frame: world axes at the centre of
//! mass of the tree.

use glam::{DMat3, DVec3};

use crate::body_inertia::parallel_axis;
use crate::model::Model;
use crate::reference_pose::{DofMotion, ReferencePose};

/// One tree's dofs `first..first + count`, and the lower Cholesky factor of its mass matrix, row-major.
struct Block {
    first: usize,
    count: usize,
    factor: Vec<f64>,
}

/// M(qpos0) with armature.
pub(crate) struct MassMatrix {
    pub diagonal: Vec<f64>,
    blocks: Vec<Block>,
    /// Block of each dof.
    block_of: Vec<usize>,
}

/// Mass, first moment and inertia of a subtree about a point.
#[derive(Clone, Copy)]
struct Composite {
    mass: f64,
    moment: DVec3,
    inertia: DMat3,
}

impl MassMatrix {
    /// Builds and factorises M; `Err` names a dof whose inertia is not positive.
    pub fn new(m: &Model, pose: &ReferencePose, armature: &[f64]) -> Result<MassMatrix, usize> {
        let mut tree_reference = vec![DVec3::ZERO; m.ntree];
        for b in (1..m.nbody).rev() {
            if let Ok(tree) = usize::try_from(m.body_treeid[b]) {
                tree_reference[tree] = pose.subtree_center[b]; // the root, which has the lowest index, comes last
            }
        }
        let reference = |body: usize| usize::try_from(m.body_treeid[body]).map_or(DVec3::ZERO, |t| tree_reference[t]);
        let mut composite: Vec<Composite> = (0..m.nbody)
            .map(|b| {
                let (mass, arm) = (m.body_mass[b], pose.center[b] - reference(b));
                Composite { mass, moment: arm * mass, inertia: pose.inertia[b] + mass * parallel_axis(arm) }
            })
            .collect();
        for b in (1..m.nbody).rev() {
            let (parent, up) = (m.body_parentid[b] as usize, composite[b]);
            composite[parent].mass += up.mass;
            composite[parent].moment += up.moment;
            composite[parent].inertia += up.inertia;
        }

        let mut blocks: Vec<Block> = Vec::new();
        let mut block_of = vec![0; m.nv];
        for (dof, block) in block_of.iter_mut().enumerate() {
            if m.dof_parentid[dof] < 0 {
                blocks.push(Block { first: dof, count: 0, factor: Vec::new() });
            }
            *block = blocks.len() - 1;
            blocks[*block].count += 1;
        }
        let mut diagonal = vec![0.0; m.nv];
        for block in &mut blocks {
            let n = block.count;
            let mut matrix = vec![0.0; n * n];
            for i in 0..n {
                let dof = block.first + i;
                let body = m.dof_bodyid[dof] as usize;
                let c = reference(body);
                let (w, v) = at_reference(&pose.dof[dof], c);
                let Composite { mass, moment, inertia } = composite[body];
                let torque = inertia * w + moment.cross(v);
                let force = v * mass + w.cross(moment);
                let mut j = Some(dof);
                while let Some(other) = j {
                    let (w2, v2) = at_reference(&pose.dof[other], c);
                    matrix[i * n + other - block.first] = w2.dot(torque) + v2.dot(force);
                    j = usize::try_from(m.dof_parentid[other]).ok();
                }
                matrix[i * n + i] += armature[dof];
                diagonal[dof] = matrix[i * n + i];
            }
            block.factor = cholesky(matrix, n).map_err(|i| block.first + i)?;
        }
        Ok(MassMatrix { diagonal, blocks, block_of })
    }

    /// The first dof and the number of dofs that can be non-zero together with `dof`.
    pub fn block(&self, dof: usize) -> (usize, usize) {
        let block = &self.blocks[self.block_of[dof]];
        (block.first, block.count)
    }

    /// x' M^-1 x for a vector over the block of `dof`.
    pub fn inverse_weight(&self, dof: usize, x: &mut [f64]) -> f64 {
        self.forward(dof, x);
        x.iter().map(|y| y * y).sum()
    }

    /// M^-1 x in place, for a vector over the block of `dof`.
    pub fn solve(&self, dof: usize, x: &mut [f64]) {
        self.forward(dof, x);
        let Block { count: n, factor, .. } = &self.blocks[self.block_of[dof]];
        for i in (0..*n).rev() {
            let sum: f64 = (i + 1..*n).map(|k| factor[k * n + i] * x[k]).sum();
            x[i] = (x[i] - sum) / factor[i * n + i];
        }
    }

    /// L^-1 x in place.
    fn forward(&self, dof: usize, x: &mut [f64]) {
        let Block { count: n, factor, .. } = &self.blocks[self.block_of[dof]];
        for i in 0..*n {
            let sum: f64 = (0..i).map(|k| factor[i * n + k] * x[k]).sum();
            x[i] = (x[i] - sum) / factor[i * n + i];
        }
    }
}

fn at_reference(dof: &DofMotion, point: DVec3) -> (DVec3, DVec3) {
    (dof.angular, dof.velocity_at(point))
}

/// The lower factor of a matrix whose lower triangle is given; `Err` is the row whose pivot is not positive.
fn cholesky(mut a: Vec<f64>, n: usize) -> Result<Vec<f64>, usize> {
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let value = a[i * n + j] - sum;
            if i != j {
                a[i * n + j] = value / a[j * n + j];
            } else if value > 0.0 && value.is_finite() {
                a[i * n + i] = value.sqrt();
            } else {
                return Err(i);
            }
        }
    }
    Ok(a)
}
