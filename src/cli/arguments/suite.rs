//! Arguments of `runner suite`.

use super::RunArguments;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(mut_arg("configs", |arg| {
    arg.value_name("SUITE").num_args(1).help("Suite file (TOML)")
}))]
pub(crate) struct SuiteArguments {
    #[command(flatten)]
    pub run: RunArguments,
    /// Also take in results of others: a file of runner pack, or a results folder (repeatable)
    #[arg(long, value_name = "RESULTS", value_hint = ValueHint::AnyPath)]
    pub add: Vec<PathBuf>,
}

impl SuiteArguments {
    /// Returns the file of the suite.
    pub(crate) fn file(&self) -> PathBuf {
        self.run.experiments.configs.first().cloned().unwrap_or_default()
    }
}
