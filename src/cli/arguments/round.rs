//! The arguments of `runner round`, which jobs of `runner submit` run.

use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RoundArguments {
    /// The folder of the submission, such as results/NAME.submission
    #[arg(value_name = "SUBMISSION", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// The round that is over
    #[arg(long, value_name = "NUMBER")]
    pub after: u32,
}
