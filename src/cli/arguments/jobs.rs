//! Number of trials at once.

use super::values;
use crate::run::default_jobs;
use clap::Args;
use std::num::NonZeroUsize;

#[derive(Debug, Args)]
pub(crate) struct JobsArguments {
    /// Trials to run at once [default: one per core]
    #[arg(
        long, short, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true
    )]
    jobs: Option<NonZeroUsize>,
}

impl JobsArguments {
    /// Returns the number that was asked for, or one per core.
    pub(crate) fn number(&self) -> usize {
        self.jobs.map_or_else(default_jobs, NonZeroUsize::get)
    }
}
