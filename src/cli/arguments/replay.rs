//! Arguments of `runner replay`.

use super::{RecordedPluginArguments, values};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub folder: PathBuf,
    /// The arm: its label, its id, or the name of an operator set that makes one arm; without it,
    /// the arms are listed
    #[arg(value_name = "ARM")]
    pub arm: Option<String>,
    /// Number of the trial, from 0
    #[arg(value_name = "TRIAL", value_parser = values::trial, allow_negative_numbers = true)]
    pub trial: Option<u64>,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}
