//! Arguments for the isolation of trials.

use super::values;
use clap::{Args, ValueEnum};
use std::num::NonZeroU64;

// Isolation in which plugins are loaded and trials run.
#[derive(Debug, Args)]
pub(crate) struct IsolationArguments {
    /// Where trials run: in threads, or in processes, where a plugin that crashes or hangs costs
    /// only one trial
    #[arg(
        long = "isolation", value_name = "WHERE", value_enum,
        default_value_t = IsolationMode::Thread
    )]
    pub mode: IsolationMode,
    /// Address space of each worker process, in MB (with --isolation process)
    #[arg(long, value_name = "MB", value_parser = values::megabytes, allow_negative_numbers = true)]
    pub worker_memory: Option<NonZeroU64>,
    /// How long a plugin may take to load, and to create a problem (with --isolation process)
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        value_parser = values::whole::<NonZeroU64>(1)
    )]
    pub plugin_seconds: NonZeroU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IsolationMode {
    /// All trials in this process: the fastest
    Thread,
    /// A separate process per worker
    Process,
}
