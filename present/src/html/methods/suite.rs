//! Methods of a suite: its experiments, the ranks and the distributions over targets.

use super::facts::Facts;
use super::text::{Text, name};
use super::values::when;
use super::{Description, described_without_statistics};
use crate::analysis::Standings;
use crate::analysis::ranking::{Measure, Ranking};
use crate::analysis::suite::Contest;
use crate::format::real;
use crate::words::{count, counted};
use maud::Markup;

/// Facts of a suite that its Methods section states.
pub(crate) struct SuiteFacts<'a> {
    /// Name and version.
    pub name: (&'a str, &'a str),
    /// Algorithms on the functions.
    pub contest: &'a Contest,
    /// Ranks.
    pub standings: &'a Standings,
    /// Whether the distributions have targets above the last.
    pub traced: bool,
    /// Facts of the results that runner ran, with their names.
    pub entrants: Vec<(&'a str, Facts<'a>)>,
}

/// Returns the section; its ids begin with `prefix`.
pub(crate) fn suite_methods(facts: &SuiteFacts<'_>, prefix: &str) -> Markup {
    let mut paragraphs = vec![suite(facts), ranks(facts), distributions(facts)];
    for (entrant, own) in &facts.entrants {
        let Description { trials, problem, sets, stops, .. } = described_without_statistics(own);
        paragraphs.push(format!("{}: {trials}{problem}{sets}{stops}", name(entrant)));
    }
    Text(paragraphs).markup(prefix)
}

fn suite(facts: &SuiteFacts<'_>) -> String {
    let (name, version) = facts.name;
    let functions = facts.contest.functions.len();
    let instances = facts.contest.functions.iter().map(|one| one.instances).max().unwrap_or(1);
    let pooled = format!(
        ", each with up to {} instances whose trials count together",
        count(instances as u64)
    );
    format!(
        "The suite {name}, version {version}, has {}{} and {}. On each \
        function, what trials reached counts within the smallest budget of any algorithm there. \
        The expected running time (ERT) is the number of evaluations of all trials within that \
        budget, of a success until it succeeded, divided by the number of successes (@auger2005). ",
        counted(functions as u64, "function"),
        when(instances > 1, &pooled),
        count(facts.contest.algorithms.len() as u64),
    )
}

/// Returns the text about the ranks of a suite.
fn ranks(facts: &SuiteFacts<'_>) -> String {
    let of = |ranking| ranking_words(ranking, ["functions", "algorithms"]);
    facts.standings.ranking.as_ref().map_or_else(String::new, of)
}

/// Returns the text about ranks: how they and their tests were calculated. `problems` and `arms`
/// are the words for what was ranked.
pub(crate) fn ranking_words(ranking: &Ranking, [problems, arms]: [&str; 2]) -> String {
    let measure = match ranking.measure {
        Measure::Ert => format!("ERT, where {arms} that never succeed tie"),
        Measure::SuccessRate => "success rate".to_owned(),
        Measure::FinalFitness => "median final fitness".to_owned(),
    };
    // A suite says so of all its figures.
    let budgets = match ranking.budgets.is_some() && problems != "functions" {
        true => format!(
            "Where budgets differ, what trials reached counts within the smallest of the {arms}. "
        ),
        false => String::new(),
    };
    let exact = match ranking.friedman.exact {
        true => "the exact distribution of Friedman's statistic (@friedman1937)",
        false => "Friedman's test (@friedman1937) with the F distribution of @iman1980",
    };
    format!(
        "On each of {} {problems}, {} {arms} were ranked by {measure}; equal values share their \
        mean rank. {budgets}Whether mean ranks differ was tested by {exact}, and every two of \
        them by Nemenyi's test (@nemenyi1963), both at a level of {}, as @demsar2006 proposes; \
        a difference is reported if both tests find it. Wilcoxon's signed-rank test of every \
        two {arms} over the {problems} (@wilcoxon1945) has p-values adjusted for all pairs \
        (@holm1979). ",
        count(ranking.problems.len() as u64),
        count(ranking.arms.len() as u64),
        real(ranking.level)
    )
}

fn distributions(facts: &SuiteFacts<'_>) -> String {
    let targets = match facts.traced {
        true => "of all pairs of a trial and a target",
        false => "of all trials, whose only target is that of the function,",
    };
    format!(
        "Runtime distributions show the share {targets} that were reached within a number of \
        evaluations; functions have equal weight, and so have the instances of one (@hansen2021). "
    )
}
