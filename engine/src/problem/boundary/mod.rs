//! The host's side of the plugin boundary: reads a library's table and calls its functions. With
//! the guard's signals and shared memory, and the vector instructions of the random numbers, the
//! only part of the runner with `unsafe`. What it offers to the rest is safe, on one premise that
//! no check can replace: the plugin keeps the rules of `runner_plugin.h` about memory (it writes
//! where and as much as it was told, and its pointers are what it says). A plugin that does not can
//! take the process down; process isolation contains that.
#![expect(unsafe_code, reason = "a C boundary")]

mod environment;
mod handle;
mod instance;
mod operator;
mod operator_table;
mod table;

pub(super) use instance::Instance;
pub(super) use operator::OperatorInstance;
pub use table::Declared;
pub(super) use table::{Calls, is_key, is_name, linked, listed, open};

#[cfg(test)]
mod tests;
