//! What the terminal shows of results.

mod advice;
mod arms;
mod certificates;
mod comparison;
mod conclusion;
mod grid;
mod parameters;
mod show;
pub(crate) mod table;
mod width;

pub use advice::advice;
pub use arms::{ArmName, arm_columns};
pub use certificates::certificates;
pub use comparison::{comparison_table, effect};
pub use conclusion::{conclusion, shard_conclusion, trial_error_messages};
pub use grid::{Cell, Column, Grid, fitted, paragraph};
pub use parameters::parameter_lines;
pub use show::{ShowFormat, ShowOptions, ShowTable, show};
pub use table::summary_table;
pub use width::width;
