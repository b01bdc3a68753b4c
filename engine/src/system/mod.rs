//! Services of the operating system: signals, memory, streams, and a guard over the process that
//! runs plugins.

pub mod aligned;
pub mod allocator;
pub mod call_limit;
pub mod disk;
pub mod expected_panic;
pub mod guard;
pub mod host;
pub mod interrupt;
pub mod memory;
pub mod notice;
pub mod output;
pub mod parallel;
#[cfg(unix)]
pub mod processes;
pub mod regular;
pub mod shell;
pub mod spare_workers;
pub mod streams;
