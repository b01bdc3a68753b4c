//! Reports: tables of figures, each defined once for readers and for programs.
//!
//! A column has values with names, for CSV, JSON, Markdown and Parquet. It also has texts with a
//! heading, for the terminal, LaTeX and HTML. It may have only one of both.

mod column;
mod html;
mod latex;
mod programs;
mod row_writer;
mod rows;
mod table;
mod terminal;
mod wrap;

pub use column::{Cell, Column, NOTHING};
pub use html::Sheet;
pub use latex::latex;
pub use programs::{TableFormat, order_of};
pub use row_writer::{RowFormat, RowWriter};
pub use rows::Rows;
pub use table::Report;
pub use terminal::fitted;
pub use wrap::{cut, hanging, outlined, paragraph};
