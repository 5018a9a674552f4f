//! What can go wrong, said so that a person knows what to do.
use phalanx_gpu_kernels::executor::ExecutorError;
use phalanx_gpu_kernels::shape::ShapeError;
use phalanx_launch_planner::NoRoom;

/// Why a simulation could not be made or a call was refused. A refused call changes nothing.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// No environments.
    #[error("0 environments were asked for; ask for 1 at least")]
    NoEnvironments,
    /// double on a GPU.
    #[error("precision f64 runs on the CPU only, {device} was asked for; use device cpu or precision f32")]
    DoubleOnCuda {
        /// The device.
        device: String,
    },
    /// The program was built without CUDA, or the system has none.
    #[error(
        "{device} was asked for, and this build has no CUDA; use device cpu, or build with the feature `cuda` on Linux"
    )]
    NoCuda {
        /// The device.
        device: String,
    },
    /// The model has no kernels.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Planning, compiling, memory, launching.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// A name that no field has.
    #[error("there is no field \"{name}\"{suggestion}")]
    NoSuchField {
        /// The name.
        name: String,
        /// `; did you mean "..."?`, or empty.
        suggestion: String,
    },
    /// A field that exists, but not for this use.
    #[error("{name} is {what}; {advice}")]
    WrongUse {
        /// The field.
        name: String,
        /// What it is.
        what: &'static str,
        /// What to do.
        advice: String,
    },
    /// A wrong number of values.
    #[error("{name} takes {one} values for all environments alike or {all} for each of the {num_envs}, not {given}")]
    WrongLength {
        /// The field.
        name: String,
        /// Values per environment.
        one: usize,
        /// Values in all.
        all: u64,
        /// Environments.
        num_envs: u64,
        /// Values given.
        given: usize,
    },
    /// A mask of another length than the batch.
    #[error("the mask takes {num_envs} entries, one for each environment, not {given}")]
    WrongMask {
        /// Environments.
        num_envs: u64,
        /// Entries given.
        given: usize,
    },
    /// A value that is NaN or infinite.
    #[error("{name}[{index}] is {value}; every number must be finite, in float too (below 3.4e38)")]
    NotFinite {
        /// The field.
        name: String,
        /// Index in what was given.
        index: usize,
        /// The value.
        value: f64,
    },
    /// An environment that there is none of.
    #[error("environment {env} was named, the batch has {num_envs}: 0 to {last}")]
    NoSuchEnvironment {
        /// The index.
        env: u64,
        /// Environments.
        num_envs: u64,
        /// The last index.
        last: u64,
    },
    /// An identity, a step or an actuator that random numbers cannot be told apart by.
    #[error("{what} {number} is beyond what random controls tell apart: it must be below {limit}")]
    BeyondRandom {
        /// What it is.
        what: &'static str,
        /// Its number.
        number: u64,
        /// One past the largest.
        limit: u64,
    },
    /// A keyframe that there is none of.
    #[error("keyframe {key} was named, the model has {count}, counted from 0")]
    NoSuchKeyframe {
        /// The index.
        key: usize,
        /// Keyframes.
        count: usize,
    },
    /// A snapshot of another simulation.
    #[error("the snapshot was taken of {taken}, this simulation is {here}")]
    OtherSnapshot {
        /// What it was taken of.
        taken: String,
        /// What this is.
        here: String,
    },
    /// A field on request, beyond the memory that may be taken.
    #[error(
        "{name}: {why}; use fewer environments, or name it in Options::requests, so that the plan makes room for it at the start"
    )]
    NoRoom {
        /// The field.
        name: String,
        /// The need and the limit.
        why: NoRoom,
    },
    /// A state for each environment to reset to, beyond the memory that may be taken.
    #[error("the state to reset to: {why}; reset to one state for all, or use fewer environments")]
    NoRoomToReset {
        /// The need and the limit.
        why: NoRoom,
    },
    /// A value that the field cannot have.
    #[error("{name}[{index}] is {value}; it must be {wanted}")]
    OutOfRange {
        /// The field.
        name: String,
        /// Index in what was given.
        index: usize,
        /// The value.
        value: f64,
        /// What it must be.
        wanted: &'static str,
    },
    /// Something that only the CPU offers.
    #[error("{what} runs on the CPU only; make the simulation with device cpu")]
    CpuOnly {
        /// What was asked for.
        what: &'static str,
    },
    /// More injected contacts of a pair than it can have.
    #[error("geoms {geom1} and {geom2} have at most {most} contacts; leave the others out")]
    TooManyContacts {
        /// First geom.
        geom1: usize,
        /// Second geom.
        geom2: usize,
        /// Contacts at most.
        most: usize,
    },
    /// An injected contact between geoms that never touch.
    #[error("contact {index}: geoms {geom1} and {geom2} are no pair of the model's collision table")]
    NoSuchPair {
        /// Index of the contact.
        index: usize,
        /// First geom.
        geom1: usize,
        /// Second geom.
        geom2: usize,
    },
}
