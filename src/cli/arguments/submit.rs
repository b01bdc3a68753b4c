//! Arguments of `runner submit`.

use super::{ExperimentArguments, IsolationArguments, values};
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SubmitArguments {
    /// Who runs the shards
    #[arg(value_name = "ENGINE", value_enum)]
    pub engine: EngineName,
    #[command(flatten)]
    pub experiments: ExperimentArguments,
    /// Split each experiment into this many shards
    #[arg(
        long, value_name = "N", value_parser = values::shards, required_unless_present = "missing"
    )]
    pub shards: Option<u64>,
    /// Submit only the shards that are not done, of an experiment that was submitted before
    #[arg(long)]
    pub missing: bool,
    /// Print the scripts; write and submit nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Folder for the results
    #[arg(
        long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath
    )]
    pub out: PathBuf,
    #[command(flatten)]
    pub isolation: IsolationArguments,
    /// Continue with trials that another build of the same plugin version made
    #[arg(long)]
    pub accept_plugin_change: bool,
    /// Run trials again that failed, crashed or timed out in an earlier run
    #[arg(long)]
    pub retry_failed: bool,
    /// After --: arguments of sbatch, such as --partition=short --time=30 --cpus-per-task=4
    #[arg(value_name = "SBATCH", last = true)]
    pub engine_arguments: Vec<String>,
}

impl SubmitArguments {
    /// Returns whether the printed text is all that the command gives.
    pub(crate) fn prints(&self) -> bool {
        self.dry_run || self.engine == EngineName::Print
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Slurm: submits a job array and a job that merges
    Slurm,
    /// GNU parallel: writes a list of commands
    Parallel,
    /// HyperQueue: writes a script
    Hyperqueue,
    /// Kubernetes: writes an indexed Job
    Kubernetes,
    /// Prints the commands, one per line
    Print,
}
