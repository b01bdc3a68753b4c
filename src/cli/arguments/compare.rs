//! Arguments of `runner compare`.

use super::{ArmArguments, FormArguments, SortArguments, values};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub folder: PathBuf,
    /// Another folder: compare arms with the same settings or label
    #[arg(value_name = "OTHER", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub other: Option<PathBuf>,
    #[command(flatten)]
    pub arms: ArmArguments,
    /// Compare each arm only with this one: its label, its id, or the name of an operator set that
    /// makes one arm
    #[arg(long, value_name = "ARM", conflicts_with = "other")]
    pub against: Option<String>,
    /// Compare every two arms of one problem, however many there are
    #[arg(long, conflicts_with_all = ["other", "against"])]
    pub all_pairs: bool,
    /// Show every comparison, in place of the arms in groups that are not told apart
    #[arg(long)]
    pub pairs: bool,
    /// Explain how differences, tests and verdicts were calculated
    #[arg(long)]
    pub explain: bool,
    /// Compare trial k of one arm with trial k of the other; the default for arms of one experiment
    /// with pairing = "common"
    #[arg(long, conflicts_with = "unpaired")]
    pub paired: bool,
    /// Compare paired trials as if they were independent
    #[arg(long)]
    pub unpaired: bool,
    /// Compare arms with the same label in two folders even if they solve different problems
    #[arg(long, requires = "other")]
    pub across_problems: bool,
    /// Compare operator sets at each value of this swept key, and over all of its values
    /// (repeatable); the rows have the order of the file
    #[arg(long, value_name = "KEY", conflicts_with = "other")]
    pub within: Vec<String>,
    /// Compare what trials reached within this many evaluations; default: the smaller budget of two
    /// arms
    #[arg(long, value_name = "EVALUATIONS", value_parser = values::at_least_one)]
    pub budget: Option<u64>,
    #[command(flatten)]
    pub sort: SortArguments,
    #[command(flatten)]
    pub form: FormArguments,
}
