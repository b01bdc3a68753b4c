//! Operator sets and algorithms as text, with their citations.

use super::facts::{ArmFacts, Facts};
use super::text::name;
use super::values::{Sections, kind, listed_values};
use crate::lists::distinct;
use crate::operators::operator::Slot;
use crate::problem::section::{Section, Setting};
use crate::references::of_source;
use crate::search::registry::find;
use crate::words::{first_listed, listed};
use std::collections::BTreeSet;

/// Maximum number of operator sets with separate descriptions.
const SETS: usize = 12;
/// Optional slots of an evolutionary algorithm, whose absence is mentioned.
const SPARED: [&str; 4] = ["crossover", "mutation", "scaling", "mix"];

/// Operators that were already cited.
#[derive(Debug, Default)]
pub(super) struct Cited(BTreeSet<(&'static str, &'static str)>);

impl Cited {
    /// Returns the citations of an operator's source, such as "@holland1975; @goldberg1989". They
    /// are empty after the first time.
    fn once(&mut self, slot: &str, operator: &str) -> String {
        let slot = Slot::parse(slot);
        let found = slot.and_then(|slot| Some((slot, find(slot, operator)?)));
        let new = found.filter(|(slot, operator)| self.0.insert((slot.as_str(), operator.name)));
        // The source of a setting's word is cited where it has that word.
        let of_word = |slot: Slot, key: &str| {
            SOURCES.iter().any(|(of, _, word, source)| {
                *of == slot.as_str() && word.is_some() && source[1..] == *key
            })
        };
        let references = new.into_iter().flat_map(|(slot, operator)| {
            let all = of_source(operator.source).into_iter();
            all.filter(move |one| !of_word(slot, one.key))
        });
        references.map(|one| format!("@{}", one.key)).collect::<Vec<_>>().join("; ")
    }
}

/// Returns " (words)"; empty if there are no words.
fn in_parentheses(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(" ({words})") }
}

/// Settings with a source of their own: their slot, unless they are in any, a key, its word unless
/// any value has the source, and the source. A schedule, which has `over`, is the value of a key.
const SOURCES: [(&str, &str, Option<&str>, &str); 8] = [
    ("", "over", None, "@eiben1999"),
    ("mutation", "strength", Some("at-least-one"), "@doerr2020"),
    ("mutation", "strength", Some("power-law"), "@doerr2020"),
    ("mutation", "strength", Some("power-law-rate"), "@doerr2017"),
    ("", "neighbors", Some("reversal"), "@croes1958"),
    ("", "neighbors", Some("insertion"), "@or1976"),
    ("restarts", "luby", None, "@luby1993"),
    ("sharing", "radius", None, "@goldberg1987"),
];

/// Returns the citations of the settings in a slot, apart from those of its operators.
fn sources(slot: &str, sections: &Sections<'_>) -> Vec<&'static str> {
    let below = sections.0.iter().flat_map(|section| section.iter());
    let below = below.filter_map(|(_, value)| value.as_section());
    let all: Vec<&Section> = sections.0.iter().copied().chain(below).collect();
    let has = |(of, key, word, _): &(&str, &str, Option<&str>, &str)| {
        let given = all.iter().filter_map(|section| section.get(key));
        (of.is_empty() || *of == slot)
            && given.into_iter().any(|value| word.is_none() || value.as_text() == *word)
    };
    SOURCES.into_iter().filter(has).map(|(.., source)| source).collect()
}

/// Returns one key of operator sets: "selection tournament (size 2 or 3; @goldberg1991) or roulette
/// (@holland1975)".
fn slot_words(slot: &str, values: &[Option<&Setting>], cited: &mut Cited) -> String {
    let words = |one: Option<&str>| {
        let own: Vec<Option<&Setting>> =
            values.iter().filter(|value| value.and_then(kind) == one).copied().collect();
        let sections: Sections<'_> =
            own.iter().flatten().filter_map(|value| value.as_section()).collect();
        match one {
            Some(operator) => {
                let own = [&*sections.words(&["kind"]), &cited.once(slot, operator)];
                let inside = own.into_iter().chain(sources(slot, &sections));
                let inside = inside.filter(|words| !words.is_empty()).collect::<Vec<_>>();
                operator.to_owned() + &in_parentheses(&inside.join("; "))
            }
            None if sections.0.len() == own.len() => {
                let words = sections.words(&[]);
                format!("({})", [vec![&*words], sources(slot, &sections)].concat().join("; "))
            }
            None => listed_values(&own, "none", "or"),
        }
    };
    let words: Vec<String> =
        distinct(values.iter().map(|value| value.and_then(kind))).into_iter().map(words).collect();
    format!("{slot} {}", listed(&words, "or"))
}

/// Returns the slots that an operator set does not share, and the optional ones that it lacks.
fn own_words(set: &Sections<'_>, own: &[&str], cited: &mut Cited) -> String {
    let algorithms = set.values("algorithm").into_iter().flatten();
    let is_evolutionary = algorithms.map(kind).all(|kind| kind == Some("evolutionary"));
    let words = |slot: &&str| {
        let values = set.values(slot);
        if values.iter().any(Option::is_some) {
            Some(slot_words(slot, &values, cited))
        } else if *slot == "noise" {
            Some("each genome evaluated once, when it is new".to_owned())
        } else {
            (is_evolutionary && SPARED.contains(slot)).then(|| format!("no {slot}"))
        }
    };
    let words: Vec<String> = own.iter().filter_map(words).collect();
    if words.is_empty() { "no differences".to_owned() } else { words.join(", ") }
}

/// Returns the common slots of all operator sets, then the other slots of each.
pub(super) fn operators(facts: &Facts<'_>, cited: &mut Cited) -> String {
    let sets = facts.sets(false);
    let Some(((first, settings), rest)) = sets.split_first() else { return String::new() };
    let all: Sections<'_> = sets.iter().flat_map(|(_, set)| &set.0).copied().collect();
    let is_shared =
        |slot: &&str| rest.iter().all(|(_, set)| set.values(slot) == settings.values(slot));
    let (shared, own): (Vec<&str>, Vec<&str>) = all.keys(&[]).into_iter().partition(is_shared);
    let shared: Vec<String> =
        shared.into_iter().map(|slot| slot_words(slot, &all.values(slot), cited)).collect();
    let shared = shared.join(", ");
    if rest.is_empty() {
        return format!("The operator set {} has {shared}. ", name(first));
    }
    let mut text = format!("There were {} operator sets. ", sets.len());
    if !shared.is_empty() {
        text += &format!("All of them have {shared}. ");
    }
    if own.is_empty() {
        return text;
    }
    let (shown, others) = sets.split_at(sets.len().min(SETS));
    for (set, settings) in shown {
        text += &format!("{}: {}. ", name(set), own_words(settings, &own, cited));
    }
    if !others.is_empty() {
        let settings = others.iter().flat_map(|(_, set)| &set.0).copied().collect();
        text += &format!(
            "The other {} operator sets, listed in the column settings of the summary, have {}. ",
            others.len(),
            own_words(&settings, &own, cited)
        );
    }
    text
}

/// Returns the baselines of the arms.
pub(super) fn baseline(facts: &Facts<'_>, cited: &mut Cited) -> String {
    let sets = facts.sets(true);
    if sets.is_empty() {
        return String::new();
    }
    let words = |(set, settings): &(&str, Sections<'_>)| {
        format!("{} ({})", name(set), settings.words(&["algorithm"]))
    };
    let counts = |arm: &&ArmFacts<'_>| arm.settings.stop.get("evaluations").is_some();
    let budget = match facts.arms_of(true).iter().any(counts) {
        true => "with as many evaluations as a trial of the arm can spend",
        false => "for as many seconds as a trial of the arm has",
    };
    format!(
        "Arms were compared with random search{} on the same problem, {budget}: {}. ",
        in_parentheses(&cited.once("algorithm", "random-search")),
        first_listed(sets.iter().map(words), SETS)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_each_kind_once_with_all_its_values() {
        let sets = [
            "selection = { kind = \"tournament\", size = 3 }",
            "selection = { kind = \"tournament\", size = 2 }",
            "selection = { kind = \"roulette\" }",
            "population = 5",
        ]
        .map(|text| Section::parse(text).expect("settings"));
        let all: Sections<'_> = sets.iter().collect();
        let mut cited = Cited::default();
        assert_eq!(
            slot_words("selection", &all.values("selection"), &mut cited),
            "selection tournament (size 2 or 3; @goldberg1991), roulette (@holland1975; \
            @goldberg1989) or none"
        );
        let falls = "mutation = { kind = \"swap\", rate = { from = 0.5, to = 0.1, over = \"e\" } }";
        let falls = Section::parse(falls);
        let falls = falls.as_ref().expect("TOML");
        let falls = slot_words("mutation", &[falls.get("mutation")], &mut cited);
        assert!(falls.contains("from 0.5, to 0.1") && falls.ends_with("@eiben1999)"), "{falls}");
        let runs = Section::parse("restarts = { luby = 50, unit = \"generations\" }");
        let runs = runs.expect("settings");
        let runs = slot_words("restarts", &[runs.get("restarts")], &mut cited);
        assert_eq!(runs, "restarts (luby 50, unit generations; @luby1993)");
        let again = slot_words("selection", &all.values("selection")[..1], &mut cited);
        assert_eq!(again, "selection tournament (size 3)");
    }
}
