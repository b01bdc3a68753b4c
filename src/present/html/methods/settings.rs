//! Settings in words: what arms share once, what differs with all its values.

use super::text::Text;
use crate::operators::operator::{Slot, listed};
use crate::present::format::count;
use crate::present::references::of_source;
use crate::problem::parameter::Value;
use crate::problem::section::{Section, Setting};
use crate::search::registry::find;
use std::collections::BTreeSet;

/// Numbers from which on a list that is evenly spaced is given by its ends.
const MANY: usize = 13;

/// The values of a key over some arms, each once, in the order of the arms. None: an arm has no
/// such key.
pub(super) fn values<'a>(arms: &[&'a Section], key: &str) -> Vec<Option<&'a Setting>> {
    distinct(arms.iter().map(|arm| arm.get(key)))
}

fn distinct<'a>(all: impl Iterator<Item = Option<&'a Setting>>) -> Vec<Option<&'a Setting>> {
    let mut once: Vec<Option<&Setting>> = Vec::new();
    for value in all {
        if !once.contains(&value) {
            once.push(value);
        }
    }
    once
}

/// The keys of some tables, in the order in which they come.
pub(super) fn keys<'a>(tables: &[&'a Section]) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for table in tables {
        keys.extend(table.keys().filter(|key| !keys.contains(key)).collect::<Vec<_>>());
    }
    keys
}

/// A number with six digits, and separators where it is whole.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    let sign = if value < 0.0 { "-" } else { "" };
    if value.fract() == 0.0 && size < 1e15 {
        return format!("{sign}{}", count(size as u64));
    }
    if !value.is_finite() {
        return value.to_string();
    }
    if !(1e-4..1e9).contains(&size) {
        let text = format!("{value:.5e}");
        return match text.split_once('e') {
            Some((digits, power)) => {
                format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            None => text,
        };
    }
    let decimals = (5 - size.log10().floor() as i32).max(0) as usize;
    format!("{value:.decimals$}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn in_words(setting: &Setting) -> String {
    match setting {
        Setting::Value(Value::Text(text)) if text.is_empty() => "empty".to_owned(),
        Setting::Value(Value::Text(text)) => text.to_string(),
        Setting::Value(Value::Boolean(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
        Setting::Value(Value::Integer(whole)) => number(*whole as f64),
        Setting::Value(Value::Real(real)) => number(*real),
        Setting::Section(section) => section
            .iter()
            .map(|(key, setting)| format!("{key} {}", in_words(setting)))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// "10, 20 or 40": numbers by size, all else in the order of the arms. None is told by `nothing`.
pub(super) fn listed_values(values: &[Option<&Setting>], nothing: &str, last: &str) -> String {
    let mut numbers: Vec<f64> =
        values.iter().flatten().filter_map(|value| value.as_number()).collect();
    let mut words: Vec<String> = Vec::new();
    if numbers.len() == values.len() {
        numbers.sort_by(f64::total_cmp);
        if let Some(even) = evenly(&numbers) {
            return even;
        }
        words.extend(numbers.into_iter().map(number));
    } else {
        words.extend(values.iter().map(|value| value.map_or_else(|| nothing.to_owned(), in_words)));
    }
    words.dedup();
    listed(&words.iter().map(String::as_str).collect::<Vec<_>>(), last)
}

/// "from 1 to 100 in steps of 1", of many numbers that are so.
fn evenly(numbers: &[f64]) -> Option<String> {
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    let step = (last - first) / (numbers.len() - 1) as f64;
    let even = |(place, value): (usize, &f64)| {
        (value - (first + step * place as f64)).abs() <= 1e-9 * last.abs().max(1.0)
    };
    (numbers.len() >= MANY && numbers.iter().enumerate().all(even))
        .then(|| format!("from {} to {} in steps of {}", number(first), number(last), number(step)))
}

/// "n 8, encoding rows or permutation", for each key of some tables but those left out; says
/// whether there was any.
pub(super) fn say_keys(text: &mut Text, tables: &[&Section], without: &[&str]) -> bool {
    let kept: Vec<&str> = keys(tables).into_iter().filter(|key| !without.contains(key)).collect();
    for (place, key) in kept.iter().enumerate() {
        text.say(if place > 0 { ", " } else { "" });
        text.say(format!("{key} {}", listed_values(&values(tables, key), "none", "or")));
    }
    !kept.is_empty()
}

/// Returns the citations of an operator's source, such as "@holland1975; @goldberg1989".
pub(super) fn citations(source: &str) -> String {
    let keys = of_source(source).into_iter().map(|reference| format!("@{}", reference.key));
    keys.collect::<Vec<_>>().join("; ")
}

/// What of an operator was cited before.
pub(super) type Cited = BTreeSet<(String, String)>;

/// "selection tournament (size 2 or 3; Goldberg and Deb 1991) or roulette (Holland 1975)": one key
/// of operator sets.
pub(super) fn say_slot(
    text: &mut Text,
    slot: &str,
    values: &[Option<&Setting>],
    cited: &mut Cited,
) {
    let kind = |value: &Setting| value.as_section()?.get("kind")?.as_text().map(str::to_owned);
    let mut kinds: Vec<(Option<String>, Vec<Option<&Setting>>)> = Vec::new();
    for value in values {
        let of = value.and_then(kind);
        match kinds.iter_mut().find(|(one, _)| *one == of) {
            Some((_, values)) => values.push(*value),
            None => kinds.push((of, vec![*value])),
        }
    }
    text.say(format!("{slot} "));
    for (place, (kind, values)) in kinds.iter().enumerate() {
        if place > 0 {
            text.say(if place + 1 == kinds.len() { " or " } else { ", " });
        }
        let Some(kind) = kind else {
            let tables: Vec<&Section> =
                values.iter().filter_map(|value| value.and_then(Setting::as_section)).collect();
            if !tables.is_empty() && tables.len() == values.len() {
                text.say("(");
                say_keys(text, &tables, &[]);
                text.say(")");
            } else {
                text.say(listed_values(values, "none", "or"));
            }
            continue;
        };
        text.say(kind);
        let tables: Vec<&Section> =
            values.iter().filter_map(|value| value.and_then(Setting::as_section)).collect();
        let more = keys(&tables).into_iter().any(|key| key != "kind");
        let entry = Slot::ALL
            .into_iter()
            .find(|one| one.as_str() == slot)
            .and_then(|slot| find(slot, kind));
        let new = cited.insert((slot.to_owned(), kind.clone()));
        let source = entry.filter(|_| new).map_or_else(String::new, |one| citations(one.source));
        if more || !source.is_empty() {
            text.say(" (");
            say_keys(text, &tables, &["kind"]);
            text.say(if more && !source.is_empty() { "; " } else { "" });
            text.say(source);
            text.say(")");
        }
    }
}

/// "when its fitness reached 0, or after 1,000 generations": the rules of some arms' tables
/// `[stop]`. With constraints, only feasible genomes reach a target.
pub(super) fn stop_words(
    stops: &[&Section],
    constraints: bool,
    of_algorithms: &[String],
) -> String {
    let listed = |key: &str| {
        let values = values(stops, key);
        let given: Vec<Option<&Setting>> = values.iter().copied().filter(Option::is_some).collect();
        let some = if given.len() < values.len() { " (if the arm has this criterion)" } else { "" };
        (!given.is_empty()).then(|| (listed_values(&given, "", "or"), some))
    };
    let on_success = values(stops, "on-success");
    let goes_on = |value: &Option<&Setting>| value.and_then(Setting::as_text) == Some("continue");
    let mut ends = Vec::new();
    if !on_success.iter().all(goes_on) {
        let some =
            if on_success.iter().any(goes_on) { " (in the arms that stop on success)" } else { "" };
        ends.extend(listed("fitness").map(|(target, without)| {
            let best = if constraints {
                "the best fitness of its feasible genomes"
            } else {
                "its best fitness"
            };
            let target = if values(stops, "fitness").iter().flatten().count() > 1 {
                "at most its target".to_owned()
            } else {
                format!("{target} or less")
            };
            format!("when {best} was {target}{some}{without}")
        }));
    }
    for (key, before, after) in [
        ("generations", "after ", " generations"),
        ("evaluations", "after ", " evaluations"),
        ("stagnation", "after ", " generations without improvement"),
        ("trial-seconds", "after ", " seconds"),
    ] {
        ends.extend(listed(key).map(|(value, some)| format!("{before}{value}{after}{some}")));
    }
    ends.extend(of_algorithms.iter().cloned());
    match ends.as_slice() {
        [] => "when all genomes had been tried".to_owned(),
        [one] => one.clone(),
        several => format!("{}, whichever came first", several.join(", or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> Section {
        Section::parse(text).expect("settings")
    }

    #[test]
    fn numbers_keep_six_digits() {
        let all = [0.01, 1.0, 20_000.0, 1.0 / 96.0, 0.123456, 1e-7, -2.5, 1234.5678];
        assert_eq!(
            all.map(number),
            ["0.01", "1", "20,000", "0.0104167", "0.123456", "1e-7", "-2.5", "1,234.57"]
                .map(|text| text.replace("1,234.57", "1234.57"))
        );
    }

    #[test]
    fn a_slot_has_each_kind_once_with_all_its_values() {
        let sets = [
            "selection = { kind = \"tournament\", size = 3 }",
            "selection = { kind = \"tournament\", size = 2 }",
            "selection = { kind = \"roulette\" }",
            "population = 5",
        ]
        .map(section);
        let sets: Vec<&Section> = sets.iter().collect();
        let (mut text, mut cited) = (Text::default(), Cited::new());
        say_slot(&mut text, "selection", &values(&sets, "selection"), &mut cited);
        assert_eq!(
            text.plain(),
            "selection tournament (size 2 or 3; Goldberg and Deb 1991), roulette (Holland 1975; \
            Goldberg 1989) or none"
        );
        say_slot(&mut text, "; selection", &values(&sets[..1], "selection"), &mut cited);
        assert!(text.plain().ends_with("; selection tournament (size 3)"), "{}", text.plain());
    }

    /// Every key of [stop] is told in words of its own, here or in `ends`.
    #[test]
    fn no_key_of_the_stop_rules_is_unknown() {
        let schema = crate::config::json_schema(&[]);
        let keys = schema["properties"]["stop"]["properties"].as_object().expect("a table");
        let keys: BTreeSet<&str> = keys.keys().map(String::as_str).collect();
        let budgets = ["generations", "evaluations", "stagnation", "trial-seconds"];
        let told = ["fitness", "on-success", "keep-ended"].into_iter().chain(budgets);
        assert_eq!(keys, told.collect());
    }

    #[test]
    fn stop_rules_have_all_their_values() {
        let stops = [
            "fitness = 0.0\ngenerations = 10\non-success = \"stop\"",
            "fitness = 0.5\ngenerations = 20\non-success = \"stop\"",
        ]
        .map(section);
        let both: Vec<&Section> = stops.iter().collect();
        assert_eq!(
            stop_words(&both, false, &[]),
            "when its best fitness was at most its target, or after 10 or 20 generations, \
            whichever came first"
        );
        let other = section("evaluations = 100\non-success = \"continue\"\nfitness = 1.0");
        let stuck = ["when no neighbour was better".to_owned()];
        assert_eq!(
            stop_words(&[&other], false, &stuck),
            "after 100 evaluations, or when no neighbour was better, whichever came first"
        );
        assert!(
            stop_words(&[&stops[0], &other], false, &[])
                .contains("100 evaluations (if the arm has this criterion)")
        );
        assert!(
            stop_words(&both[..1], true, &[])
                .starts_with("when the best fitness of its feasible genomes was 0 or less")
        );
    }

    #[test]
    fn many_even_numbers_are_given_by_their_ends() {
        let many: Vec<Setting> =
            (1..=20).map(|number| Setting::Value(Value::Integer(number))).collect();
        let all: Vec<Option<&Setting>> = many.iter().map(Some).collect();
        assert_eq!(listed_values(&all, "", "or"), "from 1 to 20 in steps of 1");
        assert_eq!(listed_values(&all[..3], "", "and"), "1, 2 and 3");
    }
}
