//! Running a plan: trials on all cores, events for the display, requests to stop.

#[cfg(unix)]
mod describer;
mod event;
#[cfg(unix)]
mod message;
mod outbox;
mod pool;
#[cfg(unix)]
mod process;
mod queue;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod worker;

#[cfg(unix)]
pub use describer::Describer;
pub use event::{ArmProgress, Event};
pub use pool::{Isolation, RunError, Sink, Tally, run_trials};
pub use queue::{Chunk, Queue};
#[cfg(unix)]
pub use serve::serve;
#[cfg(unix)]
pub use worker::WorkerCommand;
