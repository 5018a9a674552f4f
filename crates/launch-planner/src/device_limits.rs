//! What a device offers, by CUDA's names.

use serde::{Deserialize, Serialize};

/// What a device offers. Names are those of `cuDeviceGetAttribute` in snake case; sizes are bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceLimits {
    /// The device's name.
    pub name: String,
    /// Major and minor compute capability.
    pub compute_capability: (u32, u32),
    /// Multiprocessors (SMs).
    pub multiprocessor_count: u32,
    /// Lanes of a warp: 32.
    pub warp_size: u32,
    /// Threads of one block.
    pub max_threads_per_block: u32,
    /// Threads that a multiprocessor holds at a time.
    pub max_threads_per_multiprocessor: u32,
    /// Blocks that a multiprocessor holds at a time.
    pub max_blocks_per_multiprocessor: u32,
    /// Shared memory of a block that does not ask for more.
    pub shared_memory_per_block: u32,
    /// Shared memory of a block that does.
    pub shared_memory_per_block_optin: u32,
    /// Shared memory of a multiprocessor.
    pub shared_memory_per_multiprocessor: u32,
    /// Shared memory that the driver takes from every block.
    pub reserved_shared_memory_per_block: u32,
    /// Shared memory is given out in multiples of this.
    pub shared_memory_allocation_unit: u32,
    /// Registers of one block.
    pub registers_per_block: u32,
    /// Registers of a multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Registers are given to a warp in multiples of this.
    pub register_allocation_unit: u32,
    /// Registers of one thread.
    pub max_registers_per_thread: u32,
    /// Blocks of a grid in its first dimension.
    pub max_grid_dim_x: u32,
    /// Global memory.
    pub total_global_memory: u64,
    /// Global memory that a context takes before anything is allocated, an estimate.
    pub context_bytes: u64,
    /// Level 2 cache.
    pub l2_cache_bytes: u64,
}

/// The oldest devices that the kernels are compiled for.
const OLDEST: (u32, u32) = (7, 5);

/// Limits that no device has, or that the device at hand cannot play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum LimitsError {
    /// A limit is higher than the device's own.
    #[error(
        "{name}: `{field}` is {wanted}, {device} has {has}; a rehearsal can only lower a limit: write {has} or less"
    )]
    Raised {
        /// The name of the wanted limits.
        name: String,
        /// The limit.
        field: String,
        /// Its wanted value.
        wanted: u64,
        /// The device's name.
        device: String,
        /// The device's value.
        has: u64,
    },
    /// A device that cannot run the kernels.
    #[error("{name} has compute capability {major}.{minor}; Phalanx needs 7.5 (Turing) or newer: use the CPU")]
    TooOld {
        /// The name of the limits.
        name: String,
        /// Its compute capability.
        major: u32,
        /// After the point.
        minor: u32,
    },
    /// A limit has a value that no device has.
    #[error("{name}: `{field}` is {value}; {advice}")]
    Impossible {
        /// The name of the limits.
        name: String,
        /// The limit.
        field: String,
        /// Its value.
        value: u64,
        /// What to write.
        advice: String,
    },
}

impl DeviceLimits {
    /// Refuses limits with which nothing can be planned: a device too old for the kernels, a zero, warps that are not 32 lanes,
    /// or a part that is larger than the whole.
    pub fn validate(&self) -> Result<(), LimitsError> {
        let impossible = |field: &str, value: u64, advice: &str| LimitsError::Impossible {
            name: self.name.clone(),
            field: field.to_string(),
            value,
            advice: advice.to_string(),
        };
        if self.warp_size != 32 {
            let advice = "teams are parts of a 32-lane warp: write 32";
            return Err(impossible("warp_size", u64::from(self.warp_size), advice));
        }
        for (field, value) in self.counts() {
            if value == 0 {
                return Err(impossible(field, value, "write at least 1"));
            }
        }
        if self.compute_capability < OLDEST {
            let (major, minor) = self.compute_capability;
            return Err(LimitsError::TooOld { name: self.name.clone(), major, minor });
        }
        for (part, of_part, whole, of_whole) in self.parts() {
            if of_part > of_whole {
                return Err(impossible(part, of_part, &format!("`{whole}` is {of_whole}: write {of_whole} or less")));
            }
        }
        Ok(())
    }

    /// This device with every limit lowered to `user`'s, to rehearse a smaller device on a larger one.
    ///
    /// Limits that `user` has higher than this device are an error. Allocation units, the driver's share of shared
    /// memory and the context take the larger value, the cache the smaller one. The compute capability stays this
    /// device's: kernels are compiled for it.
    pub fn lowered_by(&self, user: &DeviceLimits) -> Result<DeviceLimits, LimitsError> {
        self.validate()?;
        let ours = self.ceilings();
        for ((field, wanted), (_, has)) in user.ceilings().into_iter().zip(ours) {
            if wanted > has {
                let (name, device) = (user.name.clone(), self.name.clone());
                return Err(LimitsError::Raised { name, field: field.to_string(), wanted, device, has });
            }
        }
        user.validate()?;
        let name = if user.name == self.name { user.name.clone() } else { format!("{} on {}", user.name, self.name) };
        Ok(DeviceLimits {
            name,
            compute_capability: self.compute_capability,
            reserved_shared_memory_per_block: self
                .reserved_shared_memory_per_block
                .max(user.reserved_shared_memory_per_block),
            shared_memory_allocation_unit: self.shared_memory_allocation_unit.max(user.shared_memory_allocation_unit),
            register_allocation_unit: self.register_allocation_unit.max(user.register_allocation_unit),
            context_bytes: self.context_bytes.max(user.context_bytes),
            l2_cache_bytes: self.l2_cache_bytes.min(user.l2_cache_bytes),
            ..user.clone()
        })
    }

    /// The limits that a user may lower and never raise.
    fn ceilings(&self) -> [(&'static str, u64); 12] {
        [
            ("multiprocessor_count", u64::from(self.multiprocessor_count)),
            ("max_threads_per_block", u64::from(self.max_threads_per_block)),
            ("max_threads_per_multiprocessor", u64::from(self.max_threads_per_multiprocessor)),
            ("max_blocks_per_multiprocessor", u64::from(self.max_blocks_per_multiprocessor)),
            ("shared_memory_per_block", u64::from(self.shared_memory_per_block)),
            ("shared_memory_per_block_optin", u64::from(self.shared_memory_per_block_optin)),
            ("shared_memory_per_multiprocessor", u64::from(self.shared_memory_per_multiprocessor)),
            ("registers_per_block", u64::from(self.registers_per_block)),
            ("registers_per_multiprocessor", u64::from(self.registers_per_multiprocessor)),
            ("max_registers_per_thread", u64::from(self.max_registers_per_thread)),
            ("max_grid_dim_x", u64::from(self.max_grid_dim_x)),
            ("total_global_memory", self.total_global_memory),
        ]
    }

    /// Limits of a block that a multiprocessor's own bound.
    fn parts(&self) -> [(&'static str, u64, &'static str, u64); 3] {
        let per_sm = "shared_memory_per_multiprocessor";
        [
            ("shared_memory_per_block", self.shared_memory_per_block, per_sm, self.shared_memory_per_multiprocessor),
            (
                "shared_memory_per_block_optin",
                self.shared_memory_per_block_optin,
                per_sm,
                self.shared_memory_per_multiprocessor,
            ),
            (
                "registers_per_block",
                self.registers_per_block,
                "registers_per_multiprocessor",
                self.registers_per_multiprocessor,
            ),
        ]
        .map(|(part, of_part, whole, of_whole)| (part, u64::from(of_part), whole, u64::from(of_whole)))
    }

    /// The limits that divide something or that must let at least one thing exist.
    fn counts(&self) -> [(&'static str, u64); 8] {
        [
            ("multiprocessor_count", u64::from(self.multiprocessor_count)),
            ("max_threads_per_block", u64::from(self.max_threads_per_block)),
            ("max_threads_per_multiprocessor", u64::from(self.max_threads_per_multiprocessor)),
            ("max_blocks_per_multiprocessor", u64::from(self.max_blocks_per_multiprocessor)),
            ("shared_memory_allocation_unit", u64::from(self.shared_memory_allocation_unit)),
            ("register_allocation_unit", u64::from(self.register_allocation_unit)),
            ("max_grid_dim_x", u64::from(self.max_grid_dim_x)),
            ("total_global_memory", self.total_global_memory),
        ]
    }
}
