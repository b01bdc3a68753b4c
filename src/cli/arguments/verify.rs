//! Arguments of `runner verify`.

use super::{JobsArguments, RecordedPluginArguments, values};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Folder of an experiment or a tuning, or a file that runner pack wrote
    #[arg(value_name = "FOLDER", value_hint = ValueHint::AnyPath, value_parser = values::results())]
    pub folder: PathBuf,
    /// Trials to run again, chosen at random
    #[arg(
        long, short = 'n', value_name = "N", default_value_t = 100,
        value_parser = values::at_least_one, allow_negative_numbers = true
    )]
    pub trials: u64,
    /// All trials, and whether the summary follows from them
    #[arg(long, conflicts_with_all = ["trials", "seed"])]
    pub all: bool,
    /// Seed for the choice of trials
    #[arg(
        long, value_name = "SEED", default_value_t = 0, value_parser = values::seed,
        allow_negative_numbers = true
    )]
    pub seed: u64,
    #[command(flatten)]
    pub jobs: JobsArguments,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}
