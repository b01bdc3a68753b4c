//! Arguments of `runner show`.

use super::{ArmArguments, SortArguments, values};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Result folders, such as results/eight-queens
    #[arg(
        value_name = "FOLDER",
        required = true,
        value_hint = ValueHint::DirPath,
        value_parser = values::results()
    )]
    pub folders: Vec<PathBuf>,
    #[command(flatten)]
    pub arms: ArmArguments,
    /// Print the trials instead of the summary
    #[arg(long, conflicts_with_all = ["sort", "top", "latex"])]
    pub trials: bool,
    /// Print how long the trials took: seconds per trial and per evaluation, and on which machine
    #[arg(long, conflicts_with_all = ["trials", "latex"])]
    pub times: bool,
    #[command(flatten)]
    pub sort: SortArguments,
    /// Comma-separated values, all columns
    #[arg(long, conflicts_with_all = ["json", "latex"])]
    pub csv: bool,
    /// A JSON array of objects, all columns
    #[arg(long, conflicts_with = "latex")]
    pub json: bool,
    /// A LaTeX table for papers, with booktabs; the best arm of each problem is bold
    #[arg(long)]
    pub latex: bool,
    /// Show at most this many rows of the trials table
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        requires = "trials",
        value_parser = values::whole::<usize>(0)
    )]
    pub rows: usize,
}
