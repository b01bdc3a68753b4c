//! Running a plan: trials on all cores, events for the display, Ctrl-C.

mod event;
mod message;
mod outbox;
mod pool;
mod process;
mod queue;

pub use event::{ArmProgress, Event};
pub use pool::{Isolation, RunError, Sink, run_trials};
pub use process::{WorkerCommand, serve};
pub use queue::{Chunk, Queue};
