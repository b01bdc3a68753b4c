//! When trials ended: what was asked, and what came of it.

use super::facts::{ArmFacts, Facts, asked};
use super::names;
use super::settings::{listed_values, number, stop_words, values};
use super::text::Text;
use crate::operators::registry::listed;
use crate::present::format::count;
use crate::problem::section::{Section, Setting};
use crate::record::Outcome;
use toml::{Table, Value};

/// Arms that are named.
const NAMED: usize = 6;

/// When a trial ended, and when it succeeded.
pub(super) fn stops(facts: &Facts<'_>, text: &mut Text) {
    let rules = |baselines: bool| {
        let names = names(facts, baselines);
        let arms = facts.arms.iter().filter(|arm| names.contains(&arm.operators));
        arms.map(|arm| &*arm.settings.stop).collect::<Vec<&Section>>()
    };
    let (own, theirs) = (rules(false), rules(true));
    let words = |rules: &[&Section]| stop_words(rules, facts.constraints);
    if !own.is_empty() {
        text.say(format!("A trial ended {}. ", words(&own)));
    }
    if !theirs.is_empty() && (own.is_empty() || words(&theirs) != words(&own)) {
        text.say(format!("A trial of the baseline ended {}. ", words(&theirs)));
    }
    let stops: Vec<&Section> = facts.arms.iter().map(|arm| &*arm.settings.stop).collect();
    successes(&stops, facts.constraints, text);
    let goes_on = values(&stops, "on-success");
    if goes_on.iter().any(|value| value.and_then(Setting::as_text) == Some("continue")) {
        let which = if goes_on.len() > 1 { "In the arms with on-success continue, a" } else { "A" };
        text.say(format!(
            "{which} trial that had reached its target continued to the end of its budget. "
        ));
    }
    text.say("Every computed fitness counts as an evaluation. ");
}

/// When a trial succeeded.
fn successes(stops: &[&Section], constraints: bool, text: &mut Text) {
    let targets = values(stops, "fitness");
    if targets == [None] {
        return text.say("There was no target, so no trial could succeed. ");
    }
    let given: Vec<Option<&Setting>> = targets.iter().copied().filter(Option::is_some).collect();
    text.say(format!(
        "A trial succeeded if {} was at most {}, its target{}. ",
        if constraints {
            "the best fitness of its feasible genomes, those that keep every constraint,"
        } else {
            "its best fitness"
        },
        listed_values(&given, "", "or"),
        if targets.contains(&None) { ", in the arms that have one" } else { "" }
    ));
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
    text.cite(match repeats.get("best") {
        Some(_) => &["Maron and Moore 1994", "Robbins 1970", "Vovk and Wang 2021"],
        None => &["Robbins 1970", "Howard, Ramdas, McAuliffe and Sekhon 2021"],
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
    text.cite(&["Horowitz and Manski 2000"]);
    text.say(". ");
}
