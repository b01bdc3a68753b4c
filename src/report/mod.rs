//! Reports: what the user sees of results.

mod number;
mod show;
mod table;

pub use number::{count, rate, real};
pub use show::{ShowFormat, ShowOptions, ShowTable, show};
pub use table::summary_table;
