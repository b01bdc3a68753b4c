//! Arguments for the order and the form of tables.

use super::values;
use crate::present::report::TableFormat;
use clap::{Args, ValueHint};
use std::num::NonZeroUsize;
use std::path::PathBuf;

// Order and number of rows.
#[derive(Debug, Default, Args)]
pub(crate) struct SortArguments {
    /// Sort the rows by a column, by its name in --csv, from the least; with :desc after the name
    /// from the greatest, such as difference:desc
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
    /// Only the first rows
    #[arg(long, value_name = "N", value_parser = values::whole::<NonZeroUsize>(1))]
    pub top: Option<NonZeroUsize>,
}

// Form of a table of figures.
#[derive(Debug, Args)]
pub(crate) struct FormArguments {
    /// Comma-separated values, all columns
    #[arg(long, group = "form")]
    pub csv: bool,
    /// A JSON array of objects, all columns
    #[arg(long, group = "form")]
    pub json: bool,
    /// A Markdown table, all columns
    #[arg(long, group = "form")]
    pub markdown: bool,
    /// A LaTeX table for papers: the columns that the terminal shows, with booktabs
    #[arg(long, group = "form")]
    pub latex: bool,
    /// Also write all columns to a Parquet file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub parquet: Option<PathBuf>,
}

impl FormArguments {
    /// Returns whether the table is for readers in the terminal.
    pub(crate) fn is_for_the_terminal(&self) -> bool {
        self.format().is_none() && !self.latex
    }

    /// Returns the format for programs; `None` for a table for readers, in the terminal or in
    /// LaTeX.
    pub(crate) fn format(&self) -> Option<TableFormat> {
        let forms = [
            (self.csv, TableFormat::Csv),
            (self.json, TableFormat::Json),
            (self.markdown, TableFormat::Markdown),
        ];
        forms.into_iter().find_map(|(asked, format)| asked.then_some(format))
    }
}
