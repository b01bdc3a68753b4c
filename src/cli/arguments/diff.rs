//! Arguments of `runner diff`.

use super::values;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// Old results folder
    #[arg(value_name = "OLD", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub old: PathBuf,
    /// New results folder
    #[arg(value_name = "NEW", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub new: PathBuf,
    /// When to end with exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Never)]
    pub fail_on: FailOn,
    /// Compare what trials reached within this many evaluations; default: the smaller budget of two
    /// arms
    #[arg(long, value_name = "EVALUATIONS", value_parser = values::at_least_one)]
    pub budget: Option<u64>,
    /// Compare arms with the same label even if they solve different problems
    #[arg(long)]
    pub across_problems: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Never,
    /// If an arm is or may be worse, is gone, or has no usable trials
    Worse,
    /// Also if an arm is better
    Changed,
}
