//! The arguments of `runner rank`.

use super::FormArguments;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RankArguments {
    /// Folders of experiments
    #[arg(value_name = "FOLDER", required = true, value_hint = ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,
    /// What arms are ranked by on each problem
    #[arg(long, value_enum, default_value_t = RankBy::SuccessRate)]
    pub by: RankBy,
    /// Also write the critical-difference diagram to this folder, as SVG and PNG
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub form: FormArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankBy {
    /// The share of trials that succeed
    SuccessRate,
    /// The expected running time in evaluations; arms that never succeed tie
    Ert,
    /// The median of the trials' best fitness
    Fitness,
}
