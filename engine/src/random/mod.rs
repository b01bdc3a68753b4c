//! Random numbers: the same bits on every machine.

#[cfg(target_arch = "x86_64")]
pub(crate) mod digits;
pub mod draws;
pub(crate) mod gap;
pub(crate) mod generator;
mod parts;
pub(crate) mod power;
pub(crate) mod subsets;
