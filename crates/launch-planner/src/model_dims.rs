//! The sizes of a model that decide where its environments fit.

use serde::{Deserialize, Serialize};

use crate::Demand;

/// The sizes of a model that decide where its environments fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelDims {
    /// The model's name, for messages.
    pub name: String,
    /// Every array of one environment's workspace.
    pub arrays: Vec<WorkArray>,
    /// State in global memory, bytes per environment.
    pub state_bytes_per_env: u64,
    /// Inputs in global memory, bytes per environment.
    pub input_bytes_per_env: u64,
    /// Outputs that were asked for, in global memory, bytes per environment.
    pub output_bytes_per_env: u64,
    /// Model constants shared by all environments, bytes.
    pub model_bytes: u64,
    /// Words of the model that every block of the step kernel keeps in shared memory, beside its environments.
    #[serde(default)]
    pub model_words_per_block: u64,
    /// Model fields that are stored per environment, bytes per environment.
    pub model_bytes_per_env: u64,
    /// What the fast workspace holds: enough for most environments at most times.
    pub usual: Capacity,
    /// What no state of the model can exceed; the retry workspace holds it.
    pub proven: Capacity,
    /// Degrees of freedom; decides how many lanes have work.
    pub nv: u32,
    /// The team size that measurements found best for this model; used wherever it fits.
    pub preferred_lanes: Option<u32>,
}

/// How many contacts and Jacobian words a workspace holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// Contacts.
    pub contacts: u32,
    /// 4-byte words of constraint Jacobian.
    pub jacobian_words: u32,
}

impl Capacity {
    /// The smaller of two in each number.
    pub fn at_most(self, other: Capacity) -> Capacity {
        Capacity {
            contacts: self.contacts.min(other.contacts),
            jacobian_words: self.jacobian_words.min(other.jacobian_words),
        }
    }

    /// The larger of two in each number.
    pub fn at_least(self, other: Capacity) -> Capacity {
        Capacity {
            contacts: self.contacts.max(other.contacts),
            jacobian_words: self.jacobian_words.max(other.jacobian_words),
        }
    }
}

/// One array of an environment's workspace. A word is 4 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkArray {
    /// The array's name in the field table.
    pub name: String,
    /// Words whatever the capacity is.
    pub words: u64,
    /// Words for every contact of the capacity.
    pub words_per_contact: u64,
    /// Words for every Jacobian word of the capacity: 0 or 1.
    pub words_per_jacobian_word: u64,
    /// The first stage in which the array holds something.
    pub first_stage: u32,
    /// The last stage in which it does, inclusive.
    pub last_stage: u32,
    /// How much the array is used in a step, relatively to others: of the fullest stage's arrays the one with most words for it
    /// moves to global memory first.
    pub traffic: u64,
}

impl WorkArray {
    /// Words of the array at a capacity, saturating.
    pub fn words_at(&self, capacity: Capacity) -> u64 {
        let contacts = self.words_per_contact.saturating_mul(u64::from(capacity.contacts));
        let jacobian = self.words_per_jacobian_word.saturating_mul(u64::from(capacity.jacobian_words));
        self.words.saturating_add(contacts).saturating_add(jacobian)
    }

    /// Whether the array's size changes with the capacity.
    pub fn depends_on_capacity(&self) -> bool {
        self.words_per_contact != 0 || self.words_per_jacobian_word != 0
    }

    /// Whether both arrays hold something in one of the stages.
    pub fn lives_with(&self, other: &WorkArray) -> bool {
        self.first_stage <= other.last_stage && other.first_stage <= self.last_stage
    }
}

impl ModelDims {
    /// The fast workspace's capacity: the learned one, or the forced contacts with Jacobian words in proportion, or the usual
    /// one; never more than the proven maximum.
    pub fn fast_capacity(&self, demand: &Demand) -> Capacity {
        let wanted = match (demand.capacity, demand.fast_contacts) {
            (Some(learned), _) => learned,
            (None, Some(contacts)) if self.usual.contacts > 0 => {
                let words = u64::from(self.usual.jacobian_words) * u64::from(contacts);
                let jacobian_words = words.div_ceil(u64::from(self.usual.contacts));
                Capacity { contacts, jacobian_words: u32::try_from(jacobian_words).unwrap_or(u32::MAX) }
            }
            (None, Some(contacts)) => Capacity { contacts, ..self.usual },
            (None, None) => self.usual,
        };
        wanted.at_most(self.proven)
    }
}
