//! Ends and successes of trials.

use super::facts::{ArmFacts, Facts};
use super::values::{Sections, kind, listed_values, when};
use crate::lists::distinct;
use crate::problem::parameter::Value;
use crate::problem::section::{Section, Setting};
use crate::words::listed;

/// Maximum number of targets that are listed with the parameter that determines them.
const LISTED: usize = 12;

/// Budgets with their unit.
const BUDGETS: [(&str, &str); 4] = [
    ("generations", "generations"),
    ("evaluations", "evaluations"),
    ("stagnation", "generations without improvement"),
    ("trial-seconds", "seconds"),
];

/// Ways in which algorithms end trials on their own: the algorithm, the condition, and the arms.
const OWN_ENDS: [(&str, &str, &str); 8] = [
    ("hill-climbing", "when no neighbour was better", "in climbs without restarts"),
    ("exhaustive", "when all genomes had been tried", "in exhaustive search"),
    ("cma-es", "when a criterion of CMA-ES ended the run", "in CMA-ES without restarts"),
    ("umda", "when all genes of the model were fixed", "in UMDA without margins"),
    ("pbil", "when all genes of the model were fixed", "in PBIL without margins"),
    ("cga", "when all genes of the model were fixed", "in the compact GA without margins"),
    ("min-conflicts", "when no gene was in conflict", "in min-conflicts"),
    ("conflict-minimization", "when no gene was in conflict", "in conflict minimization"),
];

/// Returns the conditions under which trials ended and succeeded.
pub(super) fn stops(facts: &Facts<'_>) -> String {
    let ends = |baselines: bool| {
        let arms = facts.arms_of(baselines);
        let stops: Sections<'_> = arms.iter().map(|arm| &*arm.settings.stop).collect();
        (!arms.is_empty()).then(|| end_words(&stops, ends_of_algorithms(&arms)))
    };
    let (own, theirs) = (ends(false), ends(true));
    let mut text = own.iter().map(|ends| format!("A trial ended {ends}. ")).collect::<String>();
    if let Some(ends) = theirs.filter(|ends| own.as_ref() != Some(ends)) {
        text += &format!("A trial of the baseline ended {ends}. ");
    }
    let stops: Sections<'_> = facts.arms.iter().map(|arm| &*arm.settings.stop).collect();
    text += &successes(facts, &stops);
    let goes_on = stops.values("on-success");
    if goes_on.iter().any(continues) {
        let which = if goes_on.len() > 1 { "In the arms with on-success continue, a" } else { "A" };
        text += which;
        text += " trial that had reached its target continued to the end of its budget. ";
    }
    if stops.values("keep-ended").into_iter().any(is_true) {
        text += "The seeds of trials do not follow from the budget, so a trial that ended before \
            it is the same at any larger one. ";
    }
    text + "Every computed fitness counts as an evaluation. "
}

fn is_true(value: Option<&Setting>) -> bool {
    matches!(value, Some(Setting::Value(Value::Boolean(true))))
}

/// Returns whether trials continue with this value of `on-success`.
fn continues(value: &Option<&Setting>) -> bool {
    value.and_then(Setting::as_text) == Some("continue")
}

/// Returns the conditions under which the algorithms of some arms end trials on their own.
fn ends_of_algorithms(arms: &[&ArmFacts<'_>]) -> Vec<String> {
    let goes_on = |set: &Section| {
        let algorithm = set.get("algorithm").and_then(Setting::as_section);
        let own = |key: &str| algorithm.and_then(|algorithm| algorithm.get(key));
        let restarts =
            own("restarts").and_then(Setting::as_text).is_some_and(|kind| kind != "none");
        let margin = own("margin").and_then(Setting::as_number).is_some_and(|margin| margin > 0.0);
        is_true(own("restarts")) || restarts || margin || set.get("restarts").is_some()
    };
    let words = |(algorithm, words, which): (&str, &str, &str)| {
        let sets = arms.iter().map(|arm| &*arm.settings.operators);
        let ends = sets
            .filter(|set| set.get("algorithm").and_then(kind) == Some(algorithm) && !goes_on(set));
        match ends.count() {
            0 => None,
            all if all == arms.len() => Some(words.to_owned()),
            _ => Some(format!("{words} ({which})")),
        }
    };
    OWN_ENDS.into_iter().filter_map(words).collect()
}

/// Returns a text such as "when it reached its target, or after 1,000 generations", from the tables
/// `[stop]` of some arms.
fn end_words(stops: &Sections<'_>, of_algorithms: Vec<String>) -> String {
    let given = |key: &str| {
        let values = stops.values(key);
        let given: Vec<Option<&Setting>> = values.iter().copied().filter(Option::is_some).collect();
        let some = when(given.len() < values.len(), " (if the arm has this criterion)");
        (!given.is_empty()).then_some((given, some))
    };
    let on_success = stops.values("on-success");
    let mut ends = Vec::new();
    if let Some((_, some)) = given("fitness").filter(|_| !on_success.iter().all(continues)) {
        let goes_on = on_success.iter().any(continues);
        let stopping = when(goes_on, " (in the arms that stop on success)");
        ends.push(format!("when it reached its target{stopping}{some}"));
    }
    ends.extend(BUDGETS.iter().filter_map(|(key, unit)| {
        let (values, some) = given(key)?;
        Some(format!("after {} {unit}{some}", listed_values(&values, "", "or")))
    }));
    ends.extend(given("diversity").map(|(values, some)| {
        let least = listed_values(&values, "", "or");
        format!(
            "when the mean distance of all pairs in its population was at most {least}{some} \
            (@morrison2002)"
        )
    }));
    ends.extend(of_algorithms);
    match ends.len() {
        0 => "when all genomes had been tried".to_owned(),
        1 => ends.remove(0),
        _ => format!("{}, whichever came first", ends.join(", or ")),
    }
}

/// Returns the condition under which a trial succeeded.
fn successes(facts: &Facts<'_>, stops: &Sections<'_>) -> String {
    let targets = stops.values("fitness");
    if targets == [None] {
        return format!("There was no target, so no trial could succeed. {}", noise(facts));
    }
    let given: Vec<Option<&Setting>> = targets.iter().copied().filter(Option::is_some).collect();
    let best = match facts.constraints {
        true => "the best fitness of its feasible genomes, those that keep every constraint,",
        false => "its best fitness",
    };
    let target = by_parameter(facts).unwrap_or_else(|| listed_values(&given, "", "or"));
    let some = when(targets.contains(&None), ", in the arms that have one");
    let success = format!("A trial succeeded if {best} was at most {target}, its target{some}. ");
    success + &noise(facts)
}

/// Returns what genomes with noisy fitness were judged by; nothing without noise.
fn noise(facts: &Facts<'_>) -> String {
    let treats =
        |arm: &ArmFacts<'_>| arm.settings.value("operators.noise.evaluations-per-genome").is_some();
    let is_treated = facts.arms.iter().any(treats);
    if !is_treated && !facts.last_run().noisy {
        return String::new();
    }
    let once = when(!is_treated, "Each genome was evaluated once, when it was new. ");
    format!(
        "Fitness was noisy. The search saw noisy evaluations alone; a genome was judged by its \
        noiseless fitness, or, in a problem without one, by the mean of its evaluations. {once}"
    )
}

/// Returns targets that follow from a parameter of the problem, each with its value, such as "4
/// (graph myciel3) or 5 (graph queen5_5)". `None` if there is one target, no such parameter, or too
/// many to list.
fn by_parameter(facts: &Facts<'_>) -> Option<String> {
    let target = |arm: &&ArmFacts<'_>| arm.settings.stop.get("fitness").cloned();
    let arms: Vec<&ArmFacts<'_>> = facts.arms.iter().filter(|arm| target(arm).is_some()).collect();
    if distinct(arms.iter().map(target)).len() < 2 {
        return None;
    }
    let problems: Sections<'_> = arms.iter().map(|arm| &*arm.settings.problem).collect();
    problems.keys(&[]).into_iter().find_map(|key| {
        let words = |value: Option<&Setting>| {
            let own = arms.iter().filter(|arm| arm.settings.problem.get(key) == value);
            let targets = distinct(own.map(target));
            let [target] = targets.as_slice() else { return None };
            let target = listed_values(&[target.as_ref()], "", "or");
            Some(format!("{target} ({key} {})", listed_values(&[value], "none", "or")))
        };
        let words: Vec<String> =
            problems.values(key).into_iter().map(words).collect::<Option<_>>()?;
        (2..=LISTED).contains(&words.len()).then(|| listed(&words, "or"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn section(text: &str) -> Section {
        Section::parse(text).expect("settings")
    }

    /// The text describes every key of [stop].
    #[test]
    fn no_key_of_the_stop_rules_is_unknown() {
        let schema = crate::config::json_schema(&[]);
        let keys = schema["properties"]["stop"]["properties"].as_object().expect("a table");
        let keys: BTreeSet<&str> = keys.keys().map(String::as_str).collect();
        let budgets = BUDGETS.into_iter().map(|(key, _)| key);
        let told = ["fitness", "diversity", "on-success", "keep-ended"].into_iter().chain(budgets);
        assert_eq!(keys, told.collect());
    }

    #[test]
    fn stop_rules_have_all_their_values() {
        let stops = [
            "fitness = 0.0\ngenerations = 10\non-success = \"stop\"",
            "fitness = 0.5\ngenerations = 20\non-success = \"stop\"",
            "evaluations = 100\non-success = \"continue\"\nfitness = 1.0",
        ]
        .map(section);
        let words =
            |stops: &[Section], of_algorithms| end_words(&stops.iter().collect(), of_algorithms);
        assert_eq!(
            words(&stops[..2], Vec::new()),
            "when it reached its target, or after 10 or 20 generations, whichever came first"
        );
        assert_eq!(
            words(&stops[2..], vec!["when no neighbour was better".to_owned()]),
            "after 100 evaluations, or when no neighbour was better, whichever came first"
        );
        let diverse = [section("generations = 10\ndiversity = 0.5")];
        assert_eq!(
            words(&diverse, Vec::new()),
            "after 10 generations, or when the mean distance of all pairs in its population was \
            at most 0.5 (@morrison2002), whichever came first"
        );
        let mixed = words(&stops, Vec::new());
        let target = "when it reached its target (in the arms that stop on success), or after 10";
        assert!(mixed.starts_with(target), "{mixed}");
        assert!(mixed.contains("100 evaluations (if the arm has this criterion)"), "{mixed}");
    }
}
