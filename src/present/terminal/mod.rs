//! What the terminal shows of results.

mod advice;
mod arms;
mod certificates;
mod comparison;
mod conclusion;
mod conformance;
mod grid;
mod latex;
mod parameters;
mod plan;
mod ranking;
mod show;
mod summary;
pub(crate) mod table;
mod width;

pub(crate) use advice::advice;
pub(crate) use arms::{ArmName, arm_columns};
pub(crate) use certificates::certificates;
pub(crate) use comparison::{comparison_latex, comparison_table, effect};
pub(crate) use conclusion::{
    conclusion, partial_conclusion, shard_conclusion, trial_error_messages,
};
pub(crate) use conformance::{Conformance, conformance};
pub(crate) use grid::{Cell, Column, Grid, fitted, outlined, paragraph};
pub(crate) use latex::latex;
pub(crate) use parameters::parameter_lines;
pub(crate) use plan::{FirstTrial, plan_table};
pub(crate) use ranking::{ranking_latex, ranking_table};
pub(crate) use show::{ShowFormat, ShowOptions, ShowTable, show, summary_rows};
pub(crate) use table::summary_table;
pub(crate) use width::width;
