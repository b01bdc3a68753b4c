//! The map of the crate. Data flows down this list; nothing points back up it.

pub mod experiment;
pub mod operators;
pub mod parameter;
pub mod plan;
pub mod problem;
pub mod record;
pub mod seed;
