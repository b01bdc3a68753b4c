//! Arguments of `runner challenge`.

use super::{ExperimentArguments, IsolationArguments, JobsArguments, ProgressMode, values};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ChallengeArguments {
    #[command(flatten)]
    pub experiments: ExperimentArguments,
    /// The published results hash, such as r1-0123456789abcdef0123456789abcdef
    #[arg(long, value_name = "HASH", value_parser = values::results_hash)]
    pub hash: String,
    /// Folder with the published tables: says which trials differ
    #[arg(
        long, value_name = "FOLDER", value_hint = ValueHint::DirPath,
        value_parser = values::results()
    )]
    pub against: Option<PathBuf>,
    /// Run only this many trials, chosen at random, and compare them with the published tables
    #[arg(
        long, value_name = "N", requires = "against", value_parser = values::at_least_one,
        allow_negative_numbers = true
    )]
    pub sample: Option<u64>,
    #[command(flatten)]
    pub jobs: JobsArguments,
    /// Keep the tables of this run in this folder, which must not have any of it
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// How to show progress (on standard error)
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto)]
    pub progress: ProgressMode,
    #[command(flatten)]
    pub isolation: IsolationArguments,
}
