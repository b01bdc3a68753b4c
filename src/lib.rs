//! The map of the crate. Data flows down this list; nothing points back up it.

pub mod parameter;
pub mod problem;
pub mod operators;
pub mod experiment;
pub mod plan;
pub mod seed;
pub mod record;
