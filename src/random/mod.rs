//! Random numbers: the same bits on every machine.

pub mod draws;
pub mod generator;
pub mod power;
