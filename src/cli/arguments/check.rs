//! Arguments of `runner check`.

use super::{ExperimentArguments, IsolationArguments, values};
use clap::Args;
use std::num::NonZeroUsize;

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub experiments: ExperimentArguments,
    #[command(flatten)]
    pub isolation: IsolationArguments,
    /// Trials to run at once, for the estimate [default: one per core]
    #[arg(
        long, short, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true
    )]
    pub jobs: Option<NonZeroUsize>,
    /// Show at most this many arms of each experiment
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = values::whole::<usize>(0))]
    pub rows: usize,
}
