//! Ranking of arms over the problems of a page.

use crate::analysis::ranking::Ranking;
use crate::chart::{ranks_chart, themed};
use crate::ranking::{answer, arm_report, legend, measure_name};
use crate::report::Sheet;
use maud::{Markup, PreEscaped, html};

/// Draws the ranking as a diagram and a table. `prefix` makes its ids distinct from those of other
/// charts.
pub(super) fn ranks(ranking: &Ranking, title: &str, prefix: &str) -> Markup {
    html! {
        @if let Some(chart) = ranks_chart(ranking, title) {
            div.pictures { figure { (PreEscaped(themed(&chart, prefix))) } }
        }
        (Sheet {
            report: &arm_report(ranking),
            caption: html! { (answer(ranking)) },
            label: format!("Mean ranks by {}: {title}", measure_name(ranking.measure)),
        }
        .markup())
        details { summary { "How ranks, tests and verdicts were calculated" }
            p { (legend(ranking)) } }
    }
}
