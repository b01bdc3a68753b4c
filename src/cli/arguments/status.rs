//! Arguments of `runner status`.

use super::values;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// Folders of results whose experiments were submitted, such as results/NAME, or of their
    /// submissions
    #[arg(
        value_name = "FOLDER",
        required = true,
        value_hint = ValueHint::DirPath,
        value_parser = values::results()
    )]
    pub folders: Vec<PathBuf>,
    /// Look again every few seconds, until nothing waits or runs any more
    #[arg(long)]
    pub watch: bool,
    /// A JSON array of objects
    #[arg(long, conflicts_with = "watch")]
    pub json: bool,
}
