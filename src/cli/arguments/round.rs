//! Arguments of `runner round`, which jobs of `runner submit` run.

use super::values;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RoundArguments {
    /// The folder of the submission, such as results/NAME.submission
    #[arg(value_name = "SUBMISSION", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// The round that is over
    #[arg(long, value_name = "NUMBER", value_parser = values::from_to(0, u32::MAX))]
    pub after: u32,
}
