//! Certificates as a table in the terminal.

use crate::certify::Certificate;
use crate::present::terminal::table::plain_table;
use comfy_table::{Cell, CellAlignment, ColumnConstraint};

/// The certificates as a table `width` columns wide at most. Ends with a newline.
#[must_use]
pub(crate) fn certificates(certificates: &[Certificate], width: u16) -> String {
    let mut table = plain_table(width);
    table.set_header(["operator", "what was tested", "found", "p", "verdict"]);
    for one in certificates {
        let p = match one.p {
            None => "–".to_owned(),
            Some(p) if p < 0.001 => format!("{p:.1e}"),
            Some(p) => format!("{p:.3}"),
        };
        table.add_row([
            Cell::new(format!("{} {}", one.slot, one.operator)),
            Cell::new(&one.claim),
            Cell::new(&one.statistic),
            Cell::new(p).set_alignment(CellAlignment::Right),
            Cell::new(if one.passed { "passed" } else { "FAILED" }),
        ]);
    }
    let whole = ColumnConstraint::ContentWidth;
    if let Some(column) = table.column_mut(3) {
        column.set_constraint(whole);
    }
    if let Some(column) = table.column_mut(4) {
        column.set_constraint(whole);
    }
    format!("{}\n", table.trim_fmt())
}
