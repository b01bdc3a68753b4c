//! Methods section: a description of the experiment that a paper can use. Every sentence follows
//! from the resolved settings of all arms, the trials and the runs. The list of references has
//! exactly what the text cites.

mod checklist;
mod ends;
mod facts;
mod operators;
mod problem;
mod runs;
mod statistics;
mod stops;
mod suite;
mod test_words;
mod text;
mod tuning;
mod values;

pub(super) use checklist::checklist;
pub(super) use facts::Facts;
use maud::Markup;
pub(super) use statistics::Statistics;
pub(super) use suite::{SuiteFacts, ranking_words, suite_methods};
use text::Text;
pub(super) use tuning::tuning_methods;

/// Returns the section; its ids begin with `prefix`.
pub(super) fn methods(facts: &Facts<'_>, statistics: &Statistics, prefix: &str) -> Markup {
    written(facts, statistics).markup(prefix)
}

fn written(facts: &Facts<'_>, statistics: &Statistics) -> Text {
    let Description { trials, runs, problem, sets, stops, endings, statistics } =
        described(facts, statistics);
    Text(vec![trials + &runs, problem, sets, stops + &endings, statistics])
}

/// Sentences by their subject.
struct Description {
    trials: String,
    runs: String,
    problem: String,
    /// Operator sets.
    sets: String,
    /// Stop rules and the baseline.
    stops: String,
    endings: String,
    statistics: String,
}

fn described(facts: &Facts<'_>, statistics: &Statistics) -> Description {
    let statistics = statistics.words();
    Description { statistics, ..described_without_statistics(facts) }
}

/// Returns the sentences on the trials and their settings.
fn described_without_statistics(facts: &Facts<'_>) -> Description {
    let mut cited = operators::Cited::default();
    let sets = operators::operators(facts, &mut cited);
    let baseline = operators::baseline(facts, &mut cited);
    Description {
        trials: runs::trials(facts),
        runs: runs::runs(facts),
        problem: problem::problem(facts) + &problem::swept(facts),
        sets,
        stops: stops::stops(facts) + &baseline,
        endings: ends::endings(facts),
        statistics: String::new(),
    }
}

#[cfg(test)]
mod tests;
