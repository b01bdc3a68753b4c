//! Selection of arms by the user.

use super::arm_key::{ArmKey, listed};
use glob::Pattern;
use std::fmt;

/// Patterns that select arms. A pattern is an arm's label or ID, the name of an operator set, or a
/// glob pattern. Glob patterns match labels with `*`, `?` and `[…]`. Without patterns, all arms are
/// selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArmPatterns(Vec<String>);

/// Error: a pattern matches no arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoArmMatches {
    pub pattern: String,
    /// Labels of all arms, the most similar first.
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
    /// Creates a selection from these patterns; without patterns, all arms are selected.
    #[must_use]
    pub fn new(patterns: Vec<String>) -> Self {
        ArmPatterns(patterns)
    }

    /// Returns whether there are no patterns, so that all arms are selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns for each of these arms whether it is selected.
    pub fn chosen<'arm, N: Into<ArmKey<'arm>>>(
        &self,
        arms: impl IntoIterator<Item = N>,
    ) -> Vec<bool> {
        let patterns: Vec<Wanted<'_>> = self.0.iter().map(|word| Wanted::new(word)).collect();
        let chosen = |arm: ArmKey<'_>| patterns.iter().any(|pattern| pattern.means(arm));
        arms.into_iter().map(|arm| self.is_empty() || chosen(arm.into())).collect()
    }

    /// Checks that each pattern matches at least one of these arms.
    ///
    /// # Errors
    /// Returns an error for the first pattern that matches no arm.
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

/// Word of the user, with its compiled pattern.
pub(super) struct Wanted<'a> {
    word: &'a str,
    /// Compiled glob pattern; `None` if the word is not a valid one, such as `a[`.
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

/// Returns the labels of arms, the most similar to `word` first (Damerau 1964,
/// doi:10.1145/363958.363994). The distance is the least of those to the whole label, its start,
/// and the operator set's name.
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
        // A word that is not a valid pattern still matches as a name.
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
