//! What is learned never exceeds what the model can need, the device and the memory that was taken; it ends retries, and it
//! does not go back and forth.

mod models;

use models::{any_capacity, any_device, any_model, any_needs};
use phalanx_launch_planner::{
    Capacity, Demand, DeviceLimits, KernelAttributes, KernelNeeds, LaunchPlan, Learning, Lesson, ModelDims, Observed,
    WorkArray, plan,
};
use proptest::prelude::*;
use std::collections::VecDeque;

/// A batch whose calls need what they are told, and what it learns. The device is `ahead` calls behind the host.
struct Batch<'a> {
    device: &'a DeviceLimits,
    model: &'a ModelDims,
    needs: &'a KernelNeeds,
    demand: Demand,
    plan: LaunchPlan,
    learning: Learning,
    seen: Observed,
    ahead: usize,
    /// Calls that are launched and not done: the capacity that they were launched with, and whether the needs count anew.
    queue: VecDeque<(Capacity, bool)>,
    launched: u64,
    resizes: u32,
}

impl<'a> Batch<'a> {
    fn new(device: &'a DeviceLimits, model: &'a ModelDims, needs: &'a KernelNeeds, demand: &Demand) -> Option<Self> {
        let demand = Demand { learns: true, ..demand.clone() };
        let plan = plan(device, model, needs, &demand).ok()?;
        Some(Batch {
            device,
            model,
            needs,
            demand: demand.with_kernel_of(&plan),
            learning: Learning::new(plan.step().capacity),
            plan,
            seen: Observed::default(),
            ahead: 0,
            queue: VecDeque::new(),
            launched: 0,
            resizes: 0,
        })
    }

    /// Launches a call; of the one that is done then, `count` environments need `need`.
    fn call(&mut self, need: Capacity, count: u64) {
        let anew = self.learn();
        self.launched += 1;
        self.queue.push_back((self.plan.step().capacity, anew));
        if self.queue.len() <= self.ahead {
            return;
        }
        let (capacity, anew) = self.queue.pop_front().unwrap();
        let fits = need.at_most(capacity) == need;
        self.seen.calls += 1;
        self.seen.retried_calls += u64::from(!fits);
        self.seen.retried += if fits { 0 } else { count };
        self.seen.most = if anew { need } else { self.seen.most.at_least(need) };
    }

    /// Whether what is observed counts anew.
    fn learn(&mut self) -> bool {
        let before = &self.plan;
        let replan = |capacity| {
            let demand = Demand { capacity: Some(capacity), ..self.demand.clone() };
            let after = plan(self.device, self.model, self.needs, &demand).ok()?;
            (after.memory.workspace <= before.memory.workspace).then_some(after)
        };
        match self.learning.learn(&self.seen, self.launched, before, replan) {
            Lesson::TooEarly => false,
            Lesson::Stay => true,
            Lesson::Resize(after) => {
                self.plan = *after;
                self.resizes += 1;
                true
            }
        }
    }
}

/// A robot whose workspace of 2000 words and 100 a contact lies in shared memory.
fn robot() -> ModelDims {
    let array = |name: &str, words, words_per_contact| WorkArray {
        name: name.into(),
        words,
        words_per_contact,
        last_stage: 1,
        traffic: 1,
        ..WorkArray::default()
    };
    let capacity = |contacts| Capacity { contacts, jacobian_words: 0 };
    ModelDims {
        name: "robot".into(),
        arrays: vec![array("H", 2000, 0), array("contacts", 0, 100)],
        state_bytes_per_env: 100,
        input_bytes_per_env: 0,
        output_bytes_per_env: 0,
        model_bytes: 0,
        model_words_per_block: 0,
        model_bytes_per_env: 0,
        usual: capacity(8),
        proven: capacity(100),
        nv: 20,
        preferred_lanes: Some(32),
    }
}

/// The robot's step kernel takes few registers, so that shared memory decides how many are stepped at once.
fn kernels() -> KernelNeeds {
    let attributes = KernelAttributes { registers_per_thread: 32, ..KernelAttributes::estimate() };
    KernelNeeds::same_for_all(attributes, attributes)
}

/// Runs a batch of robots.
fn robots(num_envs: u64, run: impl FnOnce(&mut Batch)) {
    let (device, model, needs) = (DeviceLimits::preset("h200").unwrap(), robot(), kernels());
    let pin_shared = vec!["H".into(), "contacts".into()];
    let mut batch = Batch::new(&device, &model, &needs, &Demand { pin_shared, ..Demand::envs(num_envs) }).unwrap();
    run(&mut batch);
}

fn contacts(contacts: u32) -> Capacity {
    Capacity { contacts, jacobian_words: 0 }
}

#[test]
fn calls_that_keep_retrying_make_it_larger_until_none_does() {
    for ahead in [0, 50] {
        robots(8192, |batch| {
            batch.ahead = ahead;
            (0..2000).for_each(|_| batch.call(contacts(12), 8192));
            assert!(batch.plan.step().capacity.contacts >= 12, "{:?}", batch.plan.step().capacity);
            // Two that teach it, and those that were launched before they were done.
            assert_eq!(batch.seen.retried_calls, 2 + ahead as u64);
            assert_eq!(batch.resizes, 1);
        });
    }
}

#[test]
fn one_call_with_retries_or_a_small_share_of_them_teaches_nothing() {
    robots(8192, |batch| {
        (0..900).for_each(|call| batch.call(contacts(if call % 30 == 0 { 12 } else { 7 }), 1));
        assert_eq!(batch.resizes, 0);
    });
}

#[test]
fn a_need_that_would_cost_more_than_its_retries_is_left_to_them() {
    // A million robots take 500 turns; one of them that needs twelve times the usual is not worth a fifth of the speed.
    robots(1 << 20, |batch| {
        (0..5000).for_each(|_| batch.call(contacts(100), 1));
        assert_eq!(batch.resizes, 0);
    });
    // All of them are, and what cannot be had at once is approached.
    robots(1 << 20, |batch| {
        (0..5000).for_each(|_| batch.call(contacts(40), 1 << 20));
        assert!(batch.plan.step().capacity.contacts >= 40, "{:?}", batch.plan.step().capacity);
    });
}

#[test]
fn a_workspace_that_is_used_little_for_long_shrinks_where_more_are_then_stepped_at_once() {
    robots(1 << 20, |batch| {
        let before = batch.plan.step().resident_envs;
        (0..1000).for_each(|_| batch.call(contacts(2), 1));
        assert_eq!(batch.resizes, 0, "not before long");
        (0..1000).for_each(|_| batch.call(contacts(2), 1));
        assert_eq!((batch.resizes, batch.plan.step().capacity.contacts), (1, 3));
        assert!(batch.plan.step().resident_envs > before);
    });
    // A batch that is stepped at once as it is gains nothing.
    robots(64, |batch| {
        (0..5000).for_each(|_| batch.call(contacts(2), 1));
        assert_eq!(batch.resizes, 0);
    });
}

#[test]
fn needs_that_come_and_go_re_size_it_seldom() {
    robots(1 << 20, |batch| {
        batch.ahead = 10;
        for call in 0..200_000 {
            batch.call(contacts(if call / 1500 % 2 == 0 { 2 } else { 9 }), 1 << 20);
        }
        assert!((2..=8).contains(&batch.resizes), "{} times", batch.resizes);
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn what_is_learned_never_exceeds_the_model_the_device_or_the_memory_that_was_taken(
        device in any_device(),
        model in any_model(),
        needs in any_needs(),
        num_envs in 1u64..3_000_000,
        memory_limit in prop::option::of(1_000_000u64..100_000_000_000),
        calls in prop::collection::vec((any_capacity(), 1u64..3_000_000, 1usize..40), 1..20),
        ahead in 0usize..20,
    ) {
        let demand = Demand { memory_limit, ..Demand::envs(num_envs) };
        let batch = Batch::new(&device, &model, &needs, &demand);
        prop_assume!(batch.is_some());
        let mut batch = batch.unwrap();
        batch.ahead = ahead;
        let (kernel, taken) = (batch.plan.clone(), batch.plan.memory.clone());
        for (need, count, times) in calls {
            // An environment never needs more than what is proven.
            (0..times).for_each(|_| batch.call(need.at_most(model.proven), count.min(num_envs)));
            let (step, memory) = (batch.plan.step(), &batch.plan.memory);
            prop_assert_eq!(step.capacity.at_most(model.proven), step.capacity);
            prop_assert!(memory.workspace <= taken.workspace && memory.total <= memory.limit);
            prop_assert!(step.resident_envs * step.layout.global_words_per_env * 4 <= taken.workspace);
            let shared = u64::from(step.static_shared_bytes) + u64::from(step.dynamic_shared_bytes);
            prop_assert!(shared <= u64::from(device.shared_memory_per_block_optin));
            prop_assert_eq!(&step.placement, &kernel.step().placement);
            prop_assert_eq!(step.lanes_per_env, kernel.step().lanes_per_env);
        }
    }

    #[test]
    fn a_learned_capacity_beyond_the_proven_one_is_the_proven_one(
        device in any_device(),
        model in any_model(),
        needs in any_needs(),
        contacts in any::<u32>(),
        jacobian_words in any::<u32>(),
        learns in any::<bool>(),
    ) {
        let capacity = Capacity { contacts, jacobian_words };
        let demand = Demand { capacity: Some(capacity), learns, ..Demand::envs(100) };
        if let Ok(plan) = plan(&device, &model, &needs, &demand) {
            prop_assert_eq!(plan.step().capacity, capacity.at_most(model.proven));
            prop_assert!(plan.memory.total <= plan.memory.limit);
        }
    }
}
