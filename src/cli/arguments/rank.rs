//! Arguments of `runner rank`.

use super::{FormArguments, values};
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RankArguments {
    /// Folders of experiments
    #[arg(
        value_name = "FOLDER",
        required = true,
        value_hint = ValueHint::DirPath,
        value_parser = values::results()
    )]
    pub folders: Vec<PathBuf>,
    /// What arms are ranked by on each problem; default: the first of success rate, ERT and fitness
    /// that all problems have and in which any two arms differ
    #[arg(long, value_enum)]
    pub by: Option<RankBy>,
    /// Rank by what trials reached within this many evaluations; default: the smallest budget on
    /// the problem
    #[arg(long, value_name = "EVALUATIONS", value_parser = values::at_least_one)]
    pub budget: Option<u64>,
    /// Also write the critical-difference diagram to this folder, as SVG and PNG
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub plot: Option<PathBuf>,
    /// Explain how ranks, tests and verdicts were calculated
    #[arg(long)]
    pub explain: bool,
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
