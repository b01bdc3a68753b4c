//! The map of the crate. Data flows down this list; nothing points back up it.

pub mod experiment;
pub mod fingerprint;
pub mod operators;
pub mod parameter;
pub mod problem;
pub mod record;
pub mod report;
pub mod results;
pub mod seed;
pub mod stats;
