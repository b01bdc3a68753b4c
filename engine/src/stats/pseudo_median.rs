//! The middle of paired differences.

use super::ranks::ranks;
use super::selection::{Counted, Selection, Unwritten};
use super::wilcoxon::{EXACT, chances};
use super::{Frequencies, Interval, normal_quantile};

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

/// Averages that the interval leaves out at each end, and 1; 0 where it cannot leave out any.
fn cut(differences: &[f64], confidence: f64) -> u64 {
    let tail = 0.5 * (1.0 - confidence);
    let few = || differences.iter().map(|one| one.abs()).collect::<Vec<f64>>();
    if differences.len() <= EXACT
        && let (ranks, 0.0) = ranks(&few())
    {
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

/// The averages of every two of these values, each also with itself, none of them written down.
struct Averages(Frequencies);

/// Halving is exact and rounding keeps the order of sums, so that one pass finds those on one side
/// of a limit.
impl Unwritten for Averages {
    fn ends(&self) -> (f64, f64) {
        self.0.ends().expect("there are values")
    }

    /// Of all pairs in both orders, so that each is found twice, and a value with itself once.
    fn at_most(&self, limit: f64) -> Counted {
        let values = self.0.groups();
        let (mut enough, mut others) = (values, self.0.len());
        let mut counted = Counted::default();
        for (value, count) in values {
            // Too great beside this one, and beside all that follow.
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
        // -2, -0.5, 1, 1.5, 3, 5.
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
