//! A batch of environments in plain vectors, for the executors as the simulation would pass it.

use phalanx_gpu_kernels::executor::{COUNTER_BANKS, COUNTERS, MARK_WORDS, PROGRESS_WORDS};
use phalanx_gpu_kernels::fields::{Owner, owned};
use phalanx_gpu_kernels::shape::{ModelArray, Shape};
use phalanx_gpu_kernels::view::ArgumentBlock;
use phalanx_model::Model;
use std::collections::BTreeMap;

/// State, inputs, outputs and control memory of a batch, and the block that points at them.
pub struct Batch {
    pub num_envs: usize,
    pub block: ArgumentBlock,
    reals: BTreeMap<&'static str, Vec<f32>>,
    _topology: Vec<i32>,
    _values: Vec<f32>,
    words: BTreeMap<&'static str, Vec<u32>>,
    counters: Vec<u64>,
}

impl Batch {
    /// A batch at the model's reference state, with memory for every output.
    pub fn new(shape: &Shape, model: &Model, num_envs: usize) -> Batch {
        let mut block = ArgumentBlock::default();
        let mut reals = BTreeMap::new();
        for (name, values) in &shape.values {
            reals.insert(*name, values.iter().map(|v| *v as f32).collect());
        }
        for owner in [Owner::State, Owner::Input, Owner::Output] {
            for field in owned(move |o| o == owner) {
                reals.insert(field.name, vec![0.0; num_envs * field.fixed_words(|s| shape.size(s))]);
            }
        }
        let n = num_envs;
        reals.insert("qpos", model.qpos0.iter().map(|v| *v as f32).collect::<Vec<_>>().repeat(n));
        let mocap = (0..model.nbody).filter(|b| model.body_mocapid[*b] >= 0);
        let (mut positions, mut orientations) = (Vec::new(), Vec::new());
        for body in mocap {
            positions.extend(model.body_pos[3 * body..3 * body + 3].iter().map(|v| *v as f32));
            orientations.extend(model.body_quat[4 * body..4 * body + 4].iter().map(|v| *v as f32));
        }
        reals.insert("mocap_pos", positions.repeat(n));
        reals.insert("mocap_quat", orientations.repeat(n));
        let words = [
            ("fault", n),
            ("step_count", n),
            ("retry_list", 2 * n),
            ("progress", PROGRESS_WORDS as usize),
            ("marks", MARK_WORDS),
            ("news", MARK_WORDS),
        ];
        let mut words: BTreeMap<_, _> = words.into_iter().map(|(name, n)| (name, vec![0u32; n])).collect();
        let mut counters = vec![0u64; COUNTER_BANKS * COUNTERS];
        let topology = one_after_another(shape.topology_memory(), |name| &shape.topology[name]);
        let values = one_after_another(shape.value_memory(), |name| &reals[name]);
        shape.sizes.iter().for_each(|(name, n)| block.set_signed(name, *n));
        block.set("topology", topology.as_ptr() as u64);
        block.set("values", values.as_ptr() as u64);
        for array in shape.topology_memory() {
            block.set(array.name, topology[array.first as usize..].as_ptr() as u64);
        }
        reals.iter_mut().for_each(|(name, values): (_, &mut Vec<f32>)| block.set(name, values.as_mut_ptr() as u64));
        words.iter_mut().for_each(|(name, values)| block.set(name, values.as_mut_ptr() as u64));
        // Only a call's last launch has news to tell.
        block.set("news", 0);
        block.set("news_period", 1);
        block.set("counters", counters.as_mut_ptr() as u64);
        block.set("num_envs", n as u64);
        block.set_signed("opt_integrator", shape.integrator);
        block.set_signed("opt_disableflags", shape.disableflags);
        block.set_signed("opt_iterations", shape.iterations);
        block.set_signed("opt_ls_iterations", shape.ls_iterations);
        Batch { num_envs, block, reals, _topology: topology, _values: values, words, counters }
    }

    /// The numbers of a field.
    pub fn reals(&mut self, field: &str) -> &mut [f32] {
        self.reals.get_mut(field).unwrap()
    }

    /// The integers of the control memory.
    pub fn words(&mut self, name: &str) -> &mut [u32] {
        self.words.get_mut(name).unwrap()
    }

    /// Gives every environment its own values of model fields, all alike.
    pub fn make_per_env(&mut self, fields: &[&'static str]) {
        for field in fields {
            let values = self.reals.get_mut(field).unwrap();
            self.block.set(&format!("{field}_stride"), values.len() as u64);
            *values = values.repeat(self.num_envs);
            self.block.set(field, values.as_mut_ptr() as u64);
        }
    }

    /// Takes state and inputs from another batch of the same shape.
    pub fn copy_state_of(&mut self, other: &Batch) {
        for field in owned(|o| matches!(o, Owner::State | Owner::Input)) {
            self.reals.get_mut(field.name).unwrap().copy_from_slice(&other.reals[field.name]);
        }
    }

    /// Environment and pass of every entry of the retry list, in order.
    pub fn retries(&self) -> Vec<(u32, u32)> {
        let count = self.words["progress"][0] as usize;
        let mut list: Vec<_> = self.words["retry_list"].chunks_exact(2).take(count).map(|e| (e[0], e[1])).collect();
        list.sort_unstable();
        list
    }

    /// Contacts, rows, iterations, solves, retried, not converged, steps: over all banks.
    pub fn counts(&self) -> Vec<u64> {
        (0..COUNTERS).map(|c| self.counters.iter().skip(c).step_by(COUNTERS).sum()).collect()
    }

    /// Everything that a launch writes, by name, as bits.
    fn results(&self) -> Vec<(&'static str, Vec<u64>)> {
        let fields = owned(|o| matches!(o, Owner::State | Owner::Output));
        let bits = |name| self.reals[name].iter().map(|v: &f32| u64::from(v.to_bits())).collect();
        let mut all: Vec<(&str, Vec<u64>)> = fields.map(|f| (f.name, bits(f.name))).collect();
        for name in ["fault", "step_count", "marks"] {
            // Of the marks those that the teams raise; the rest is only kept where there are news.
            let count = if name == "marks" { 4 } else { self.words[name].len() };
            all.push((name, self.words[name][..count].iter().map(|w| u64::from(*w)).collect()));
        }
        all.push(("counters", self.counts()));
        all
    }

    /// What differs between two batches: the first number of each field that does.
    pub fn difference(&self, other: &Batch) -> Option<String> {
        let mut text = String::new();
        for ((name, a), (_, b)) in self.results().iter().zip(other.results()) {
            let Some(at) = (0..a.len()).find(|i| a[*i] != b[*i]) else { continue };
            let number = a.iter().zip(&b).filter(|(a, b)| a != b).count();
            let width = (a.len() / self.num_envs).max(1);
            let value = |bits: u64| f32::from_bits(bits as u32);
            text += &format!(
                "{name}: {number} of {} differ, first environment {} entry {}: {:#x} ({}) and {:#x} ({})\n",
                a.len(),
                at / width,
                at % width,
                a[at],
                value(a[at]),
                b[at],
                value(b[at])
            );
        }
        (!text.is_empty()).then_some(text)
    }
}

/// Arrays of the model as they lie in its memory, with whole groups of four words.
fn one_after_another<'a, T: Copy + Default + 'a>(
    places: Vec<ModelArray>,
    values: impl Fn(&'static str) -> &'a Vec<T>,
) -> Vec<T> {
    let words = places.last().map_or(0, |last| last.end.next_multiple_of(4));
    let mut memory = vec![T::default(); words as usize];
    for array in places {
        memory[array.first as usize..array.end as usize].copy_from_slice(values(array.name));
    }
    memory
}

/// A small generator: the start states need no quality.
pub struct Random(pub u64);

impl Random {
    /// Uniform in [-1, 1).
    pub fn signed(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

/// Moves every environment of a batch to another state: joints by up to 0.3, velocities up to 1, applied forces up to 1.
/// A robot on a free joint is lowered to the ground, so that there are contacts from the start.
pub fn randomise(batch: &mut Batch, model: &Model, seed: u64) {
    let mut random = Random(seed);
    let (nq, nv) = (model.nq, model.nv);
    for env in 0..batch.num_envs {
        let qpos = &mut batch.reals("qpos")[env * nq..(env + 1) * nq];
        qpos.iter_mut().for_each(|q| *q += 0.3 * random.signed());
        if model.njnt > 1 && model.nv > model.njnt && qpos.len() > 7 {
            qpos[2] *= 0.4 + 0.3 * random.signed();
        }
        let qvel = &mut batch.reals("qvel")[env * nv..(env + 1) * nv];
        qvel.iter_mut().for_each(|v| *v = random.signed());
    }
    for input in ["qfrc_applied", "xfrc_applied"] {
        batch.reals(input).iter_mut().for_each(|f| *f = random.signed());
    }
}

/// Draws controls in [-1, 1]: beyond some ranges, so that clamping is exercised.
pub fn draw_controls(batch: &mut Batch, random: &mut Random) {
    batch.reals("ctrl").iter_mut().for_each(|c| *c = random.signed());
}
