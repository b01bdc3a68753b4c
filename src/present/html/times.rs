//! Times of a page: how long trials took, and on which machine.

use crate::analysis::{ArmTimes, Quartiles};
use crate::present::chart::Subject;
use crate::present::format::{count, seconds};
use crate::results::Provenance;
use maud::{Markup, html};

/// The times of all arms. They are of the machine, and no figure of the search.
pub(super) fn times(subject: &Subject<'_>, times: &[ArmTimes], provenance: &Provenance) -> Markup {
    let machines = provenance.machines().join("; ");
    html! {
        div.scroll tabindex="0" role="region"
            aria-label=(format!("Times of {}", subject.summary.experiment)) {
            table.sortable {
                caption { "How long trials took: medians with quartiles. Times depend on the \
                    machine (" (machines) ") and on what else it did; failed trials are left out."
                    @if let Some(words) = subject.excerpt.words() { " Shown: " (words) "." } }
                thead { tr {
                    th scope="col" { "Arm" }
                    th scope="col" { "Trials" }
                    th scope="col" { "Per trial" }
                    th scope="col" { "Per evaluation" }
                    th scope="col" { "All trials" }
                } }
                tbody {
                    @for arm in &subject.excerpt.arms {
                        @let (sample, one) = (&subject.samples[*arm], &times[*arm]);
                        tr {
                            th.text scope="row" data-label="Arm" { (sample.label) }
                            td data-label="Trials" data-value=(one.trials) { (count(one.trials)) }
                            (cell("Per trial", one.per_trial))
                            (cell("Per evaluation", one.per_evaluation))
                            td data-label="All trials" data-value=(one.total) {
                                (seconds(one.total))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(label: &str, quartiles: Option<Quartiles>) -> Markup {
    html! {
        @if let Some(Quartiles { q25, median, q75 }) = quartiles {
            td data-label=(label) data-value=(median) {
                (seconds(median)) " " span.small { "[" (seconds(q25)) ", " (seconds(q75)) "]" }
            }
        } @else { td data-label=(label) data-value="" { "–" } }
    }
}
