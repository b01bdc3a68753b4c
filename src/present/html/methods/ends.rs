//! When trials ended: what was asked, and what came of it.

use super::facts::{ArmFacts, Facts, asked};
use super::names;
use super::settings::{keys, listed_values, number, stop_words, values};
use super::text::Text;
use crate::operators::operator::listed;
use crate::present::format::count;
use crate::problem::parameter::Value as Parameter;
use crate::problem::section::{Section, Setting};
use crate::record::Outcome;
use toml::{Table, Value};

/// Arms that are named.
const NAMED: usize = 6;
/// Targets that are listed with what they follow from.
const LISTED: usize = 12;

/// When a trial ended, and when it succeeded.
pub(super) fn stops(facts: &Facts<'_>, text: &mut Text) {
    let rules = |baselines: bool| {
        let names = names(facts, baselines);
        let arms = facts.arms.iter().filter(|arm| names.contains(&arm.operators));
        arms.collect::<Vec<&ArmFacts<'_>>>()
    };
    let (own, theirs) = (rules(false), rules(true));
    let words = |arms: &[&ArmFacts<'_>]| {
        let stops: Vec<&Section> = arms.iter().map(|arm| &*arm.settings.stop).collect();
        stop_words(&stops, facts.constraints, &ends_of_algorithms(arms))
    };
    if !own.is_empty() {
        text.say(format!("A trial ended {}. ", words(&own)));
    }
    if !theirs.is_empty() && (own.is_empty() || words(&theirs) != words(&own)) {
        text.say(format!("A trial of the baseline ended {}. ", words(&theirs)));
    }
    let stops: Vec<&Section> = facts.arms.iter().map(|arm| &*arm.settings.stop).collect();
    successes(facts, &stops, text);
    let goes_on = values(&stops, "on-success");
    if goes_on.iter().any(|value| value.and_then(Setting::as_text) == Some("continue")) {
        let which = if goes_on.len() > 1 { "In the arms with on-success continue, a" } else { "A" };
        text.say(format!(
            "{which} trial that had reached its target continued to the end of its budget. "
        ));
    }
    let kept = values(&stops, "keep-ended");
    if kept.iter().any(|value| is_true(*value)) {
        text.say(
            "The seeds of trials do not follow from the budget, so a trial that ended before it is \
            the same at any larger one. ",
        );
    }
    text.say("Every computed fitness counts as an evaluation. ");
}

fn is_true(value: Option<&Setting>) -> bool {
    matches!(value, Some(Setting::Value(Parameter::Boolean(true))))
}

/// How the algorithms of some arms end trials themselves.
fn ends_of_algorithms(arms: &[&ArmFacts<'_>]) -> Vec<String> {
    fn is(arm: &ArmFacts<'_>, kind: &str) -> bool {
        let algorithm = arm.settings.operators.get("algorithm").and_then(Setting::as_section);
        let own = algorithm.and_then(|section| section.get("kind")).and_then(Setting::as_text);
        own == Some(kind)
    }
    let restarts = |arm: &ArmFacts<'_>| {
        let algorithm = arm.settings.operators.get("algorithm").and_then(Setting::as_section);
        is_true(algorithm.and_then(|section| section.get("restarts")))
    };
    let stays = |arm: &ArmFacts<'_>| is(arm, "hill-climbing") && !restarts(arm);
    let exhausts = |arm: &ArmFacts<'_>| is(arm, "exhaustive");
    let end = |of: &dyn Fn(&ArmFacts<'_>) -> bool, words: &str, which: &str| {
        let some = arms.iter().filter(|arm| of(arm)).count();
        (some > 0).then(|| match some == arms.len() {
            true => words.to_owned(),
            false => format!("{words} ({which})"),
        })
    };
    let stuck = end(&stays, "when no neighbour was better", "in climbs without restarts");
    let all = end(&exhausts, "when all genomes had been tried", "in exhaustive search");
    stuck.into_iter().chain(all).collect()
}

/// When a trial succeeded.
fn successes(facts: &Facts<'_>, stops: &[&Section], text: &mut Text) {
    let targets = values(stops, "fitness");
    if targets == [None] {
        return text.say("There was no target, so no trial could succeed. ");
    }
    let given: Vec<Option<&Setting>> = targets.iter().copied().filter(Option::is_some).collect();
    text.say(format!(
        "A trial succeeded if {} was at most {}, its target{}. ",
        if facts.constraints {
            "the best fitness of its feasible genomes, those that keep every constraint,"
        } else {
            "its best fitness"
        },
        by_parameter(facts).unwrap_or_else(|| listed_values(&given, "", "or")),
        if targets.contains(&None) { ", in the arms that have one" } else { "" }
    ));
}

/// Targets that follow from a parameter of the problem, each with its value, such as "4 (graph
/// myciel3) or 5 (graph queen5_5)". None: there is one target, no such parameter, or too many to
/// list.
fn by_parameter(facts: &Facts<'_>) -> Option<String> {
    let target = |arm: &ArmFacts<'_>| arm.settings.stop.get("fitness").cloned();
    let all: Vec<&ArmFacts<'_>> = facts.arms.iter().filter(|arm| target(arm).is_some()).collect();
    let first = target(all.first()?);
    if all.iter().all(|arm| target(arm) == first) {
        return None;
    }
    let problems: Vec<&Section> = all.iter().map(|arm| &*arm.settings.problem).collect();
    keys(&problems).into_iter().find_map(|key| {
        let values = values(&problems, key);
        let of = |value: &Option<&Setting>| {
            let mut arms = all.iter().filter(|arm| arm.settings.problem.get(key) == *value);
            let target = target(arms.next()?)?;
            let same = arms.all(|arm| arm.settings.stop.get("fitness") == Some(&target));
            let target = listed_values(&[Some(&target)], "", "or");
            same.then(|| format!("{target} ({key} {})", listed_values(&[*value], "none", "or")))
        };
        let words: Option<Vec<String>> = values.iter().map(of).collect();
        let words = words.filter(|words| (2..=LISTED).contains(&words.len()))?;
        Some(listed(&words.iter().map(String::as_str).collect::<Vec<_>>(), "or"))
    })
}

/// How the number of trials came about, and how they ended.
pub(super) fn endings(facts: &Facts<'_>, text: &mut Text) {
    let last = facts.runs[facts.runs.len() - 1];
    if let Some(Value::Table(repeats)) = asked(last, "repeats") {
        sequential(&repeats, text);
    }
    let ending =
        |(outcome, trials): &(Outcome, u64)| format!("{} {}", count(*trials), manner(*outcome));
    let endings: Vec<String> = facts.endings().iter().map(ending).collect();
    if !endings.is_empty() {
        text.say(format!(
            "Trials ended: {}. ",
            listed(&endings.iter().map(String::as_str).collect::<Vec<_>>(), "and")
        ));
    }
    if facts.failures() > 0 {
        failures(facts, text);
    }
    if facts.timed_out() > 0 {
        text.say(format!(
            "{} trials timed out, which depends on the machine; they count with the result they \
            had. ",
            count(facts.timed_out())
        ));
    } else if facts.failures() == 0 {
        text.say(
            "The tables are identical to the byte, whatever the number of threads or \
            interruptions. ",
        );
    }
}

fn manner(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Solved => "at the target",
        Outcome::Generations => "at the limit of generations",
        Outcome::Evaluations => "at the limit of evaluations",
        Outcome::Stagnated => "without further improvement",
        Outcome::Exhausted => "after all genomes had been tried",
        Outcome::TimedOut => "at the time limit",
        Outcome::Failed | Outcome::Crashed => "with a failure",
    }
}

/// Repeats that a stopping rule decided.
fn sequential(repeats: &Table, text: &mut Text) {
    let most = repeats.get("max").and_then(Value::as_integer).map_or_else(String::new, |most| {
        format!(", at most {} per arm", count(most.unsigned_abs()))
    });
    let confidence = repeats.get("confidence").and_then(Value::as_float).unwrap_or(0.95);
    let question = if let Some(half) = repeats.get("half-width").and_then(Value::as_float) {
        format!(
            "the interval of each arm's success rate was at most {} wide in total",
            number(2.0 * half)
        )
    } else if repeats.get("best").is_some() {
        "one arm of each problem was left, while arms that were worse beyond doubt dropped out"
            .to_owned()
    } else {
        let arms = repeats.get("decide").and_then(Value::as_array).cloned().unwrap_or_default();
        let arms: Vec<&str> = arms.iter().filter_map(Value::as_str).collect();
        format!("it was known which of {} has the higher success rate", listed(&arms, "and"))
    };
    text.say(format!(
        "Trials were added until {question}, at a confidence of {} %{most}, with a first look at \
        50 trials and further looks at a quarter more each time",
        number(100.0 * confidence)
    ));
    text.say(match repeats.get("best") {
        Some(_) => " (@maron1994; @robbins1970; @vovk2021)",
        None => " (@robbins1970; @howard2021)",
    });
    text.say(". ");
}

fn failures(facts: &Facts<'_>, text: &mut Text) {
    let failed: Vec<&ArmFacts<'_>> = facts.arms.iter().filter(|arm| arm.failures > 0).collect();
    let which = match failed.len() {
        0..=NAMED => failed
            .iter()
            .map(|arm| format!("{} of {}", count(arm.failures), arm.label))
            .collect::<Vec<_>>()
            .join(", "),
        more => format!("in {more} arms"),
    };
    text.say(format!(
        "{} trials failed or crashed ({which}). Figures are computed from the others, and \
        differences are reported only where they hold whatever the failed trials would have done",
        count(facts.failures())
    ));
    text.say(" (@horowitz2000)");
    text.say(". ");
}
