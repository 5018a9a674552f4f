//! One forward pass of one environment, with every derived field by MuJoCo's name. CPU only.
use crate::SimError;
use crate::simulation::{Backend, Simulation};
use crate::state_arena::{from_bytes, width, words};
use phalanx_gpu_kernels::executor::{Executor, Memory, OpenWorkspace};
use phalanx_gpu_kernels::fields::{Owner, Size, owned};

/// A derived field.
#[derive(Clone, Debug, PartialEq)]
pub struct DetailField {
    /// MuJoCo's name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its values, row-major.
    pub values: Vec<f64>,
}

/// A contact.
#[derive(Clone, Debug, PartialEq)]
pub struct DetailContact {
    /// Distance in metres, negative inside.
    pub dist: f64,
    /// Position in the world.
    pub pos: [f64; 3],
    /// Normal and two tangents, a row each.
    pub frame: [f64; 9],
    /// The geoms.
    pub geoms: [usize; 2],
    /// Contact dimension; 0 for a contact that pushes not yet.
    pub dim: usize,
}

/// A contact to use instead of those that collision would find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InjectedContact {
    /// Distance in metres.
    pub dist: f64,
    /// Position in the world.
    pub pos: [f64; 3],
    /// Normal and two tangents, a row each.
    pub frame: [f64; 9],
    /// The geoms, in either order.
    pub geoms: [usize; 2],
}

/// Everything that a forward pass derives.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    /// Derived fields.
    pub fields: Vec<DetailField>,
    /// Contacts, in the order of the collision table.
    pub contacts: Vec<DetailContact>,
}

/// Numbers of an injected contact: pair, dist, pos, frame.
const INJECTED_WORDS: usize = 14;

impl Simulation {
    /// One forward pass of environment `env`; nothing of the batch changes.
    ///
    /// # Errors
    /// If the simulation is not on the CPU, there is no such environment, or an injected contact joins geoms that never touch.
    pub fn forward_details(&mut self, env: u64, contacts: Option<&[InjectedContact]>) -> Result<Details, SimError> {
        let num_envs = self.options.num_envs;
        if env >= num_envs {
            return Err(SimError::NoSuchEnvironment { env, num_envs, last: num_envs - 1 });
        }
        let injected = contacts.map(|c| self.injected(c)).transpose()?;
        #[allow(irrefutable_let_patterns)]
        let Backend::Cpu(executor) = &self.backend else {
            return Err(SimError::CpuOnly { what: "a forward pass with every derived field" });
        };
        let real = executor.real_bytes();
        let mut block = self.state.arguments.clone();
        block.set("substeps", 0);
        block.set("output_level", 3);
        block.set("mask", 0);
        if let Some(memory) = &injected {
            block.set("injected_contacts", memory.address());
            block.set("injected_count", contacts.map_or(0, <[_]>::len) as u64);
        }
        let scratch = executor.allocate(256, "marks")?;
        block.set("marks", scratch.address());
        // A frozen environment is looked at too: its fault is not for this pass, and nothing is to be retried.
        let faults = executor.allocate(4, "a fault word")?;
        block.set("fault", faults.address().wrapping_sub(4 * env));
        // Each output gets memory for this environment alone; the kernels add the environment's offset.
        let mut outputs: Vec<(&str, usize, Memory)> = Vec::new();
        for field in owned(|o| o == Owner::Output) {
            let n = width(&self.shape, field);
            let memory = executor.allocate(n * real, field.name)?;
            block.set(field.name, memory.address().wrapping_sub(env * (n * real) as u64));
            outputs.push((field.name, n, memory));
        }
        let workspace = executor.run_open(&block, &self.shape, env as i64)?;
        let marks = read_words(&scratch)?;
        let mut fields = Vec::new();
        for (name, n, memory) in outputs {
            let mut bytes = vec![0; n * real];
            memory.read(0, &mut bytes)?;
            fields.push(DetailField {
                name: name.into(),
                shape: self.output_shape(name, n),
                values: from_bytes(&bytes, real).collect(),
            });
        }
        let margins = ["jnt_margin", "geom_margin", "pair_margin"];
        let [jnt_margin, geom_margin, pair_margin] = margins.map(|name| self.model_value_of(name, env));
        let overridden = match self.shape.sizes["contact_override"] {
            0 => None,
            _ => self.model_value_of("opt_o_margin", env)?.first().copied(),
        };
        let view = Pass {
            sim: self,
            margins: Margins { jnt: jnt_margin?, geom: geom_margin?, pair: pair_margin?, overridden },
            work: &workspace,
            contacts: marks[0] as usize,
            entries: marks[1] as usize,
            rows: marks[2] as usize,
        };
        view.add_workspace_fields(&mut fields);
        view.add_constraint_rows(&mut fields);
        Ok(Details { fields, contacts: view.contacts() })
    }

    fn output_shape(&self, name: &str, n: usize) -> Vec<usize> {
        let rows = match name {
            "xpos" | "xquat" | "xipos" | "subtree_com" | "cvel" => self.model.nbody,
            "geom_xpos" | "geom_xmat" => self.model.ngeom,
            "site_xpos" | "site_xmat" => self.model.nsite,
            _ => return vec![n],
        };
        vec![rows, n.checked_div(rows).unwrap_or(0)]
    }

    fn injected(&self, contacts: &[InjectedContact]) -> Result<Memory, SimError> {
        let pairs = self.shape.collision_geoms();
        let mut numbers = Vec::with_capacity(contacts.len() * INJECTED_WORDS);
        for (index, contact) in contacts.iter().enumerate() {
            let [geom1, geom2] = contact.geoms;
            let matches = |p: &(usize, usize)| *p == (geom1, geom2) || *p == (geom2, geom1);
            let pair = pairs.iter().position(matches).ok_or(SimError::NoSuchPair { index, geom1, geom2 })?;
            let most = self.shape.most_contacts(pair);
            if contacts.iter().filter(|c| c.geoms == contact.geoms || c.geoms == [geom2, geom1]).count() > most {
                return Err(SimError::TooManyContacts { geom1, geom2, most });
            }
            numbers.push(pair as f64);
            numbers.push(contact.dist);
            numbers.extend(contact.pos);
            numbers.extend(contact.frame);
        }
        let executor = self.backend.executor();
        let bytes = crate::state_arena::to_bytes(&numbers, executor.real_bytes());
        let mut memory = executor.allocate(bytes.len(), "injected contacts")?;
        memory.write(0, &bytes)?;
        Ok(memory)
    }
}

fn read_words(memory: &Memory) -> Result<Vec<u32>, SimError> {
    let mut bytes = [0u8; 16];
    memory.read(0, &mut bytes)?;
    Ok(words(&bytes).collect())
}

/// The margins of the environment at hand.
struct Margins {
    jnt: Vec<f64>,
    geom: Vec<f64>,
    pair: Vec<f64>,
    /// What the options put in the place of the contacts'.
    overridden: Option<f64>,
}

/// A finished pass and its counts.
struct Pass<'a> {
    sim: &'a Simulation,
    margins: Margins,
    work: &'a OpenWorkspace,
    contacts: usize,
    entries: usize,
    rows: usize,
}

/// One constraint row as MuJoCo lists it.
struct Row {
    kind: f64,
    jacobian: Vec<f64>,
    pos: f64,
    margin: f64,
    aref: f64,
    d: f64,
    force: f64,
}

/// The kernels' type of a ball joint's limit row.
const BALL_LIMIT: i32 = 2;

/// MuJoCo's mjtConstraint.
const FRICTION_DOF: f64 = 1.0;
const LIMIT_JOINT: f64 = 3.0;
const CONTACT_FRICTIONLESS: f64 = 5.0;
const CONTACT_PYRAMIDAL: f64 = 6.0;

impl Pass<'_> {
    fn add_workspace_fields(&self, fields: &mut Vec<DetailField>) {
        let (nv, nbody) = (self.sim.model.nv, self.sim.model.nbody);
        let mut add = |name: &str, shape: Vec<usize>, values: Vec<f64>| {
            fields.push(DetailField { name: name.into(), shape, values })
        };
        let mut cinert = self.work.reals("cinert", 10 * nbody);
        cinert[..10].fill(0.0);
        add("cinert", vec![nbody, 10], cinert);
        add("cdof", vec![nv, 6], self.work.reals("cdof", 6 * nv));
        add("cdof_dot", vec![nv, 6], self.work.reals("cdof_dot", 6 * nv));
        add("M", vec![nv, nv], self.full_mass_matrix());
    }

    fn full_mass_matrix(&self) -> Vec<f64> {
        let nv = self.sim.model.nv;
        let stored = self.work.reals("M", self.sim.shape.size(Size::NM));
        let mut full = vec![0.0; nv * nv];
        for i in 0..nv {
            let mut entry = self.sim.shape.topology["dof_Madr"][i] as usize;
            let mut j = i as i32;
            while j >= 0 {
                full[i * nv + j as usize] = stored[entry];
                full[j as usize * nv + i] = stored[entry];
                entry += 1;
                j = self.sim.model.dof_parentid[j as usize];
            }
        }
        full
    }

    fn contacts(&self) -> Vec<DetailContact> {
        let n = self.contacts;
        let (dist, pos) = (self.work.reals("con_dist", n), self.work.reals("con_pos", 3 * n));
        let (frame, pair, dim) =
            (self.work.reals("con_frame", 9 * n), self.work.ints("con_pair", n), self.work.ints("con_dim", n));
        let geoms = self.sim.shape.collision_geoms();
        let contact = |c: usize| DetailContact {
            dist: dist[c],
            pos: std::array::from_fn(|k| pos[3 * c + k]),
            frame: std::array::from_fn(|k| frame[9 * c + k]),
            geoms: [geoms[pair[c] as usize].0, geoms[pair[c] as usize].1],
            dim: dim[c] as usize,
        };
        (0..n).map(contact).collect()
    }

    fn add_constraint_rows(&self, fields: &mut Vec<DetailField>) {
        let mut rows = self.joint_rows();
        rows.extend(self.contact_rows());
        let (n, nv) = (rows.len(), self.sim.model.nv);
        let column = |f: fn(&Row) -> f64| rows.iter().map(f).collect::<Vec<_>>();
        let mut add = |name: &str, shape: Vec<usize>, values: Vec<f64>| {
            fields.push(DetailField { name: name.into(), shape, values })
        };
        add("efc_J", vec![n, nv], rows.iter().flat_map(|r| r.jacobian.clone()).collect());
        add("efc_type", vec![n], column(|r| r.kind));
        add("efc_pos", vec![n], column(|r| r.pos));
        add("efc_margin", vec![n], column(|r| r.margin));
        add("efc_aref", vec![n], column(|r| r.aref));
        add("efc_D", vec![n], column(|r| r.d));
        add("efc_force", vec![n], column(|r| r.force));
    }

    fn joint_rows(&self) -> Vec<Row> {
        let (n, nv) = (self.rows, self.sim.model.nv);
        let (dof, kind) = (self.work.ints("row_dof", n), self.work.ints("row_type", n));
        let (sign, axis) = (self.work.reals("row_sign", n), self.work.reals("row_axis", 3 * n));
        let past = self.work.reals("row_pos", n);
        let (d, acc) = (self.work.reals("row_D", n), self.work.reals("acc", nv));
        let (loss, jar) = (self.work.reals("row_floss", n), self.work.reals("row_jar", n));
        let row = |r: usize| {
            let first = dof[r] as usize;
            let mut jacobian = vec![0.0; nv];
            match kind[r] {
                BALL_LIMIT => jacobian[first..first + 3].copy_from_slice(&axis[3 * r..3 * r + 3]),
                _ => jacobian[first] = sign[r],
            }
            let margin = if kind[r] == 0 { 0.0 } else { self.margins.jnt[self.sim.model.dof_jntid[first] as usize] };
            let force = if kind[r] == 0 { (-d[r] * jar[r]).clamp(-loss[r], loss[r]) } else { push(d[r], jar[r]) };
            let kind = if kind[r] == 0 { FRICTION_DOF } else { LIMIT_JOINT };
            let aref = dot(&jacobian, &acc) - jar[r];
            Row { kind, jacobian, pos: past[r] + margin, margin, aref, d: d[r], force }
        };
        (0..n).map(row).collect()
    }

    fn contact_rows(&self) -> Vec<Row> {
        let (n, nv) = (self.contacts, self.sim.model.nv);
        let (dim, adr, num) =
            (self.work.ints("con_dim", n), self.work.ints("con_adr", n), self.work.ints("con_num", n));
        let (mu, d) = (self.work.reals("con_mu", 2 * n), self.work.reals("con_D", n));
        let (acc, jar) = (self.work.reals("acc", nv), self.work.reals("con_jar", 3 * n));
        let (dist, pair) = (self.work.reals("con_dist", n), self.work.ints("con_pair", n));
        let (entries, dofs) = (self.work.reals("con_J", 4 * self.entries), self.work.ints("con_J", 4 * self.entries));
        let mut rows = Vec::new();
        for c in (0..n).filter(|c| dim[*c] > 0) {
            let margin = self.margin(pair[c] as usize);
            let mut axis = [vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]];
            for e in adr[c] as usize..(adr[c] + num[c]) as usize {
                (0..3).for_each(|k| axis[k][dofs[4 * e + 3] as usize] = entries[4 * e + k]);
            }
            let edges: &[(usize, f64)] =
                if dim[c] == 1 { &[(0, 0.0)] } else { &[(1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] };
            for (tangent, sign) in edges {
                let factor = if *tangent == 0 { 0.0 } else { sign * mu[2 * c + tangent - 1] };
                let along = |v: &[f64]| v[3 * c] + factor * v[3 * c + tangent];
                let jacobian: Vec<f64> = (0..nv).map(|i| axis[0][i] + factor * axis[*tangent][i]).collect();
                let aref = dot(&jacobian, &acc) - along(&jar);
                let kind = if dim[c] == 1 { CONTACT_FRICTIONLESS } else { CONTACT_PYRAMIDAL };
                rows.push(Row { kind, jacobian, pos: dist[c], margin, aref, d: d[c], force: push(d[c], along(&jar)) });
            }
        }
        rows
    }

    fn margin(&self, pair: usize) -> f64 {
        if let Some(margin) = self.margins.overridden {
            return margin;
        }
        match self.sim.shape.topology["collision_pairid"][pair] {
            -1 => {
                let (a, b) = self.sim.shape.collision_geoms()[pair];
                self.margins.geom[a] + self.margins.geom[b]
            }
            named => self.margins.pair[named as usize],
        }
    }
}

/// The product of a row with a vector over the dofs. The kernels keep jar = J a - aref alone; aref is what is left of it.
fn dot(jacobian: &[f64], vector: &[f64]) -> f64 {
    jacobian.iter().zip(vector).map(|(a, b)| a * b).sum()
}

/// The force of a row that only pushes.
fn push(d: f64, jar: f64) -> f64 {
    if jar < 0.0 { -d * jar } else { 0.0 }
}
