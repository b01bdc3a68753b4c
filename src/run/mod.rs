//! Running an experiment: from its plan to its tables, on all cores, with events for who watches.

mod channel;
mod collect;
mod event;
mod isolation;
mod memory;
#[cfg(unix)]
mod message;
#[cfg(unix)]
mod plugin_process;
mod pool;
#[cfg(unix)]
mod process_runner;
mod queue;
mod replay;
#[cfg(unix)]
mod requests;
mod session;
mod trial_runner;
mod worker;
#[cfg(unix)]
mod worker_process;

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
#[cfg(unix)]
pub use requests::answer_requests;
pub use session::{
    Conclusion, Ended, Missing, ResultsFolder, Session, SessionError, SessionOptions,
    run_experiment,
};
pub use trial_runner::TrialRunner;
#[cfg(unix)]
pub use worker_process::WorkerCommand;
