//! The arms that a user chooses.

use super::find_arm::{ArmKey, listed};
use glob::Pattern;
use std::fmt;

/// Which arms are meant: each pattern is the label or the id of an arm, the name of an operator
/// set, or a pattern of labels with `*`, `?` and `[…]`. Without patterns all arms are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArmPatterns(Vec<String>);

/// A pattern means none of these arms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoArmMatches {
    pub pattern: String,
    /// The labels of all arms, the most alike first.
    pub labels: Vec<String>,
}

impl fmt::Display for NoArmMatches {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoArmMatches { pattern, labels } = self;
        write!(out, "no arm is called `{pattern}`; {}", listed(labels))
    }
}

impl std::error::Error for NoArmMatches {}

impl ArmPatterns {
    /// From these patterns; with none, all arms are meant.
    #[must_use]
    pub fn new(patterns: Vec<String>) -> Self {
        ArmPatterns(patterns)
    }

    /// Whether all arms are meant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether each of these arms is meant.
    pub fn chosen<'arm, N: Into<ArmKey<'arm>>>(
        &self,
        arms: impl IntoIterator<Item = N>,
    ) -> Vec<bool> {
        let patterns: Vec<Wanted<'_>> = self.0.iter().map(|word| Wanted::new(word)).collect();
        let chosen = |arm: ArmKey<'_>| patterns.iter().any(|pattern| pattern.means(arm));
        arms.into_iter().map(|arm| self.is_empty() || chosen(arm.into())).collect()
    }

    /// Whether each pattern means at least one of these arms.
    ///
    /// # Errors
    /// The first pattern that means none.
    pub fn check<'arm, N: Into<ArmKey<'arm>>>(
        &self,
        arms: impl IntoIterator<Item = N>,
    ) -> Result<(), NoArmMatches> {
        let arms: Vec<ArmKey<'arm>> = arms.into_iter().map(Into::into).collect();
        let lost = |word: &&String| {
            let wanted = Wanted::new(word);
            !arms.iter().any(|arm| wanted.means(*arm))
        };
        match self.0.iter().find(lost) {
            None => Ok(()),
            Some(pattern) => {
                let labels = by_likeness(&arms, pattern);
                Err(NoArmMatches { pattern: pattern.clone(), labels })
            }
        }
    }
}

/// One pattern.
pub(super) struct Wanted<'a> {
    word: &'a str,
    /// None: it is no pattern, such as `a[`.
    pattern: Option<Pattern>,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(word: &'a str) -> Self {
        Wanted { word, pattern: Pattern::new(word).ok() }
    }

    pub(super) fn means(&self, arm: ArmKey<'_>) -> bool {
        arm.label == self.word
            || arm.operators == self.word
            || arm.id.to_string() == self.word
            || self.pattern.as_ref().is_some_and(|pattern| pattern.matches(arm.label))
    }
}

/// The labels of arms, the most like `word` first (Damerau 1964, doi:10.1145/363958.363994): a
/// whole label, its start, or the name of its operator set.
pub(super) fn by_likeness(arms: &[ArmKey<'_>], word: &str) -> Vec<String> {
    let word = word.replace(['*', '?'], "").to_lowercase();
    let distance = |arm: &&ArmKey<'_>| {
        let label = arm.label.to_lowercase();
        let start: String = label.chars().take(word.chars().count()).collect();
        let names = [label, start, arm.operators.to_lowercase()];
        let distances = names.iter().map(|name| strsim::damerau_levenshtein(&word, name));
        distances.min().unwrap_or(0)
    };
    let mut sorted: Vec<&ArmKey<'_>> = arms.iter().collect();
    sorted.sort_by_cached_key(distance);
    sorted.into_iter().map(|arm| arm.label.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Fingerprint;

    fn arms() -> [ArmKey<'static>; 4] {
        let id = |digit| Fingerprint([digit; 32]).id();
        [("ga n=4", "ga", 1), ("ga n=6", "ga", 2), ("climb n=4", "climb", 3), ("a[", "a[", 4)]
            .map(|(label, operators, digit)| ArmKey { label, id: id(digit), operators })
    }

    fn chosen(patterns: &[&str]) -> Vec<usize> {
        let patterns = ArmPatterns::new(patterns.iter().map(ToString::to_string).collect());
        let chosen = patterns.chosen(arms());
        (0..chosen.len()).filter(|place| chosen[*place]).collect()
    }

    #[test]
    fn arms_are_chosen_by_label_id_set_or_pattern() {
        assert_eq!(chosen(&[]), [0, 1, 2, 3]);
        assert_eq!(chosen(&["ga n=6"]), [1]);
        assert_eq!(chosen(&[&arms()[1].id.to_string()]), [1]);
        assert_eq!(chosen(&["ga"]), [0, 1]);
        assert_eq!(chosen(&["*n=4"]), [0, 2]);
        assert_eq!(chosen(&["ga n=?", "climb*"]), [0, 1, 2]);
        assert_eq!(chosen(&["ga n=[5-9]"]), [1]);
        // What is no pattern is a name all the same.
        assert_eq!(chosen(&["a["]), [3]);
        assert!(chosen(&["n=4"]).is_empty());
    }

    #[test]
    fn a_pattern_that_means_no_arm_is_answered_with_the_labels_nearest_first() {
        let check = |word: &str| ArmPatterns::new(vec!["ga".into(), word.into()]).check(arms());
        assert_eq!(check("climb*"), Ok(()));
        let error = check("clim").expect_err("no arm").to_string();
        let start = "no arm is called `clim`; the arms are `climb n=4`, ";
        assert!(error.starts_with(start), "{error}");
    }
}
