//! Running an experiment: from its plan to its tables, on all cores, with events for who watches.

mod collect;
mod event;
mod isolation;
mod memory;
#[cfg(unix)]
mod message;
mod outbox;
#[cfg(unix)]
mod plugin_process;
mod pool;
#[cfg(unix)]
mod process;
mod queue;
mod replay;
mod runner;
#[cfg(unix)]
mod serve;
mod session;
#[cfg(unix)]
mod worker;

pub use collect::{NoWorker, collect_trials};
pub use event::{ArmProgress, Event, Observer};
pub use isolation::{Isolation, PluginLoader};
pub use memory::{MemoryLimit, MemoryShortage, WayOut, memory_shortage};
pub use pool::{PoolCounts, RunError, Sink, default_jobs, run_trials};
pub use queue::{Chunk, Queue};
pub use replay::{
    Change, Choice, Chosen, Difference, DifferingTrial, PluginNotFound, PluginSource, Reason,
    RecordedFile, Replay, ReplayError, Verification, differences,
};
pub use runner::TrialRunner;
#[cfg(unix)]
pub use serve::serve;
pub use session::{
    Conclusion, Ended, Missing, ResultsFolder, Session, SessionError, SessionOptions,
    run_experiment,
};
#[cfg(unix)]
pub use worker::WorkerCommand;
