//! Arms ranked over the problems of a page.

use crate::analysis::comparison::Sample;
use crate::analysis::ranking::{Measure, Ranking, problems, rank, suits};
use crate::present::chart::{ranks_chart, themed};
use crate::present::excerpt::Excerpt;
use crate::present::ranking::{answer, arm_report, legend};
use crate::present::report::Sheet;
use maud::{Markup, PreEscaped, html};

/// Of the tests.
const LEVEL: f64 = 0.05;

/// A ranking of these experiments' arms over their problems, by the first of success rate, ERT and
/// final fitness in which any two arms differ at all; none without several arms and problems, and
/// none of more arms than a page shows.
pub(super) fn ranking(experiments: &[(&str, &[Sample])]) -> Option<Ranking> {
    let problems = problems(experiments);
    // Tests of every two arms are quadratic work, and so many ranks cannot be read.
    if problems.iter().any(|problem| problem.arms.len() > Excerpt::READABLE) {
        return None;
    }
    let measures = [Measure::SuccessRate, Measure::Ert, Measure::FinalFitness];
    let measures = measures.iter().filter(|measure| suits(**measure, &problems).is_ok());
    let mut found = measures.filter_map(|measure| rank(&problems, *measure, LEVEL).0);
    found.find(|ranking| ranking.friedman.statistic > 0.0)
}

/// The ranking as a diagram and a table. `prefix` makes its ids unlike those of other pictures.
pub(super) fn ranks(ranking: &Ranking, title: &str, prefix: &str) -> Markup {
    html! {
        div.pictures { figure { (PreEscaped(themed(&ranks_chart(ranking, title), prefix))) } }
        (Sheet {
            report: &arm_report(ranking),
            caption: html! { (answer(ranking)) },
            label: format!("Mean ranks: {title}"),
        }
        .markup())
        details { summary { "How ranks, tests and verdicts were calculated" }
            p { (legend(ranking)) } }
    }
}
