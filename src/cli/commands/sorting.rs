//! Sorting and truncation of rows, as the user requests.

use crate::cli::Failure;
use crate::cli::arguments::SortArguments;
use crate::present::report::Report;

/// Suffix of a column's name that requests descending order.
const DESCENDING: &str = ":desc";

impl SortArguments {
    /// Returns the column, and whether the order is descending; `None` if rows keep their order.
    pub(super) fn column(&self) -> Option<(&str, bool)> {
        let text = self.sort.as_deref()?;
        let named = text.strip_suffix(DESCENDING);
        Some((named.unwrap_or(text.trim_end_matches(":asc")), named.is_some()))
    }

    /// Returns the number of rows to show, of `all` rows.
    pub(super) fn top(&self, all: usize) -> usize {
        self.top.map_or(all, |top| top.get().min(all))
    }
}

/// Returns the requested rows, in their order.
pub(super) fn chosen(report: &Report, arguments: &SortArguments) -> Result<Report, Failure> {
    let mut rows = match arguments.column() {
        None => (0..report.rows()).collect(),
        Some((column, descending)) => {
            report.order(column, descending).ok_or_else(|| no_column(column, &report.keys()))?
        }
    };
    rows.truncate(arguments.top(rows.len()));
    Ok(report.at(&rows))
}

/// Returns the error for a missing column.
pub(super) fn no_column(column: &str, columns: &[impl AsRef<str>]) -> Failure {
    let columns: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
    Failure::usage(format!(
        "--sort: there is no column `{column}`; the columns are {} (as in --csv; add :desc to \
        begin with the greatest)",
        columns.join(", ")
    ))
}

/// Returns a note such as "The first 10 of 36 rows are shown."; empty if all are shown.
pub(super) fn cut(shown: usize, all: usize) -> String {
    if shown < all { format!("The first {shown} of {all} rows are shown.") } else { String::new() }
}
