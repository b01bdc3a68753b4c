//! Problems that are programs: a Python file, or any executable that speaks the protocol of
//! docs/programs.md. Each worker has a process of its own, which is asked through a pair of pipes;
//! one that ends, hangs or answers wrongly costs the call, and is started anew for the next.

mod command;
mod declaration;
mod frame;
mod instance;
mod pool;
mod process;
mod spawner;

pub(crate) use command::start_through;
pub(super) use instance::Instance;
pub(super) use pool::Program;
