//! Running an experiment: from its plan to its tables, on all cores, with events for observers.

mod channel;
mod checkpoints;
mod collect;
mod event;
mod generation_progress;
#[cfg(unix)]
mod grants;
mod isolation;
mod memory;
#[cfg(unix)]
mod message;
mod own_plugins;
#[cfg(unix)]
mod plugin_process;
mod pool;
#[cfg(unix)]
mod process_runner;
mod queue;
mod replay;
#[cfg(unix)]
mod requests;
mod rounds;
mod session;
mod time_limit;
mod trace_size;
mod trial_runner;
mod worker;
#[cfg(unix)]
mod worker_process;

pub use channel::Intake;
pub use collect::{NoWorker, collect_trials};
pub use event::{ArmProgress, Event, Observer};
pub use generation_progress::{GenerationFigures, GenerationProgress};
pub use isolation::{Isolation, PluginLoader};
pub use memory::{MemoryLimit, MemoryNeed, MemoryShortage, WayOut, memory_need, memory_shortage};
#[cfg(unix)]
pub use message::{Inbox, send};
pub use own_plugins::OwnPlugins;
pub use pool::{RunError, Sink, default_jobs, run_trials};
pub use queue::{Chunk, Queue};
pub use replay::{
    Change, Choice, Chosen, Difference, DifferingTrial, PluginNotFound, PluginSource, Reason,
    RecordedFile, Replay, ReplayError, Verification,
};
pub use replay::{beside_results, differences};
#[cfg(unix)]
pub use requests::answer_requests;
pub use rounds::{Advance, advance};
pub use session::{
    Conclusion, Ended, Missing, ResultsFolder, Session, SessionError, SessionOptions,
    refuse_other_build, run_experiment,
};
pub use time_limit::TimeLimit;
pub use trace_size::{TraceSize, largest_trace, trace_size};
pub use trial_runner::{TrialRunner, limit_calls};
#[cfg(unix)]
pub use worker_process::WorkerCommand;
#[cfg(unix)]
pub use worker_process::{Duty, Line, Silence, WorkerProcess};
