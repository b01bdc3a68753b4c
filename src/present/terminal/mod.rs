//! What the terminal shows of results.

mod advice;
mod certificates;
mod conclusion;
mod parameters;
mod show;
pub(crate) mod table;
mod width;

pub use advice::advice;
pub use certificates::certificates;
pub use conclusion::{conclusion, shard_conclusion, trial_error_lines};
pub use parameters::parameter_lines;
pub use show::{ShowFormat, ShowOptions, ShowTable, show};
pub use table::summary_table;
pub use width::width;
