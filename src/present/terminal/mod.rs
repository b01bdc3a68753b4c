//! What the terminal shows of results.

mod advice;
mod certificates;
mod parameters;
mod show;
pub(crate) mod table;
mod width;

pub use advice::advice;
pub use certificates::certificates;
pub use parameters::parameter_lines;
pub use show::{ShowFormat, ShowOptions, ShowTable, show};
pub use table::summary_table;
pub use width::width;
