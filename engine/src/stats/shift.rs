//! The shift between two samples.

use super::ranks::{EXACT_PAIRS, rank_sum, u_counts};
use super::selection::{Counted, Selection, Unwritten};
use super::{Frequencies, Interval, normal_quantile};

/// How far values of the first sample lie above those of the second: the median of all differences
/// of a value of one and a value of the other, with the interval that the test of Mann and Whitney
/// gives when it is inverted. The interval is exact for at most 400 pairs without ties, otherwise
/// normal; with ties it holds at least as often as `confidence` says. Its ends are infinite where
/// the samples are too small for any test. None if a sample is empty.
///
/// Memory and time grow with how many different values the samples have, not with the product.
///
/// Source: Hodges and Lehmann (1963), "Estimates of location based on rank tests",
/// doi:10.1214/aoms/1177704172; Bauer (1972), "Constructing confidence sets using rank statistics",
/// doi:10.1080/01621459.1972.10481279.
///
/// Weak spots: it is a shift where the two distributions have one shape; otherwise it is still the
/// median of differences, and the interval that of it where the spreads are alike.
///
/// # Panics
/// In debug builds, if a value is not finite.
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

/// Differences that the interval leaves out at each end, and 1; 0 where it cannot leave out any.
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

/// All differences of two samples, none of them written down.
struct Differences<'a> {
    first: &'a Frequencies,
    second: &'a Frequencies,
    ends: (f64, f64),
}

impl<'a> Differences<'a> {
    /// None if a sample is empty.
    fn of(first: &'a Frequencies, second: &'a Frequencies) -> Option<Self> {
        let ((least, greatest), (low, high)) = (first.ends()?, second.ends()?);
        Some(Differences { first, second, ends: (least - high, greatest - low) })
    }
}

/// Rounding keeps the order of differences, so that one pass finds those on one side of a limit.
impl Unwritten for Differences<'_> {
    fn ends(&self) -> (f64, f64) {
        self.ends
    }

    fn at_most(&self, limit: f64) -> Counted {
        let mut counted = Counted::default();
        let (mut enough, mut left) = (self.second.groups(), self.second.len());
        for (value, count) in self.first.groups() {
            // Values of the second sample that are too small for this one, and for all that follow.
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
        // All alike: no doubt about the shift, whatever the number of ties.
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
