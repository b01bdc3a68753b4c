//! Page of a tuning: the best settings, the comparison at the end, pictures, the settings that were
//! tried, and the Methods. It is made of the tables and records of the tuning's folder.

use super::methods::{Facts, tuning_methods};
use super::{Endings, contents, document, pictures, tables, title_of};
use crate::chart::{Subject, tuned_charts};
use crate::report::Sheet;
use crate::results::{Provenance, Results, ResultsError};
use crate::terminal::of_timed_out;
use crate::tuned::{answer, comparison, failures, heading_of_lines, settings_report, totals};
use crate::tuning::{TuningRecord, read_settings, settings_cells};
use crate::words::count;
use maud::{Markup, html};
use std::path::Path;

/// Maximum number of settings in the table of the page.
const SETTINGS: usize = 100;

/// Parts of the page with their ids.
const PARTS: [(&str, &str); 6] = [
    ("answer", "Answer"),
    ("comparison", "Comparison at the end"),
    ("plots", "Plots"),
    ("settings", "Settings that were tried"),
    ("methods", "Methods"),
    ("provenance", "Provenance"),
];

/// Returns the page of a finished tuning. `shown` names its folder for readers, and `test` has the
/// results of the comparison at the end.
///
/// # Errors
/// Returns an error if a table cannot be read.
pub fn tuning_page(
    folder: &Path,
    shown: &Path,
    record: &TuningRecord,
    test: (&Results, &Provenance),
) -> Result<String, ResultsError> {
    let (results, provenance) = test;
    let subject = Subject::read(results)?;
    let endings = Endings::new();
    let facts = Facts::new(&subject, provenance, &endings);
    let (keys, rows) = read_settings(folder)?;
    let charts = tuned_charts(&record.name, &keys, &rows);
    let has_importance = charts.iter().any(|chart| chart.name == "tuned-importance");
    let header = html! {
        h1 { (record.name) }
        p.faint { "A tuning. Made by runner " (env!("CARGO_PKG_VERSION")) " from "
            code { (shown.display()) } "." }
        (contents(PARTS))
    };
    let main = html! {
        section aria-labelledby="answer" {
            (heading("answer"))
            (best(record, shown))
            (heading("comparison"))
            @if record.has_comparison() { (Sheet {
                report: &comparison(record),
                caption: html! { "One row per setting, the best first. \"Against own\": pairs of \
                    trials in which the setting was cheaper than that of the file, and in which it \
                    was dearer. A setting drops out as soon as another is certainly better, so \
                    some have fewer trials." },
                label: format!("Comparison at the end of {}", record.name),
            }
            .markup()) } @else { p { "Nothing was compared at the end." } }
            (heading("plots"))
            @if charts.is_empty() { p { "No setting has a finite mean cost." } }
            (pictures(&charts, 0))
            (heading("settings"))
            (settings(folder, shown, record)?)
            (heading("methods"))
            div.methods { (tuning_methods(record, facts.as_ref(), has_importance, "t-")) }
            (heading("provenance"))
            dl {
                dt { "Runner" }
                dd { (record.runner_version) ", engine revision " (record.engine_revision) }
                @if let Some(run) = provenance.runs.last() {
                    (tables::plugins(run))
                    dt { "Last run" } dd { (run.start) ", " (run.machine()) }
                }
                @if !record.overrides.is_empty() {
                    dt { "Overrides" } dd { (record.overrides.join(" ")) }
                }
            }
            details {
                summary { "The file of the tuning" }
                pre tabindex="0" { code { (record.config) } }
            }
        }
    };
    Ok(document(&record.name, &header, &main))
}

fn heading(id: &str) -> Markup {
    super::heading(title_of(&PARTS, id), Some(id), true)
}

/// Returns the answer with the lines of the best setting.
fn best(record: &TuningRecord, folder: &Path) -> Markup {
    let first = record.finalists.first().filter(|_| record.has_compared());
    html! {
        p.answer { (answer(record)) }
        @if let Some(finalist) = first {
            p { (heading_of_lines(record, finalist.setting)) }
            @if !finalist.lines.is_empty() {
                pre tabindex="0" { code { (finalist.lines.join("\n")) } }
            }
        }
        @if record.all_failures() > 0 { p { (failures(record, folder)) } }
        @if let Some(advice) = of_timed_out(record.timed_out) { p { (advice) } }
        @for words in totals(record) { p.faint { (words) "." } }
    }
}

/// Returns the table of settings, the cheapest first.
fn settings(folder: &Path, shown: &Path, record: &TuningRecord) -> Result<Markup, ResultsError> {
    let cells = settings_cells(folder)?;
    let cost = |row: usize| {
        let column = cells.iter().find(|(name, _)| name == "mean_cost");
        let cost = column.and_then(|(_, cells)| cells[row].parse::<f64>().ok());
        cost.unwrap_or(f64::INFINITY)
    };
    let count_of = cells.first().map_or(0, |(_, cells)| cells.len());
    let mut order: Vec<usize> = (0..count_of).collect();
    order.sort_by(|one, other| cost(*one).total_cmp(&cost(*other)));
    order.truncate(SETTINGS);
    // The comparison at the end has a table of its own, above.
    let mut columns = cells;
    columns.retain(|(name, _)| {
        !name.starts_with("test_") && (name != "failures" || record.failures > 0)
    });
    let all = settings_report(&columns);
    let report = all.at(&order);
    Ok(Sheet {
        report: &report,
        caption: html! {
            "One row per setting, the cheapest in the iterations first. Setting 0 is that of the \
            file. "
            @if count_of > SETTINGS {
                "These are the first " (SETTINGS) " of " (count(count_of as u64)) "; all are in "
                code { (shown.join("settings.parquet").display()) } "."
            }
        },
        label: format!("Settings of {}", record.name),
    }
    .markup())
}
