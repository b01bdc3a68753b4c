//! Times of a page: durations of trials, and the machine.

use crate::analysis::ArmTimes;
use crate::chart::Subject;
use crate::report::Sheet;
use crate::results::Provenance;
use crate::times::{TimesRow, times_report};
use maud::{Markup, html};

/// Writes the times of all arms. They depend on the machine; no figure of the search does.
pub(super) fn times(subject: &Subject<'_>, times: &[ArmTimes], provenance: &Provenance) -> Markup {
    let machines = provenance.machines().join("; ");
    let summary = &subject.summary;
    let row = |arm: &usize| {
        let spec = &summary.rows[*arm].arm;
        TimesRow {
            experiment: summary.experiment.clone(),
            arm: spec.clone(),
            swept: spec.swept_with(&summary.swept_keys),
            times: times[*arm],
            machine: String::new(),
        }
    };
    let rows: Vec<TimesRow> = subject.excerpt.arms.iter().map(row).collect();
    let caption = html! {
        "How long trials took: medians with quartiles. Times depend on the machine ("
        (machines) ") and on what else it did; failed trials are left out."
        @if let Some(words) = subject.excerpt.words() { " Shown: " (words) "." }
    };
    let label = format!("Times of {}", summary.experiment);
    Sheet { report: &times_report(&rows), caption, label }.markup()
}
