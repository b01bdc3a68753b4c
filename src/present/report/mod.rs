//! Reports: tables of figures, each defined once for readers and for programs.
//!
//! A column has values with names, for CSV, JSON, Markdown and Parquet. It also has texts with a
//! heading, for the terminal, LaTeX and HTML. It may have only one of both.

mod column;
mod html;
mod latex;
mod programs;
mod row_writer;
mod table;
mod terminal;
mod wrap;

pub(crate) use column::{Cell, Column, NOTHING};
pub(crate) use html::Sheet;
pub(crate) use latex::latex;
pub(crate) use programs::{TableFormat, order_of};
pub(crate) use row_writer::{RowFormat, RowWriter};
pub(crate) use table::Report;
pub(crate) use terminal::fitted;
pub(crate) use wrap::{cut, hanging, outlined, paragraph};
