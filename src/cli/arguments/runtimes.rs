//! Arguments of `runner runtimes`.

use super::{FormArguments, SortArguments, values};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RuntimesArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub folder: PathBuf,
    #[command(flatten)]
    pub sort: SortArguments,
    #[command(flatten)]
    pub form: FormArguments,
}
