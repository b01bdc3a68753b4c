//! Problems that are programs: a Python file, or any executable that speaks the protocol of
//! docs/programs.md. Its processes are asked through pipes, in which requests may wait. One that
//! ends, hangs or answers wrongly costs the call that it was in; the next gets another.

mod command;
mod declaration;
mod frame;
mod instance;
mod pipeline;
#[cfg(target_os = "linux")]
mod place;
mod pool;
mod process;
mod spawner;

pub use command::start_through;
pub(super) use instance::Instance;
pub(super) use pool::Program;
