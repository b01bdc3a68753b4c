//! Faults of designs: the column of each value, and a limited number of faults per kind.

use super::design_file::{Record, records};
use super::diagnostic::{Diagnostic, Faults};
use super::source::{Origin, Sources};
use std::collections::BTreeMap;
use std::ops::Range;

/// Largest number of complaints of a kind about a table.
const MOST_TOLD: usize = 5;

/// Shows which column a value of a table is in. Of many complaints of one kind the first remain.
pub(super) fn explain(sources: &Sources, found: &mut Faults) {
    let table = |one: &Diagnostic| one.origin.filter(|origin| sources.is_table(origin.source));
    if !found.iter().any(|one| table(one).is_some()) {
        return;
    }
    found.sort();
    found.dedup();
    let mut tables: BTreeMap<usize, Vec<Record>> = BTreeMap::new();
    let mut told: BTreeMap<(usize, String), (usize, usize)> = BTreeMap::new();
    let mut kept: Vec<Diagnostic> = Vec::new();
    for mut one in std::mem::take(found) {
        if let Some(origin) = table(&one) {
            let kind = one.rule.as_ref().unwrap_or(&one.message).clone();
            let (times, last) = told.entry((origin.source, kind)).or_default();
            *times += 1;
            if *times > MOST_TOLD {
                continue;
            }
            *last = kept.len();
            let text = || records(sources.text(origin.source));
            let records = tables.entry(origin.source).or_insert_with(text);
            if let Some(head) = head(records, origin).filter(|_| one.also.is_empty()) {
                one = one.also(Origin { start: head.start, end: head.end, ..origin }, "its column");
            }
        }
        kept.push(one);
    }
    for (times, last) in told.into_values().filter(|(times, _)| *times > MOST_TOLD) {
        let rule = kept[last].rule.take().map_or_else(String::new, |rule| format!("{rule}; "));
        let more = times - MOST_TOLD;
        kept[last].rule = Some(format!("{rule}this applies to {more} more of the table's values"));
    }
    *found = kept;
}

/// Returns the place of the column's name, for a value below it.
fn head(records: &[Record], value: Origin) -> Option<&Range<usize>> {
    let row = records.partition_point(|row| row.bytes.start <= value.start).checked_sub(1)?;
    let cells = &records[row].cells;
    let column = cells.iter().position(|cell| cell.bytes == (value.start..value.end))?;
    records[0].cells.get(column).map(|head| &head.bytes).filter(|_| row > 0)
}
