//! One file for each command.

pub mod doctor;
pub mod forward;
pub mod inspect;
pub mod ladder;
pub mod plan;
pub mod run;
pub mod tune;
