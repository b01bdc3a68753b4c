//! The middle of paired differences.

use super::ranks::ranks;
use super::shift::{Differences, search};
use super::wilcoxon::{EXACT, chances};
use super::{Interval, normal_quantile};

/// About where paired differences lie: the median of the averages of every two of them (each also
/// with itself), with the interval that Wilcoxon's test by signed ranks gives when it is inverted.
/// The interval is exact for up to 50 differences without ties, otherwise normal; with ties it
/// holds at least as often as `confidence` says. Its ends are infinite where the sample is too
/// small for any test. None without differences.
///
/// Source: Hodges and Lehmann (1963), "Estimates of location based on rank tests",
/// doi:10.1214/aoms/1177704172; the interval: Hollander, Wolfe and Chicken (2013), "Nonparametric
/// Statistical Methods", section 3.3, doi:10.1002/9781119196037.
///
/// Weak spots: the median of the differences only where they spread alike to both sides.
///
/// # Panics
/// In debug builds, if a difference is not finite.
#[must_use]
pub fn pseudo_median(differences: &[f64], confidence: f64) -> Option<(f64, Interval)> {
    if differences.is_empty() {
        return None;
    }
    debug_assert!(differences.iter().all(|one| one.is_finite()), "averages need finite values");
    let averages = Averages::of(differences);
    let all = averages.number();
    let middle = f64::midpoint(averages.at((all - 1) / 2), averages.at(all / 2));
    let interval = match cut(differences, confidence) {
        0 => Interval { low: f64::NEG_INFINITY, high: f64::INFINITY },
        cut => Interval { low: averages.at(cut - 1), high: averages.at(all - cut) },
    };
    Some((middle, interval))
}

/// Averages that the interval leaves out at each end, and 1; 0 where it cannot leave out any.
fn cut(differences: &[f64], confidence: f64) -> u64 {
    let tail = 0.5 * (1.0 - confidence);
    let sizes: Vec<f64> = differences.iter().map(|one| one.abs()).collect();
    let (ranks, ties) = ranks(&sizes);
    if differences.len() <= EXACT && ties == 0.0 {
        let mut sum = 0.0;
        // The chances are those of the sum of ranks, doubled: every second one is 0.
        let beyond = chances(&ranks).iter().step_by(2).position(|chance| {
            sum += chance;
            sum > tail
        });
        return beyond.unwrap_or(0) as u64;
    }
    let n = differences.len() as f64;
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    (n * (n + 1.0) / 4.0 + 0.5 + normal_quantile(tail) * deviation).max(0.0) as u64
}

/// The averages of every two values, none of them written down.
struct Averages {
    /// Ascending.
    values: Vec<f64>,
    /// Sums of every two, as differences from the opposite numbers.
    sums: Differences,
}

impl Averages {
    fn of(values: &[f64]) -> Self {
        let opposite: Vec<f64> = values.iter().map(|value| -value).collect();
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Averages { sums: Differences::of(values, &opposite), values: sorted }
    }

    fn number(&self) -> u64 {
        let n = self.values.len() as u64;
        n * (n + 1) / 2
    }

    /// How many are at most `limit`: the sums have each pair twice, and each value with itself
    /// once.
    fn at_most(&self, limit: f64) -> u64 {
        let alone = self.values.partition_point(|value| *value <= limit) as u64;
        (self.sums.at_most(2.0 * limit) + alone) / 2
    }

    /// The average at this place, from 0, in ascending order.
    fn at(&self, place: u64) -> f64 {
        let ends = (self.values[0], self.values[self.values.len() - 1]);
        search(ends, |limit| self.at_most(limit) > place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_those_of_every_two() {
        let (middle, interval) = pseudo_median(&[1.0, 5.0, -2.0], 0.95).expect("differences");
        // -2, -0.5, 1, 1.5, 3, 5.
        assert_eq!(middle, 1.25);
        assert_eq!((interval.low, interval.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(pseudo_median(&[], 0.95), None);
        let alike = pseudo_median(&[2.0; 60], 0.95).expect("differences");
        assert_eq!(alike, (2.0, Interval { low: 2.0, high: 2.0 }));
    }
}
