//! Pseudomedian of paired differences.

use super::ranks::ranks;
use super::selection::{Counted, Selection, Unwritten};
use super::wilcoxon::{EXACT, chances};
use super::{Frequencies, Interval, normal_quantile};

/// Returns the Hodges-Lehmann estimate of the pseudomedian of paired differences, with its
/// confidence interval. The estimate is the median of the averages of all pairs of differences,
/// including each difference with itself. The interval inverts Wilcoxon's signed-rank test.
///
/// The interval is exact for up to 50 differences without ties. Otherwise it uses the normal
/// approximation. With ties its coverage is at least `confidence`. Its bounds are infinite if the
/// sample is too small for any test. `None` if there are no differences.
///
/// Source: Hodges and Lehmann (1963), "Estimates of location based on rank tests",
/// doi:10.1214/aoms/1177704172; the interval: Hollander, Wolfe and Chicken (2013), "Nonparametric
/// Statistical Methods", section 3.3, doi:10.1002/9781119196037.
///
/// Limitations: equals the median of the differences only if their distribution is symmetric.
///
/// # Panics
/// In debug builds, panics if a difference is not finite.
#[must_use]
pub fn pseudo_median(differences: &[f64], confidence: f64) -> Option<(f64, Interval)> {
    if differences.is_empty() {
        return None;
    }
    debug_assert!(differences.iter().all(|one| one.is_finite()), "averages need finite values");
    let averages = Averages(Frequencies::of(differences.to_vec()));
    let mut sorted = Selection::of(&averages);
    let all = sorted.len();
    let middle = f64::midpoint(sorted.at((all - 1) / 2), sorted.at(all / 2));
    let interval = match cut(differences, confidence) {
        0 => Interval { low: f64::NEG_INFINITY, high: f64::INFINITY },
        cut => Interval { low: sorted.at(cut - 1), high: sorted.at(all - cut) },
    };
    Some((middle, interval))
}

/// Returns the rank of the lower bound among the averages, from 1; 0 if the interval is infinite.
fn cut(differences: &[f64], confidence: f64) -> u64 {
    let tail = 0.5 * (1.0 - confidence);
    let few = || differences.iter().map(|one| one.abs()).collect::<Vec<f64>>();
    if differences.len() <= EXACT
        && let (ranks, 0.0) = ranks(&few())
    {
        let mut sum = 0.0;
        // Probabilities are indexed by doubled rank sums. Without ties, only even indices have
        // positive ones.
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

/// Averages of all pairs of these values, including each value with itself, without a list of them.
struct Averages(Frequencies);

/// One pass counts the averages on one side of a limit, because halving is exact and rounding
/// preserves the order of sums.
impl Unwritten for Averages {
    fn ends(&self) -> (f64, f64) {
        self.0.ends().expect("there are values")
    }

    /// Counts pairs in both orders, so each pair counts twice. A value with itself counts once, so
    /// it is added again before halving.
    fn at_most(&self, limit: f64) -> Counted {
        let values = self.0.groups();
        let (mut enough, mut others) = (values, self.0.len());
        let mut counted = Counted::default();
        for (value, count) in values {
            // Drops values that are too great together with this one, and with all that follow.
            while let Some(((other, theirs), rest)) = enough.split_last()
                && value + other > 2.0 * limit
            {
                (enough, others) = (rest, others - theirs);
            }
            counted.numbers += count * others;
            counted.numbers += if *value <= limit { *count } else { 0 };
            counted.entries += enough.len() as u64;
        }
        counted.numbers /= 2;
        counted
    }

    fn between(&self, from: Option<f64>, to: f64) -> Vec<(f64, u64)> {
        let values = self.0.groups();
        let (mut start, mut end) = (if from.is_none() { 0 } else { values.len() }, values.len());
        let mut listed = Vec::new();
        for (place, (value, count)) in values.iter().enumerate() {
            let passes = |end: usize, limit: f64| {
                end.checked_sub(1).is_some_and(|last| value + values[last].0 > 2.0 * limit)
            };
            while passes(end, to) {
                end -= 1;
            }
            while from.is_some_and(|from| passes(start, from)) {
                start -= 1;
            }
            if (start..end).contains(&place) {
                listed.push((*value, count * (count + 1) / 2));
            }
            let others = values.get(start.max(place + 1)..end).unwrap_or_default();
            listed.extend(others.iter().map(|(other, of)| (0.5 * (value + other), count * of)));
        }
        listed
    }

    fn few(&self) -> usize {
        4 * self.0.groups().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn averages_are_those_of_every_two() {
        let (middle, interval) = pseudo_median(&[1.0, 5.0, -2.0], 0.95).expect("differences");
        // Averages: -2, -0.5, 1, 1.5, 3, 5.
        assert_eq!(middle, 1.25);
        assert_eq!((interval.low, interval.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(pseudo_median(&[], 0.95), None);
        let alike = pseudo_median(&[2.0; 60], 0.95).expect("differences");
        assert_eq!(alike, (2.0, Interval { low: 2.0, high: 2.0 }));
    }

    proptest! {
        #[test]
        fn all_averages_are_gone_through_in_order(
            values in prop::collection::vec(prop_oneof![-2.0f64..2.0, Just(0.5), Just(1e6)], 1..30),
        ) {
            let mut all: Vec<f64> = Vec::new();
            for (place, one) in values.iter().enumerate() {
                all.extend(values[place..].iter().map(|other| f64::midpoint(*one, *other)));
            }
            all.sort_unstable_by(f64::total_cmp);
            let averages = Averages(Frequencies::of(values));
            let mut sorted = Selection::of(&averages);
            prop_assert_eq!(sorted.len(), all.len() as u64);
            for (place, average) in (0..).zip(&all) {
                prop_assert_eq!(sorted.at(place), *average);
            }
        }
    }
}
