//! What the operating system gives: signals, memory, streams, and a guard over the process that
//! plugins run in.

pub(crate) mod call_limit;
pub(crate) mod disk;
pub(crate) mod guard;
pub(crate) mod host;
pub mod interrupt;
pub(crate) mod memory;
pub mod notice;
pub(crate) mod output;
pub mod spare_workers;
pub(crate) mod streams;
