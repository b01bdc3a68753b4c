//! Galleries: the pictures that an experiment's results give.

use super::chart::{CURVES, Chart};
use super::{fitness, heat, rates, run_length, swept, targets};
use crate::comparison::Sample;
use crate::experiment::Trace;
use crate::parameter::Value;
use crate::results::{ArmRow, Results, ResultsError, SummaryTable, swept_text};
use std::ops::Range;

/// What pictures are made of: the figures of all arms, and what to call the arms.
pub struct Subject<'results> {
    pub results: &'results Results,
    pub summary: SummaryTable,
    pub samples: Vec<Sample>,
    /// Short names, one an arm: what distinguishes it within the experiment.
    pub names: Vec<String>,
}

impl<'results> Subject<'results> {
    /// Reads summary and trials.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn read(results: &'results Results) -> Result<Self, ResultsError> {
        let names = names(results.arms(), results.swept_keys());
        Ok(Subject { results, summary: results.summary()?, samples: Sample::read(results)?, names })
    }

    /// The arms that have trials, in plan order.
    pub(super) fn with_trials(&self) -> Vec<usize> {
        (0..self.samples.len()).filter(|arm| self.samples[*arm].trials() > 0).collect()
    }

    /// "n = 5,000 trials an arm", or from the least to the most, of these arms.
    pub(super) fn trials(&self, arms: impl Iterator<Item = usize>) -> String {
        let counts: Vec<u64> = arms.map(|arm| self.samples[arm].trials()).collect();
        let (least, most) = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
        let number = crate::report::count;
        match (counts.len(), least == most) {
            (1, _) => format!("n = {} trials", number(most)),
            (_, true) => format!("n = {} trials an arm", number(most)),
            _ => format!("n = {} to {} trials an arm", number(least), number(most)),
        }
    }
}

/// All pictures, in the order of a report: rates, run lengths, fitness, targets, sweeps.
///
/// # Errors
/// If a table cannot be read.
pub fn gallery(subject: &Subject<'_>) -> Result<Vec<Chart>, ResultsError> {
    let mut charts = rates::charts(subject);
    charts.extend(run_length::charts(subject));
    if subject.results.trace() != Trace::None {
        charts.extend(fitness::charts(subject)?);
        charts.extend(targets::charts(subject)?);
    }
    charts.extend(swept::charts(subject));
    charts.extend(heat::charts(subject));
    Ok(charts)
}

/// Trials of an arm that a curve over generations is made of: more change nothing that could be seen.
pub(super) const TRIALS: usize = 5_000;
/// Pictures of one kind: more would not be looked at.
const PARTS: usize = 6;

/// A part of what does not fit one picture.
pub(super) struct Part {
    pub range: Range<usize>,
    /// "-2", or nothing where there is one part.
    pub suffix: String,
    /// "arms 9 to 16 of 30; ", or nothing.
    pub words: String,
}

/// `count` things, `size` to a picture.
pub(super) fn parts(count: usize, size: usize, what: &str) -> Vec<Part> {
    let all = count.div_ceil(size);
    // Of one size, give or take one.
    let cut = |part: usize| count * part / all.max(1);
    (0..all.min(PARTS))
        .map(|part| {
            let range = cut(part)..cut(part + 1);
            let several = all > 1;
            Part {
                suffix: if several { format!("-{}", part + 1) } else { String::new() },
                words: match several {
                    true => format!("{what} {} to {} of {count}; ", range.start + 1, range.end),
                    false => String::new(),
                },
                range,
            }
        })
        .collect()
}

pub(super) fn curve_parts(count: usize) -> Vec<Part> {
    parts(count, CURVES, "arms")
}

/// A swept key's last word: `problem.n` is `n`.
pub(super) fn short(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// Longest name in a picture, in characters.
const LONGEST: usize = 34;

/// What distinguishes the arms: the operator set where there are several, the swept values.
fn names(arms: &[ArmRow], swept_keys: &[String]) -> Vec<String> {
    let several = arms.iter().any(|arm| arm.operators != arms[0].operators);
    let words = |arm: &ArmRow, whole: bool| {
        let mut words: Vec<String> = Vec::new();
        if several || arm.swept.iter().all(Option::is_none) {
            words.push(arm.operators.clone());
        }
        for (key, value) in swept_keys.iter().zip(&arm.swept) {
            words.extend(value.as_ref().map(|value| match value {
                Value::Text(text) if !whole => text.to_string(),
                value => format!("{} {}", short(key), swept_text(value)),
            }));
        }
        words.join(", ")
    };
    let name = |arm: &ArmRow| {
        let whole = words(arm, true);
        // Words speak for themselves where there is no room for their keys.
        shortened(&if whole.chars().count() > LONGEST { words(arm, false) } else { whole })
    };
    arms.iter().map(name).collect()
}

/// With its middle left out where it is long: names differ at their ends.
pub(super) fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LONGEST {
        return name.to_owned();
    }
    let (head, tail) = (LONGEST / 2, LONGEST - LONGEST / 2 - 1);
    let kept = letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]);
    kept.collect()
}

/// A name as part of a file's: letters, digits and hyphens.
pub(super) fn file_name(name: &str) -> String {
    let plain = name.chars().map(|letter| if letter.is_alphanumeric() || letter == '.' { letter } else { '-' });
    plain.collect::<String>().split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_one_size_and_leave_nothing_out() {
        let ranges = |count| parts(count, 8, "arms").into_iter().map(|part| part.range).collect::<Vec<_>>();
        assert_eq!(ranges(8).first(), Some(&(0..8)));
        assert_eq!(ranges(8).len(), 1);
        assert_eq!(ranges(9), [0..4, 4..9]);
        assert!(ranges(0).is_empty());
        assert_eq!(ranges(30).iter().map(ExactSizeIterator::len).sum::<usize>(), 30);
        assert_eq!(parts(9, 8, "arms")[1].words, "arms 5 to 9 of 9; ");
    }

    #[test]
    fn long_names_keep_both_ends() {
        let long = "a".repeat(30) + &"b".repeat(30);
        assert_eq!(shortened(&long).chars().count(), LONGEST);
        assert!(shortened(&long).starts_with("aaa") && shortened(&long).ends_with("bbb"));
        assert_eq!(file_name("roulette, n 8"), "roulette-n-8");
    }
}
