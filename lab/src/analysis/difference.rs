//! Difference of two success rates, calculated by a method that suits the trials.

use crate::analysis::CONFIDENCE;
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::sequential::CONCENTRATION;
use crate::sequential::outcome_list::OutcomeList;
use crate::stats::{
    Interval, Observed, difference_sequence, fisher, mcnemar, paired_difference, paired_evidence,
    paired_sequence, rate_difference,
};
use runner_engine::named;

named! {
    /// Method that compares two success rates, depending on the design of the trials.
    pub enum DifferenceMethod {
        /// Independent arms with fixed numbers of trials: Newcombe's interval, Fisher's exact test.
        Independent = "newcombe",
        /// Paired trials with a fixed number: Tango's interval, McNemar's exact test.
        Paired = "tango",
        /// Independent arms whose outcomes decided the numbers of trials. The interval has the
        /// differences that the combined evidence of both arms does not refute.
        Sequence = "confidence-sequence",
        /// Trial k of one arm paired with trial k of the other, with a number decided by outcomes.
        /// The interval has the differences that bets on the pairs do not refute.
        PairedSequence = "paired-confidence-sequence",
    }
}

impl DifferenceMethod {
    /// Returns the method for two arms of one experiment. If `paired`, trials of equal number form
    /// pairs.
    #[must_use]
    pub fn of(stopping_rule: Option<&StoppingRule>, paired: bool) -> Self {
        match stopping_rule.map(|stopping_rule| &stopping_rule.criterion) {
            None if paired => DifferenceMethod::Paired,
            None => DifferenceMethod::Independent,
            // A decision compares pairs of equal number, and ends both arms together. A race also
            // compares such pairs.
            Some(
                StoppingCriterion::Decision { .. }
                | StoppingCriterion::Best { .. }
                | StoppingCriterion::Cheapest(_),
            ) => DifferenceMethod::PairedSequence,
            // Each arm ends alone.
            Some(StoppingCriterion::Precision { .. } | StoppingCriterion::Successes { .. }) => {
                match paired {
                    true => DifferenceMethod::PairedSequence,
                    false => DifferenceMethod::Sequence,
                }
            }
        }
    }

    /// Returns whether the method compares pairs of trials.
    #[must_use]
    pub fn is_paired(self) -> bool {
        matches!(self, DifferenceMethod::Paired | DifferenceMethod::PairedSequence)
    }

    /// Returns whether the method is valid if outcomes decided the numbers of trials.
    #[must_use]
    pub fn is_anytime(self) -> bool {
        matches!(self, DifferenceMethod::Sequence | DifferenceMethod::PairedSequence)
    }
}

/// Outcomes of two arms, as counts for the comparison of rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Successes and trials of each arm.
    Arms((u64, u64), (u64, u64)),
    /// Pairs of trials.
    Pairs {
        /// Pairs in which only the trial of the first arm succeeded.
        first: u64,
        /// Pairs in which only the trial of the second arm succeeded.
        second: u64,
        /// All pairs.
        all: u64,
    },
}

/// A difference of two rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The first rate minus the second, between -1 and 1.
    pub value: f64,
    /// Interval of the difference, at the level `confidence`.
    pub interval: Interval,
    /// Method of the interval.
    pub method: DifferenceMethod,
    /// Level of the interval.
    pub confidence: f64,
}

/// Returns the first rate minus the second with its interval, and the p-value of equal rates.
/// `stopping_rule` is what ended the trials of each arm; `None` if their number was fixed. `None`
/// without trials.
#[must_use]
pub fn rates_apart(
    counts: Counts,
    stopping_rule: [Option<&StoppingRule>; 2],
) -> Option<(Difference, f64)> {
    rates_apart_at(counts, stopping_rule, confidence(stopping_rule))
}

/// Returns the same values as [`rates_apart`], with an interval of this level.
pub fn rates_apart_at(
    counts: Counts,
    stopping_rule: [Option<&StoppingRule>; 2],
    confidence: f64,
) -> Option<(Difference, f64)> {
    let anytime = stopping_rule.iter().any(Option::is_some);
    let concentration = |place: usize| {
        move |rate: f64| stopping_rule[place].map_or(CONCENTRATION, |one| one.concentration(rate))
    };
    let (method, value, interval, p) = match (counts, anytime) {
        (Counts::Arms(first, second), false) => {
            let (value, interval) = rate_difference(first, second, confidence)?;
            (DifferenceMethod::Independent, value, interval, fisher(first, second))
        }
        (Counts::Pairs { first, second, all }, false) => {
            let (value, interval) = paired_difference(first, second, all, confidence)?;
            (DifferenceMethod::Paired, value, interval, mcnemar(first, second))
        }
        (Counts::Arms(first, second), true) => {
            let (one, other) = (concentration(0), concentration(1));
            let first = Observed { successes: first.0, trials: first.1, concentration: &one };
            let second = Observed { successes: second.0, trials: second.1, concentration: &other };
            let found = difference_sequence(&first, &second, confidence)?;
            (DifferenceMethod::Sequence, found.value, found.interval, found.p)
        }
        (Counts::Pairs { first, second, all }, true) => {
            let (value, interval) = paired_sequence(first, second, all, confidence, CONCENTRATION)?;
            let p = libm::exp(-paired_evidence(0.0, first, second, all, CONCENTRATION)).min(1.0);
            (DifferenceMethod::PairedSequence, value, interval, p)
        }
    };
    Some((Difference { value, interval, method, confidence }, p))
}

/// Returns the level of statements about two arms: the greater one if they differ.
#[must_use]
pub fn confidence(stopping_rule: [Option<&StoppingRule>; 2]) -> f64 {
    stopping_rule
        .into_iter()
        .flatten()
        .map(|one| one.confidence)
        .reduce(f64::max)
        .unwrap_or(CONFIDENCE)
}

/// Counts the pairs of trials of the same number in which both trials are usable.
pub(crate) fn paired_counts(first: &OutcomeList, second: &OutcomeList) -> Counts {
    let [first, second, all] = first.pairs(second);
    Counts::Pairs { first, second, all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_method_follows_from_how_trials_ended() {
        let asking = |criterion| StoppingRule { criterion, confidence: 0.8 };
        let precise = asking(StoppingCriterion::Precision { half_width: 0.05 });
        let decided = asking(StoppingCriterion::Decision { first: 0, second: 1 });
        let counted = asking(StoppingCriterion::Successes { wanted: 7, most: 1_000 });
        let of = |stopping_rule, paired| DifferenceMethod::of(stopping_rule, paired).as_str();
        assert_eq!(
            [of(Some(&counted), false), of(Some(&counted), true)],
            ["confidence-sequence", "paired-confidence-sequence"]
        );
        assert_eq!([of(None, false), of(None, true)], ["newcombe", "tango"]);
        assert_eq!(
            [of(Some(&precise), false), of(Some(&decided), false)],
            ["confidence-sequence", "paired-confidence-sequence"]
        );
        assert!(
            DifferenceMethod::ALL
                .iter()
                .all(|one| DifferenceMethod::parse(one.as_str()) == Some(*one))
        );
        let (difference, p) =
            rates_apart(Counts::Pairs { first: 30, second: 4, all: 80 }, [Some(&decided); 2])
                .expect("pairs");
        assert!(difference.confidence == 0.8 && difference.interval.low > 0.0, "{difference:?}");
        assert!(p < 0.2);
        // One arm whose trials ended by outcomes is enough.
        let arms = Counts::Arms((30, 80), (40, 80));
        assert_eq!(
            rates_apart(arms, [None, Some(&precise)]).expect("trials").0.method,
            DifferenceMethod::Sequence
        );
        assert_eq!(rates_apart(Counts::Arms((0, 0), (1, 2)), [None; 2]), None);
    }

    #[test]
    fn pairs_are_those_in_which_both_count() {
        let first = [Some(true), Some(true), None, Some(false), Some(true)].into_iter().collect();
        let second = [Some(false), Some(true), Some(true), Some(true)].into_iter().collect();
        assert_eq!(paired_counts(&first, &second), Counts::Pairs { first: 1, second: 1, all: 3 });
    }
}
