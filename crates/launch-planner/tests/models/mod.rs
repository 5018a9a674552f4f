//! Models to plan for: sizes like those of well-known robots, and random ones.
#![allow(dead_code)] // each test file uses some of them

use phalanx_launch_planner::{Capacity, DeviceLimits, KernelAttributes, KernelNeeds, ModelDims, WorkArray};
use proptest::prelude::*;

fn array(name: &str, words: u64, stages: (u32, u32), traffic: u64) -> WorkArray {
    WorkArray {
        name: name.to_string(),
        words,
        first_stage: stages.0,
        last_stage: stages.1,
        traffic,
        ..WorkArray::default()
    }
}

/// A robot whose workspace is about as large as the probe's: 12.4 kB for the humanoid, 4.4 kB for the ant.
pub fn robot(name: &str, nv: u32, nbody: u64, contacts: u32) -> ModelDims {
    let n = u64::from(nv);
    let per_contact = |name: &str, words: u64, stages, traffic| WorkArray {
        words_per_contact: words,
        ..array(name, 0, stages, traffic)
    };
    let arrays = vec![
        array("qpos", n + 1, (0, 9), 4 * n),
        array("qvel", n, (0, 9), 8 * n),
        array("xpos", 3 * nbody, (0, 4), 9 * nbody),
        array("xmat", 9 * nbody, (0, 4), 18 * nbody),
        array("cdof", 6 * n, (1, 6), 24 * n),
        array("cinert", 10 * nbody, (1, 4), 20 * nbody),
        array("crb", 10 * nbody, (3, 3), 20 * nbody),
        array("qM", n * n, (3, 9), 4 * n * n),
        array("qfrc_bias", n, (4, 9), 4 * n),
        array("qacc", n, (5, 9), 40 * n),
        array("H", n * (n + 1) / 2, (8, 8), 12 * n * n),
        per_contact("contact", 12, (2, 8), 60),
        WorkArray { words_per_jacobian_word: 1, ..array("efc_J", 0, (6, 8), 30 * n * n) },
        per_contact("efc_force", 12, (6, 8), 200),
    ];
    let capacity = |contacts: u32| Capacity { contacts, jacobian_words: contacts * 3 * nv };
    ModelDims {
        name: name.to_string(),
        arrays,
        state_bytes_per_env: 4 * (4 * n + 8),
        input_bytes_per_env: 4 * n,
        output_bytes_per_env: 0,
        model_bytes: 64 * 1024,
        model_words_per_block: 0,
        model_bytes_per_env: 0,
        usual: capacity(contacts),
        proven: capacity(contacts * 12),
        nv,
        preferred_lanes: None,
    }
}

pub fn humanoid() -> ModelDims {
    robot("humanoid", 27, 17, 12)
}

pub fn ant() -> ModelDims {
    robot("ant", 14, 14, 8)
}

pub fn half_cheetah() -> ModelDims {
    robot("half_cheetah", 9, 8, 8)
}

pub fn preset(name: &str) -> DeviceLimits {
    DeviceLimits::preset(name).expect("a preset")
}

prop_compose! {
    /// Devices that no one ever built, small and large.
    pub fn any_device()(
        multiprocessor_count in 1u32..200,
        warps in 1u32..64,
        max_threads_per_block in 32u32..=1024,
        max_blocks_per_multiprocessor in 1u32..=32,
        shared_kib in 0u32..256,
        reserved in prop_oneof![Just(0u32), Just(1024)],
        unit in prop_oneof![Just(128u32), Just(256)],
        register_kib in 8u32..=64,
        max_grid_dim_x in prop_oneof![1u32..100, Just(65535), Just(i32::MAX as u32)],
        megabytes in 1u64..200_000,
        context_bytes in 0u64..600_000_000,
    ) -> DeviceLimits {
        DeviceLimits {
            name: "a random device".to_string(),
            compute_capability: (8, 0),
            multiprocessor_count,
            warp_size: 32,
            max_threads_per_block,
            max_threads_per_multiprocessor: warps * 32,
            max_blocks_per_multiprocessor,
            shared_memory_per_block: (shared_kib * 1024).min(48 * 1024),
            shared_memory_per_block_optin: (shared_kib * 1024).saturating_sub(reserved),
            shared_memory_per_multiprocessor: shared_kib * 1024,
            reserved_shared_memory_per_block: reserved,
            shared_memory_allocation_unit: unit,
            registers_per_block: register_kib * 1024,
            registers_per_multiprocessor: register_kib * 1024,
            register_allocation_unit: 256,
            max_registers_per_thread: 255,
            max_grid_dim_x,
            total_global_memory: megabytes * 1_000_000,
            context_bytes,
            l2_cache_bytes: 4_000_000,
        }
    }
}

prop_compose! {
    fn any_array(index: usize)(
        words in prop_oneof![Just(0u64), 1u64..50, 1u64..2000, 1u64..100_000],
        words_per_contact in prop_oneof![Just(0u64), 1u64..30],
        words_per_jacobian_word in prop_oneof![4 => Just(0u64), 1 => Just(1u64)],
        first_stage in 0u32..12,
        length in 0u32..8,
        traffic in 0u64..10_000,
    ) -> WorkArray {
        let name = format!("array_{index}");
        WorkArray { name, words, words_per_contact, words_per_jacobian_word, first_stage, last_stage: first_stage + length, traffic }
    }
}

pub fn any_arrays() -> impl Strategy<Value = Vec<WorkArray>> {
    (0usize..14).prop_flat_map(|count| (0..count).map(any_array).collect::<Vec<_>>())
}

prop_compose! {
    pub fn any_capacity()(contacts in 0u32..100, jacobian_words in 0u32..10_000) -> Capacity {
        Capacity { contacts, jacobian_words }
    }
}

prop_compose! {
    pub fn any_model()(
        arrays in any_arrays(),
        state_bytes_per_env in prop_oneof![Just(0u64), 1u64..100_000],
        input_bytes_per_env in 0u64..1000,
        output_bytes_per_env in 0u64..100_000,
        model_bytes in 0u64..10_000_000,
        model_words_per_block in prop_oneof![4 => Just(0u64), 4 => 1u64..3000, 1 => 0u64..100_000],
        model_bytes_per_env in 0u64..1000,
        usual in any_capacity(),
        proven in any_capacity(),
        nv in 0u32..100,
        preferred_lanes in prop::option::of(prop::sample::select(vec![1u32, 2, 4, 8, 16, 32])),
    ) -> ModelDims {
        ModelDims {
            name: "a random model".to_string(),
            arrays,
            state_bytes_per_env,
            input_bytes_per_env,
            output_bytes_per_env,
            model_bytes,
            model_words_per_block,
            model_bytes_per_env,
            usual,
            proven,
            nv,
            preferred_lanes,
        }
    }
}

prop_compose! {
    fn any_attributes()(
        registers_per_thread in 16u32..=255,
        local_bytes_per_thread in prop_oneof![Just(0u32), 1u32..4096],
        static_shared_bytes in prop_oneof![Just(0u32), 1u32..20_000],
        max_threads_per_block in prop_oneof![Just(1024u32), 32u32..1024],
        code_bytes in 0u64..200_000,
    ) -> KernelAttributes {
        KernelAttributes { registers_per_thread, local_bytes_per_thread, static_shared_bytes, max_threads_per_block, estimated: false, code_bytes }
    }
}

pub fn any_needs() -> impl Strategy<Value = KernelNeeds> {
    let all = prop::collection::btree_map(prop::sample::select(vec![1u32, 2, 4, 8, 16, 32]), any_attributes(), 1..=6);
    (all, any_attributes()).prop_map(|(fast, retry)| KernelNeeds { fast, retry })
}

pub fn any_num_envs() -> impl Strategy<Value = u64> {
    prop_oneof![1u64..200, 1u64..100_000, 1u64..10_000_000, any::<u64>().prop_map(|n| n.max(1))]
}
