//! The shift between two samples.

use super::ranks::{EXACT_PAIRS, ranks, u_counts};
use super::{Interval, normal_quantile};

/// How far values of the first sample lie above those of the second: the median of all differences
/// of a value of one and a value of the other, with the interval that the test of Mann and Whitney
/// gives when it is inverted. The interval is exact for at most 400 pairs without ties, otherwise
/// normal; with ties it holds at least as often as `confidence` says. Its ends are infinite where
/// the samples are too small for any test. None if a sample is empty.
///
/// Memory and time grow with the samples' sizes, not with their product.
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
pub fn hodges_lehmann(first: &[f64], second: &[f64], confidence: f64) -> Option<(f64, Interval)> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
    debug_assert!(finite(first) && finite(second), "differences need finite values");
    let differences = Differences::of(first, second);
    let pairs = differences.pairs();
    let middle = [(pairs - 1) / 2, pairs / 2].map(|place| differences.at(place));
    let estimate = if middle[0] == middle[1] { middle[0] } else { 0.5 * (middle[0] + middle[1]) };
    let interval = match cut(first, second, confidence) {
        0 => Interval { low: f64::NEG_INFINITY, high: f64::INFINITY },
        cut => Interval { low: differences.at(cut - 1), high: differences.at(pairs - cut) },
    };
    Some((estimate, interval))
}

/// Differences that the interval leaves out at each end, and 1; 0 where it cannot leave out any.
fn cut(first: &[f64], second: &[f64], confidence: f64) -> u64 {
    let (n, m) = (first.len(), second.len());
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let tail = 0.5 * (1.0 - confidence);
    if n * m <= EXACT_PAIRS && ranks(&all).1 == 0.0 {
        let counts = u_counts(n, m);
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
pub(super) struct Differences {
    /// Both in ascending order.
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Differences {
    pub(super) fn of(first: &[f64], second: &[f64]) -> Self {
        let sorted = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_unstable_by(f64::total_cmp);
            values
        };
        Differences { first: sorted(first), second: sorted(second) }
    }

    fn pairs(&self) -> u64 {
        self.first.len() as u64 * self.second.len() as u64
    }

    /// How many are at most `limit`. Rounding keeps their order, so that one pass finds them.
    pub(super) fn at_most(&self, limit: f64) -> u64 {
        let mut above = 0;
        let mut count = 0;
        for value in &self.first {
            // Values of the second sample that are too small for this one, and for all that follow.
            while self.second.get(above).is_some_and(|other| value - other > limit) {
                above += 1;
            }
            count += (self.second.len() - above) as u64;
        }
        count
    }

    /// The difference at this place, from 0, in ascending order.
    fn at(&self, place: u64) -> f64 {
        let ends = |values: &[f64]| (values[0], values[values.len() - 1]);
        let ((least, greatest), (low, high)) = (ends(&self.first), ends(&self.second));
        search((least - high, greatest - low), |limit| self.at_most(limit) > place)
    }
}

/// The least number between two, both within, that is enough; all above it are, too.
pub(super) fn search((from, to): (f64, f64), enough: impl Fn(f64) -> bool) -> f64 {
    // Over the numbers that f64 has, in their order.
    let (mut from, mut to) = (key(from), key(to));
    while from < to {
        let middle = from + (to - from) / 2;
        if enough(value(middle)) { to = middle } else { from = middle + 1 }
    }
    // Minus zero is the same number as zero.
    value(from) + 0.0
}

/// A number's place among all of f64.
fn key(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn value(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_of_numbers() {
        let numbers = [-1e300, -2.5, -1e-300, 0.0, 1e-300, 0.5, 7.0, 1e300];
        assert!(numbers.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert!(numbers.iter().all(|number| value(key(*number)) == *number));
        assert_eq!(key(-0.0), key(0.0));
    }

    #[test]
    fn small_samples_say_how_little_they_tell() {
        let (shift, interval) = hodges_lehmann(&[3.0], &[1.0], 0.95).expect("samples");
        assert_eq!((shift, interval.low, interval.high), (2.0, f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(hodges_lehmann(&[], &[1.0], 0.95), None);
        // All alike: no doubt about the shift, whatever the number of ties.
        let alike = hodges_lehmann(&[2.0; 60], &[2.0; 60], 0.95).expect("samples");
        assert_eq!(alike, (0.0, Interval { low: 0.0, high: 0.0 }));
    }
}
