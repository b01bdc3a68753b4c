//! Reports: what the user sees of results.

mod advice;
mod certificates;
mod number;
mod parameters;
mod sheet;
mod show;
mod table;

pub use advice::{advice, round_up};
pub use certificates::certificates;
pub use number::{count, p_words, rate, real};
pub use parameters::parameter_lines;
pub use sheet::{Sheet, SheetFormat};
pub use show::{ShowFormat, ShowOptions, ShowTable, show};
pub use table::summary_table;
