//! Running a plan: trials on all cores, events for the display, Ctrl-C.

mod event;
mod outbox;
mod pool;
mod queue;

pub use event::{ArmProgress, Event};
pub use pool::{Sink, run_trials};
pub use queue::{Chunk, Queue};
