//! Arguments of `runner tune`.

use super::{IsolationArguments, JobsArguments, PluginDirs, ProgressMode, values};
use crate::plan::shard::Shard;
use clap::{Args, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct TuneArguments {
    /// Experiment file (TOML) with a table [tune]
    #[arg(value_name = "CONFIG", value_hint = ValueHint::FilePath)]
    pub config: PathBuf,
    /// Override a key of the file, such as tune.budget=2000 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The seed of the tuning; overrides the file
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    pub seed: Option<String>,
    #[command(flatten)]
    pub plugins: PluginDirs,
    #[command(flatten)]
    pub jobs: JobsArguments,
    /// After this time, such as 90s, 10m or 2h, begin no further round of trials; the same command
    /// continues the tuning
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub time_limit: Option<Duration>,
    /// Run only shard I of N of the trials, such as 3/10, while other processes run the others over
    /// the same DIR; auto/10 takes I from the first that is set of HQ_TASK_ID (from 1),
    /// JOB_COMPLETION_INDEX (from 0) and SLURM_ARRAY_TASK_ID (from 1)
    #[arg(
        long, value_name = "I/N", value_parser = values::shard, conflicts_with = "retry_failed"
    )]
    pub shard: Option<Shard>,
    /// Run only if the config still means what it meant for `runner submit`, which gave this name
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<String>,
    /// Folder for the results
    #[arg(
        long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath
    )]
    pub out: PathBuf,
    /// How to show progress (on standard error)
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto)]
    pub progress: ProgressMode,
    #[command(flatten)]
    pub isolation: IsolationArguments,
    /// Continue with trials that another build of the same plugin version made
    #[arg(long)]
    pub accept_plugin_change: bool,
    /// Run trials again that failed, crashed or timed out in an earlier run
    #[arg(long)]
    pub retry_failed: bool,
}
