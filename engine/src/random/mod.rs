//! Random numbers: the same bits on every machine.

pub mod draws;
pub(crate) mod gap;
pub(crate) mod generator;
pub(crate) mod power;
