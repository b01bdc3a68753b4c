//! Host side of the plugin boundary: reads a library's table and calls its functions. Elsewhere,
//! the runner uses `unsafe` only for system interfaces, shared memory and vectorised code.
//!
//! The interface of this module is safe on one premise that no check can replace: the plugin
//! follows the memory rules of `runner_plugin.h`. It writes only within the buffers that it gets,
//! and its pointers are valid. A plugin that breaks these rules can crash the process;
//! process isolation contains that.
#![expect(unsafe_code, reason = "a C boundary")]

mod environment;
mod fields;
mod handle;
mod instance;
mod mixed;
mod operator;
mod operator_table;
mod search;
mod symbols;
mod table;
mod written;

pub(super) use fields::{is_key, is_name, listed};
pub(super) use instance::Instance;
pub(super) use operator::OperatorInstance;
pub(super) use table::{Calls, linked, open};

#[cfg(test)]
mod tests;
