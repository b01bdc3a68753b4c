//! Output of results in the terminal.

mod advice;
mod certificates;
mod conclusion;
mod conformance;
mod overview;
mod parameters;
mod plan;
mod show;
mod tuning;
mod width;

pub use advice::advice;
pub(crate) use advice::of_timed_out;
pub use certificates::certificates;
pub use conclusion::{
    conclusion, decided, hash_line, partial_conclusion, shard_conclusion, trial_error_messages,
};
pub use conformance::{Conformance, conformance};
pub use overview::{OverviewLine, overview};
pub use parameters::parameter_lines;
pub use plan::{FirstTrial, plan_table};
pub use show::{ShowFormat, ShowOptions, ShowTable, ShownResults, show, summary_rows};
pub use tuning::{tuning_plan, tuning_result};
pub use width::width;
