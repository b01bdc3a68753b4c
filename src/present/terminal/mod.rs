//! Output of results in the terminal.

mod advice;
mod certificates;
mod conclusion;
mod conformance;
mod overview;
mod parameters;
mod plan;
mod show;
mod width;

pub(crate) use advice::advice;
pub(crate) use certificates::certificates;
pub(crate) use conclusion::{
    conclusion, decided, hash_line, partial_conclusion, shard_conclusion, trial_error_messages,
};
pub(crate) use conformance::{Conformance, conformance};
pub(crate) use overview::{OverviewLine, overview};
pub(crate) use parameters::parameter_lines;
pub(crate) use plan::{FirstTrial, plan_table};
pub(crate) use show::{ShowFormat, ShowOptions, ShowTable, show, summary_rows};
pub(crate) use width::width;
