//! Short names: names of arms that have only their differences, to save room.
//!
//! Parts that all arms share are left out, then keys are abbreviated, then words that a name shares
//! with similar names. A value in which two arms differ is never cut. If there is no room for it,
//! the name is longer than requested.

use crate::plan::{ArmSpec, swept_text};
use crate::problem::parameter::Value;
use crate::report::cut;
use std::collections::{BTreeMap, BTreeSet};

/// Returns one distinct short name per arm, of at most `width` characters if the differences fit.
pub(crate) fn short_names(arms: &[ArmSpec], swept_keys: &[String], width: usize) -> Vec<String> {
    let arms: Vec<Parts<'_>> = arms
        .iter()
        .map(|arm| Parts { operators: &arm.operators, swept: arm.swept.iter().collect() })
        .collect();
    names_of(&arms, swept_keys, width)
}

/// Parts of a name.
pub(crate) struct Parts<'a> {
    pub operators: &'a str,
    /// One value per swept key; `None` if there is nothing to show.
    pub swept: Vec<&'a Option<Value>>,
}

/// Returns one short name per arm, like [`short_names`]. Equal parts have equal names.
pub(crate) fn names_of(arms: &[Parts<'_>], swept_keys: &[String], width: usize) -> Vec<String> {
    let several_sets = arms.iter().any(|arm| arm.operators != arms[0].operators);
    let differ: Vec<bool> = (0..swept_keys.len())
        .map(|key| arms.iter().any(|arm| arm.swept[key] != arms[0].swept[key]))
        .collect();
    let values = |arm: &Parts<'_>, words: &dyn Fn(usize, &Value) -> String| -> Vec<String> {
        let differing = arm.swept.iter().enumerate().filter(|(key, _)| differ[*key]);
        differing.filter_map(|(key, value)| value.as_ref().map(|value| words(key, value))).collect()
    };
    let joined =
        |words: &dyn Fn(usize, &Value) -> String, sets: &BTreeMap<&str, String>| -> Vec<String> {
            let name = |arm: &Parts<'_>| {
                let mut parts = values(arm, words);
                if several_sets || parts.is_empty() {
                    parts.insert(0, sets[arm.operators].clone());
                }
                parts.join(", ")
            };
            arms.iter().map(name).collect()
        };
    let whole: BTreeMap<&str, String> =
        arms.iter().map(|arm| (arm.operators, arm.operators.to_owned())).collect();
    let longest =
        |names: &[String]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);

    let keys = key_names(swept_keys);
    let brief = abbreviated(&keys);
    let speaks = speaking(arms, &differ);
    let with_keys = |key: usize, value: &Value| format!("{} {}", keys[key], swept_text(value));
    let speaks_alone = |key: usize, value: &Value| speaks[key] && matches!(value, Value::Text(_));
    let without_keys = |key: usize, value: &Value| match speaks_alone(key, value) {
        true => swept_text(value),
        false => with_keys(key, value),
    };
    let with_brief = |key: usize, value: &Value| match speaks_alone(key, value) {
        true => swept_text(value),
        false => format!("{} {}", brief[key], swept_text(value)),
    };
    for words in [&with_keys as &dyn Fn(usize, &Value) -> String, &without_keys, &with_brief] {
        let names = joined(words, &whole);
        if longest(&names) <= width {
            return distinct(names, arms, &joined(&with_keys, &whole));
        }
    }
    let tail = arms
        .iter()
        .map(|arm| values(arm, &with_brief).join(", ").chars().count() + 2)
        .max()
        .unwrap_or(0);
    let room = width.saturating_sub(if tail > 2 { tail } else { 0 }).max(width / 3);
    let sets: Vec<&str> = whole.keys().copied().collect();
    let sets: BTreeMap<&str, String> = sets.iter().copied().zip(elided(&sets, room)).collect();
    distinct(joined(&with_brief, &sets), arms, &joined(&with_keys, &whole))
}

/// Returns the names, but in full if two with different parts would be the same.
fn distinct(names: Vec<String>, arms: &[Parts<'_>], full: &[String]) -> Vec<String> {
    let mut parts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, full) in names.iter().zip(full) {
        parts.entry(name).or_default().insert(full);
    }
    debug_assert_eq!(names.len(), arms.len());
    names
        .iter()
        .zip(full)
        .map(|(name, full)| if parts[name.as_str()].len() > 1 { full } else { name }.clone())
        .collect()
}

/// Returns the keys without their table if they stay distinct: `problem.n` becomes `n`,
/// `operators.mutation.rate` becomes `mutation.rate`.
pub(crate) fn key_names(keys: &[String]) -> Vec<String> {
    let short =
        |key: &String| key.split_once('.').map_or(key.as_str(), |(_, rest)| rest).to_owned();
    let all: Vec<String> = keys.iter().map(short).collect();
    let clear = |name: &String| all.iter().filter(|other| *other == name).count() == 1;
    keys.iter().zip(&all).map(|(key, name)| if clear(name) { name } else { key }.clone()).collect()
}

/// Returns the first letters of each word of a key, as many as keep the keys distinct:
/// `mutation.rate` becomes `mut.rate`.
fn abbreviated(keys: &[String]) -> Vec<String> {
    /// Maximum length of words that are not abbreviated.
    const SHORT: usize = 5;
    for letters in 3..12 {
        let word = |word: &str| match word.chars().count() <= SHORT {
            true => word.to_owned(),
            false => word.chars().take(letters).collect(),
        };
        let brief: Vec<String> =
            keys.iter().map(|key| key.split('.').map(word).collect::<Vec<_>>().join(".")).collect();
        if brief.iter().collect::<BTreeSet<_>>().len() == keys.len() {
            return brief;
        }
    }
    keys.to_vec()
}

/// Returns for each key whether its values identify it, because no other key has them.
fn speaking(arms: &[Parts<'_>], differ: &[bool]) -> Vec<bool> {
    let texts: Vec<BTreeSet<String>> = (0..differ.len())
        .map(|key| arms.iter().filter_map(|arm| arm.swept[key].as_ref().map(swept_text)).collect())
        .collect();
    let alone = |key: usize| {
        (0..texts.len()).all(|other| other == key || texts[other].is_disjoint(&texts[key]))
    };
    (0..texts.len()).map(alone).collect()
}

/// Replaces parts that names share with similar names by `…`. They have at most `width` characters
/// if the differences fit.
pub(crate) fn elided(names: &[&str], width: usize) -> Vec<String> {
    /// Number of neighbours in the order that a name is compared with.
    const NEAR: usize = 200;
    let cut: Vec<Vec<&str>> = names.iter().map(|name| words(name)).collect();
    let shorten = |(place, name): (usize, &&str)| {
        if name.chars().count() <= width {
            return (*name).to_owned();
        }
        let near = place.saturating_sub(NEAR)..(place + NEAR).min(names.len());
        let others: Vec<&Vec<&str>> =
            near.filter(|other| names[*other] != *name).map(|other| &cut[other]).collect();
        without(&cut[place], &differing(&cut[place], &others), width)
    };
    let short: Vec<String> = names.iter().enumerate().map(shorten).collect();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    short.iter().for_each(|name| *count.entry(name).or_default() += 1);
    names
        .iter()
        .zip(&short)
        .map(
            |(name, short)| {
                if count[short.as_str()] > 1 { (*name).to_owned() } else { short.clone() }
            },
        )
        .collect()
}

/// Splits a name into words, numbers, and separators.
fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    let part = |place: usize| {
        let letter = letters[place].1;
        let digit = |place: Option<&(usize, char)>| {
            place.is_some_and(|(_, letter)| letter.is_ascii_digit())
        };
        let decimal = letter == '.'
            && digit(letters.get(place + 1))
            && place > 0
            && digit(letters.get(place - 1));
        letter.is_alphanumeric() || decimal
    };
    for (place, (at, _)) in letters.iter().enumerate().skip(1) {
        if !(part(place) && part(place - 1)) {
            words.push(&name[start..*at]);
            start = *at;
        }
    }
    words.push(&name[start..]);
    words
}

/// Returns for each word of a name whether it is missing in a similar name.
fn differing(name: &[&str], others: &[&Vec<&str>]) -> Vec<bool> {
    let mut differs = vec![false; name.len()];
    for other in others {
        let shared = shared(name, other);
        // Names that have little in common are distinguished by any part.
        if 2 * shared.iter().filter(|shared| **shared).count() >= name.len() {
            differs.iter_mut().zip(&shared).for_each(|(differs, shared)| *differs |= !shared);
            // If only the other name has a word, the words around it make the difference.
            let (head, tail) = (prefix(name, other), prefix_back(name, other));
            if head + tail >= name.len() && !name.is_empty() {
                differs[head.min(name.len() - 1)] = true;
            }
        }
    }
    differs
}

fn prefix(one: &[&str], other: &[&str]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

fn prefix_back(one: &[&str], other: &[&str]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Returns for each word of the first name whether it belongs to a longest common subsequence.
fn shared(one: &[&str], other: &[&str]) -> Vec<bool> {
    let mut lengths = vec![vec![0_u16; other.len() + 1]; one.len() + 1];
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            lengths[i][j] = match one[i] == other[j] {
                true => lengths[i + 1][j + 1] + 1,
                false => lengths[i + 1][j].max(lengths[i][j + 1]),
            };
        }
    }
    let (mut shared, mut i, mut j) = (vec![false; one.len()], 0, 0);
    while i < one.len() && j < other.len() {
        if one[i] == other[j] {
            shared[i] = true;
            (i, j) = (i + 1, j + 1);
        } else if lengths[i + 1][j] >= lengths[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    shared
}

/// Replaces words that need not be kept by `…`, the longest runs of them first. As few as possible
/// are replaced to reach `width`.
fn without(words: &[&str], keep: &[bool], width: usize) -> String {
    let mut gone = vec![false; words.len()];
    // First the rest, then the head, which identifies a name best.
    for head in [1, 0] {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (place, kept) in keep.iter().enumerate().skip(head) {
            match runs.last_mut().filter(|(_, end)| *end == place) {
                _ if *kept => {}
                Some((_, end)) => *end += 1,
                None => runs.push((place, place + 1)),
            }
        }
        let letters = |(start, end): &(usize, usize)| {
            words[*start..*end].iter().map(|word| word.chars().count()).sum::<usize>()
        };
        runs.sort_by_key(|run| std::cmp::Reverse(letters(run)));
        for run in runs.iter().filter(|run| letters(run) > 1) {
            // Words are removed from the end of the run, so that earlier ones stay if there is
            // room.
            for start in (run.0..run.1).rev() {
                if with_gaps(words, &gone).chars().count() <= width {
                    return with_gaps(words, &gone);
                }
                gone[start] = true;
            }
        }
    }
    if gone.contains(&false) {
        return with_gaps(words, &gone);
    }
    // A name of one long word keeps its ends.
    let name = words.concat();
    cut(&[(0, &name)], width.max(1)).map_or(name.clone(), |cut| cut.concat())
}

fn with_gaps(words: &[&str], gone: &[bool]) -> String {
    let mut name = String::new();
    for (place, word) in words.iter().enumerate() {
        if !gone[place] {
            name.push_str(word);
        } else if place == 0 || !gone[place - 1] {
            name.truncate(name.trim_end().len());
            name.push('…');
        }
    }
    name
}

#[cfg(test)]
mod tests;
