//! Arguments of a run.

use super::{ArmArguments, ExperimentArguments, IsolationArguments, JobsArguments, values};
use crate::plan::shard::Shard;
use clap::{Args, ValueEnum, ValueHint};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub experiments: ExperimentArguments,
    #[command(flatten)]
    pub jobs: JobsArguments,
    /// After this time, such as 90s, 10m or 2h, begin no further round of trials: the run ends as
    /// after Ctrl-C, with as many trials of each arm, and the same command continues it
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub time_limit: Option<Duration>,
    /// Folder for the results
    #[arg(
        long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath
    )]
    pub out: PathBuf,
    /// How to show progress (on standard error)
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto)]
    pub progress: ProgressMode,
    /// With --progress json: an event for every N-th generation of each trial, and for its last
    #[arg(long, value_name = "N", value_parser = values::whole::<NonZeroU64>(1))]
    pub generation_events: Option<NonZeroU64>,
    /// Run only shard I of N, such as 3/10, into DIR/NAME.shard-I-of-N/; `runner merge` merges the
    /// shards; auto/10 takes I from the first that is set of HQ_TASK_ID (from 1),
    /// JOB_COMPLETION_INDEX (from 0) and SLURM_ARRAY_TASK_ID (from 1)
    #[arg(long, value_name = "I/N", value_parser = values::shard)]
    pub shard: Option<Shard>,
    /// With --shard: the shard of this round, of an experiment whose `repeats` asks a question;
    /// DIR/NAME/round.json has its trials
    #[arg(
        long, value_name = "NUMBER", requires = "shard",
        value_parser = values::from_to(0, u32::MAX)
    )]
    pub round: Option<u32>,
    /// Run only if the config still gives the plan with this identity (set by `runner submit`)
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<String>,
    #[command(flatten)]
    pub arms: ArmArguments,
    #[command(flatten)]
    pub isolation: IsolationArguments,
    /// Continue with trials that another build of the same plugin version made
    #[arg(long)]
    pub accept_plugin_change: bool,
    /// When an experiment ends, run this by `sh -c`; RUNNER_NAME, RUNNER_FOLDER, RUNNER_OUTCOME and
    /// RUNNER_EXIT_CODE say which and how
    #[arg(long, value_name = "COMMAND")]
    pub on_end: Option<String>,
    /// Run trials again that failed, crashed or timed out in an earlier run; their rows move to
    /// superseded/
    #[arg(long, conflicts_with = "arms")]
    pub retry_failed: bool,
    /// Go on though every trial fails; without this, a run ends soon after 20 failed trials (or one
    /// per arm, if that is more) if no other trial ran
    #[arg(long)]
    pub keep_going: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// Bars on a terminal, plain lines elsewhere
    Auto,
    /// A bar for each running arm and one for all
    Bars,
    /// A line from time to time
    Plain,
    /// JSON lines: every message as an event (docs/events.md)
    Json,
    /// No progress
    None,
}
