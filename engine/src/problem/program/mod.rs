//! Problems that are programs: a Python file, or any executable that speaks the protocol of
//! docs/programs.md. The runner communicates with the program's processes through pipes. If a
//! process ends, hangs or answers incorrectly, only the current call fails. The next call gets
//! another process.

mod command;
mod connection;
mod declaration;
mod frame;
mod instance;
#[cfg(target_os = "linux")]
mod place;
mod pool;
mod process;
mod search;
mod spawner;

pub use command::start_through;
pub(super) use instance::Instance;
pub use pool::PATIENCE as START_PATIENCE;
pub(super) use pool::Program;
