//! Methods section: a description of the experiment that a paper can use. Every sentence follows
//! from the resolved settings of all arms, the trials and the runs. The list of references has
//! exactly what the text cites.

mod ends;
mod facts;
mod operators;
mod problem;
mod runs;
mod statistics;
mod stops;
mod test_words;
mod text;
mod values;

pub(super) use facts::Facts;
use maud::Markup;
pub(super) use statistics::Statistics;
use text::Text;

/// Returns the section; its ids begin with `prefix`.
pub(super) fn methods(facts: &Facts<'_>, statistics: &Statistics, prefix: &str) -> Markup {
    written(facts, statistics).markup(prefix)
}

fn written(facts: &Facts<'_>, statistics: &Statistics) -> Text {
    let mut cited = operators::Cited::default();
    let sets = operators::operators(facts, &mut cited);
    let baseline = operators::baseline(facts, &mut cited);
    Text(vec![
        runs::trials(facts) + &runs::runs(facts),
        problem::problem(facts) + &problem::swept(facts),
        sets,
        stops::stops(facts) + &baseline + &ends::endings(facts),
        statistics.words(),
    ])
}

#[cfg(test)]
mod tests;
