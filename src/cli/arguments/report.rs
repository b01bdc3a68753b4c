//! Arguments of `runner report`.

use super::{RecordedPluginArguments, values};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Folders of experiments, such as results/*, or the folder of one tuning
    #[arg(
        value_name = "FOLDER",
        required = true,
        value_hint = ValueHint::DirPath,
        value_parser = values::results()
    )]
    pub folders: Vec<PathBuf>,
    /// The file to write [default: report.html or checklist.md in the folder; of several, in the
    /// folder above them]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Write a reproducibility checklist in Markdown instead: what journals and conferences ask
    /// for, filled in from what was run, with the questions that only the author can answer
    #[arg(long)]
    pub checklist: bool,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}
