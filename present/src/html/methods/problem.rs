//! Parameters of the problem, and swept keys.

use super::facts::{ArmFacts, Facts};
use super::values::{Sections, listed_values, when};
use crate::lists::distinct;
use crate::problem::section::Setting;
use crate::words::count;
use std::collections::BTreeSet;

/// Returns the parameters of the problem: those that all arms share, and those that differ.
pub(super) fn problem(facts: &Facts<'_>) -> String {
    let problems: Sections<'_> = facts.arms.iter().map(|arm| &*arm.settings.problem).collect();
    let (mut shared, mut own) = (Vec::new(), Vec::new());
    // A file or a text that is not given is an empty text.
    let is_empty = |value: &Option<&Setting>| value.and_then(Setting::as_text) == Some("");
    for key in problems.keys(&["plugin"]) {
        let values = values(facts, key);
        if values.iter().all(is_empty) {
            continue;
        }
        let words = listed_values(&values, "not given", "or");
        match values.len() {
            1 => shared.push(format!("{key} {words}")),
            _ => own.push(format!("{key} was {words}")),
        }
    }
    let summary = summary(facts);
    if shared.is_empty() && own.is_empty() {
        return format!("{summary}The problem has no parameters. ");
    }
    let same = format!("In all arms, the problem had {}. ", shared.join(", "));
    let different = format!("The problem's parameters differ between arms: {}. ", own.join("; "));
    [&*summary, when(!shared.is_empty(), &same), when(!own.is_empty(), &different)].concat()
}

/// Returns the summary of the problem, as its plugin states it; empty if no run has recorded it.
fn summary(facts: &Facts<'_>) -> String {
    let last = facts.last_run();
    match last.summary.trim() {
        "" => String::new(),
        words => format!("The problem {}: {}. ", last.plugin.name, words.trim_end_matches('.')),
    }
}

/// Returns the distinct values of a parameter. A default that is not among an arm's settings is
/// known if it is swept.
fn values<'a>(facts: &'a Facts<'_>, key: &str) -> Vec<Option<&'a Setting>> {
    let path = format!("problem.{key}");
    let place = facts.swept_keys.iter().position(|swept| *swept == path);
    let value = |arm: &'a ArmFacts<'_>| {
        let swept = || arm.swept[place?].as_ref();
        arm.settings.problem.get(key).or_else(swept)
    };
    distinct(facts.arms.iter().map(value))
}

/// Returns the swept keys with their values.
pub(super) fn swept(facts: &Facts<'_>) -> String {
    let words = |(place, key): (usize, &String)| {
        let values = swept_values(facts, place);
        // A tuning sets a key for the settings of the file, which have nothing to vary.
        let is_varied = facts.tuning_race.is_none() || values.len() > 1;
        is_varied.then(|| format!("{key} over {}", listed_values(&values, "", "and")))
    };
    let varied: Vec<String> = facts.swept_keys.iter().enumerate().filter_map(words).collect();
    if varied.is_empty() {
        return String::new();
    }
    format!("We varied {}{}. ", varied.join(", and "), combinations(facts))
}

/// Returns ", in every combination" or ", in 5 of the 6 combinations"; empty if no operator set has
/// several swept keys.
fn combinations(facts: &Facts<'_>) -> String {
    let arms = facts.arms_of(false);
    // An operator set without one of the keys has no combination of them.
    let whole = arms.into_iter().filter(|arm| arm.swept.iter().all(Option::is_some));
    let tried: BTreeSet<(&str, String)> =
        whole.map(|arm| (arm.operators, format!("{:?}", arm.swept))).collect();
    // The settings that a tuning compares at the end are no design.
    if facts.swept_keys.len() < 2 || tried.is_empty() || facts.tuning_race.is_some() {
        return String::new();
    }
    let keys = 0..facts.swept_keys.len();
    let all: usize = keys.map(|place| swept_values(facts, place).len()).product();
    let sets = tried.iter().map(|(set, _)| set).collect::<BTreeSet<_>>();
    if tried.len() == all * sets.len() {
        return ", in every combination".to_owned();
    }
    let once = tried.iter().map(|(_, values)| values).collect::<BTreeSet<_>>();
    format!(", in {} of the {} combinations", count(once.len() as u64), count(all as u64))
}

/// Returns the values of a swept key, each once.
fn swept_values<'a>(facts: &'a Facts<'_>, key: usize) -> Vec<Option<&'a Setting>> {
    let given = facts.arms.iter().map(|arm| arm.swept[key].as_ref());
    distinct(given.filter(Option::is_some))
}
