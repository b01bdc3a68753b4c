//! What a plugin's conformance checks found, as a table in the terminal.

use crate::conformance::{Check, Finding};
use crate::present::terminal::table::plain_table;
use comfy_table::ColumnConstraint;

/// A check and what it found.
pub(crate) struct Conformance {
    pub check: &'static Check,
    pub finding: Finding,
}

/// The findings as a table `width` columns wide at most. Ends with a newline.
#[must_use]
pub(crate) fn conformance(found: &[Conformance], width: u16) -> String {
    let mut table = plain_table(width);
    table.set_header(["check", "rule, and where it is written", "seen", "verdict"]);
    for Conformance { check, finding } in found {
        let (verdict, seen) = match finding {
            Finding::Passed(seen) => ("passed", seen),
            Finding::Failed(seen) => ("FAILED", seen),
            Finding::Skipped(seen) => ("–", seen),
        };
        let rule = format!("{} ({})", check.rule, check.written);
        table.add_row([check.name, &rule, seen, verdict]);
    }
    for place in [0, 3] {
        if let Some(column) = table.column_mut(place) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    format!("{}\n", table.trim_fmt())
}
