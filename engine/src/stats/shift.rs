//! Location shift between two samples.

use super::ranks::{EXACT_PAIRS, rank_sum, u_counts};
use super::selection::{Counted, Selection, Unwritten};
use super::{Frequencies, Interval, normal_quantile};

/// Returns the Hodges-Lehmann estimate of the shift of the first sample relative to the second,
/// with its confidence interval. The estimate is the median of all differences between a value of
/// the first sample and a value of the second. The interval inverts the Mann-Whitney test.
///
/// The interval is exact for at most 400 pairs without ties. Otherwise it uses the normal
/// approximation. With ties its coverage is at least `confidence`. Its bounds are infinite if the
/// samples are too small for any test. `None` if a sample is empty.
///
/// Memory and time grow with the number of distinct values of the samples, not with their product.
///
/// Source: Hodges and Lehmann (1963), "Estimates of location based on rank tests",
/// doi:10.1214/aoms/1177704172; Bauer (1972), "Constructing confidence sets using rank statistics",
/// doi:10.1080/01621459.1972.10481279.
///
/// Limitations: a shift only if both distributions have the same shape. Otherwise the estimate is
/// still the median of the differences. The interval then covers that median if the spreads are
/// equal.
///
/// # Panics
/// In debug builds, panics if a value is not finite.
#[must_use]
pub fn hodges_lehmann(
    first: &Frequencies,
    second: &Frequencies,
    confidence: f64,
) -> Option<(f64, Interval)> {
    let differences = Differences::of(first, second)?;
    let (least, greatest) = differences.ends();
    debug_assert!(least.is_finite() && greatest.is_finite(), "differences need finite values");
    let mut sorted = Selection::of(&differences);
    let pairs = sorted.len();
    let middle = [(pairs - 1) / 2, pairs / 2].map(|place| sorted.at(place));
    let estimate = if middle[0] == middle[1] { middle[0] } else { 0.5 * (middle[0] + middle[1]) };
    let interval = match cut(first, second, confidence) {
        0 => Interval { low: f64::NEG_INFINITY, high: f64::INFINITY },
        cut => Interval { low: sorted.at(cut - 1), high: sorted.at(pairs - cut) },
    };
    Some((estimate, interval))
}

/// Returns the rank of the lower bound among the differences, from 1; 0 if the interval is
/// infinite.
fn cut(first: &Frequencies, second: &Frequencies, confidence: f64) -> u64 {
    let (n, m) = (first.len(), second.len());
    let tail = 0.5 * (1.0 - confidence);
    if n * m <= EXACT_PAIRS && rank_sum(first, second).ties == 0.0 {
        let counts = u_counts(n as usize, m as usize);
        let limit = tail * counts.iter().sum::<f64>();
        let mut sum = 0.0;
        let beyond = counts.iter().position(|count| {
            sum += count;
            sum > limit
        });
        return beyond.unwrap_or(0) as u64;
    }
    let (n, m) = (n as f64, m as f64);
    let deviation = (n * m * (n + m + 1.0) / 12.0).sqrt();
    (n * m / 2.0 + 0.5 + normal_quantile(tail) * deviation).max(0.0) as u64
}

/// All differences of two samples, without a list of them.
struct Differences<'a> {
    first: &'a Frequencies,
    second: &'a Frequencies,
    ends: (f64, f64),
}

impl<'a> Differences<'a> {
    /// Creates the set of differences. `None` if a sample is empty.
    fn of(first: &'a Frequencies, second: &'a Frequencies) -> Option<Self> {
        let ((least, greatest), (low, high)) = (first.ends()?, second.ends()?);
        Some(Differences { first, second, ends: (least - high, greatest - low) })
    }
}

/// One pass counts the differences on one side of a limit, because rounding preserves their order.
impl Unwritten for Differences<'_> {
    fn ends(&self) -> (f64, f64) {
        self.ends
    }

    fn at_most(&self, limit: f64) -> Counted {
        let mut counted = Counted::default();
        let (mut enough, mut left) = (self.second.groups(), self.second.len());
        for (value, count) in self.first.groups() {
            // Drops values of the second sample that are too small for this value, and for all that
            // follow.
            while let Some(((other, others), rest)) = enough.split_first()
                && value - other > limit
            {
                (enough, left) = (rest, left - others);
            }
            counted.numbers += count * left;
            counted.entries += enough.len() as u64;
        }
        counted
    }

    fn between(&self, from: Option<f64>, to: f64) -> Vec<(f64, u64)> {
        let others = self.second.groups();
        let (mut start, mut end) = (0, if from.is_none() { others.len() } else { 0 });
        let mut listed = Vec::new();
        for (value, count) in self.first.groups() {
            let passes = |place: usize, limit: f64| {
                others.get(place).is_some_and(|(other, _)| value - other > limit)
            };
            while passes(start, to) {
                start += 1;
            }
            while from.is_some_and(|from| passes(end, from)) {
                end += 1;
            }
            listed.extend(
                others[start..end].iter().map(|(other, others)| (value - other, count * others)),
            );
        }
        listed
    }

    fn few(&self) -> usize {
        4 * (self.first.groups().len() + self.second.groups().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shift(first: &[f64], second: &[f64]) -> Option<(f64, Interval)> {
        let of = |values: &[f64]| Frequencies::of(values.to_vec());
        hodges_lehmann(&of(first), &of(second), 0.95)
    }

    #[test]
    fn small_samples_say_how_little_they_tell() {
        let (value, interval) = shift(&[3.0], &[1.0]).expect("samples");
        assert_eq!((value, interval.low, interval.high), (2.0, f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(shift(&[], &[1.0]), None);
        // If all values are equal, the shift is certain despite the ties.
        let alike = shift(&[2.0; 60], &[2.0; 60]).expect("samples");
        assert_eq!(alike, (0.0, Interval { low: 0.0, high: 0.0 }));
    }

    proptest! {
        #[test]
        fn all_differences_are_gone_through_in_order(
            first in prop::collection::vec(prop_oneof![-2.0f64..2.0, Just(0.5), Just(1e6)], 1..30),
            second in prop::collection::vec(prop_oneof![-2.0f64..2.0, Just(0.5), Just(1e6)], 1..30),
        ) {
            let mut all: Vec<f64> = Vec::new();
            first.iter().for_each(|one| all.extend(second.iter().map(|other| one - other)));
            all.sort_unstable_by(f64::total_cmp);
            let (first, second) = (Frequencies::of(first), Frequencies::of(second));
            let differences = Differences::of(&first, &second).expect("samples");
            let mut sorted = Selection::of(&differences);
            prop_assert_eq!(sorted.len(), all.len() as u64);
            for (place, difference) in (0..).zip(&all) {
                prop_assert_eq!(sorted.at(place), *difference);
            }
        }
    }
}
