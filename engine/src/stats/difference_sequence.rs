//! Difference of two independent rates, valid if the outcomes decided the numbers of trials.

use super::{Interval, evidence_against};
use libm::{exp, log};

/// Successes and trials of an arm, and the concentration of its evidence against each rate (as for
/// [`confidence_sequence`](super::confidence_sequence)).
pub struct Observed<'a> {
    /// Number of successful trials.
    pub successes: u64,
    /// Number of all trials, including successes.
    pub trials: u64,
    /// Concentration of the evidence against a rate between 0 and 1.
    pub concentration: &'a dyn Fn(f64) -> f64,
}

impl Observed<'_> {
    fn rate(&self) -> f64 {
        self.successes as f64 / self.trials as f64
    }

    fn evidence(&self, rate: f64) -> f64 {
        evidence_against(rate, self.successes, self.trials, (self.concentration)(rate))
    }

    /// Returns the side of the observed rate towards `end` (0 or 1), with the rates of least
    /// evidence.
    fn side(&self, end: f64) -> Side<'_> {
        let rate = self.rate();
        // Rate just inside 0 or 1. The evidence there may be lower than in between. At 0 and 1
        // themselves it jumps.
        let brink = |end: f64| end + (0.5 - end) * BRINK;
        let lowest_of = |other: f64| {
            let found = golden(rate.min(other), rate.max(other), |rate| -self.evidence(rate));
            [rate, found, brink(other)]
                .into_iter()
                .min_by(|a, b| self.evidence(*a).total_cmp(&self.evidence(*b)))
        };
        let at_end = self.evidence(end).min(self.evidence(brink(end)));
        let lowest = [lowest_of(end), lowest_of(1.0 - end)].map(|found| found.unwrap_or(rate));
        let least = lowest.map(|rate| self.evidence(rate)).into_iter().fold(at_end, f64::min);
        Side { arm: self, end, at_end, lowest, least }
    }
}

/// Rates on one side of the observed rate.
struct Side<'a> {
    arm: &'a Observed<'a>,
    end: f64,
    /// Evidence next to the end.
    at_end: f64,
    /// Rates with the least evidence on this side and on the other one, which may have less
    /// evidence.
    lowest: [f64; 2],
    /// Least evidence against any rate.
    least: f64,
}

impl Side<'_> {
    /// Returns the rate farthest towards the end with at most this evidence against it.
    fn reach(&self, evidence: f64) -> f64 {
        if self.at_end <= evidence {
            return self.end;
        }
        let [own, other] = self.lowest;
        let (mut inside, mut out) = if self.arm.evidence(own) <= evidence {
            (own, self.end)
        } else {
            (other, self.arm.rate())
        };
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + out);
            if self.arm.evidence(middle) <= evidence {
                inside = middle;
            } else {
                out = middle;
            }
        }
        out
    }
}

/// Distance from 0 and 1 of the rates just inside them.
const BRINK: f64 = 1e-12;
const HALVINGS: usize = 44;
/// Steps of a golden-section search: the final bracket is within 1e-9 of the initial width.
const STEPS: usize = 44;

/// Difference of two rates, its interval and the p-value of equal rates, valid at any time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnytimeDifference {
    /// First rate minus the second.
    pub value: f64,
    /// Confidence interval of the difference, at the requested level.
    pub interval: Interval,
    /// p-value of equal rates, valid at any time.
    pub p: f64,
}

/// Returns the difference of two independent rates with an anytime-valid interval and p-value. Both
/// hold even if an arm's outcomes decided its number of trials. `None` if either arm has no trials.
///
/// The evidence against a pair of rates (p, q) is the sum of two terms: the evidence against p from
/// the first arm and against q from the second. The product of two independent non-negative
/// variables of mean at most 1 is again non-negative with mean at most 1.
///
/// The interval contains the differences p - q of all pairs with evidence below log(1 / (1 -
/// `confidence`)). The p-value is exp(-evidence), for the pair p = q with the least evidence. It is
/// valid at the stopping time by Markov's inequality. The interval excludes 0 exactly if the
/// p-value is at most 1 - `confidence`.
///
/// Source: e-values and their products: Ramdas, Grünwald, Vovk and Shafer (2023), "Game-theoretic
/// statistics and safe anytime-valid inference", doi:10.1214/23-STS894; two rates: Turner and
/// Grünwald (2023), "Exact anytime-valid confidence intervals for contingency tables and beyond",
/// doi:10.1016/j.spl.2023.109835; the evidence: Howard et al. (2021), doi:10.1214/20-AOS1991.
///
/// Limitations: wider than Newcombe's interval. The arms must be independent; for pairs, use
/// [`paired_sequence`](super::paired_sequence).
#[must_use]
pub fn difference_sequence(
    first: &Observed<'_>,
    second: &Observed<'_>,
    confidence: f64,
) -> Option<AnytimeDifference> {
    if first.trials == 0 || second.trials == 0 {
        return None;
    }
    let limit = -log(1.0 - confidence);
    let (up, down) = ([first.side(1.0), second.side(1.0)], [first.side(0.0), second.side(0.0)]);
    let high = farthest(&up[0], &down[1], limit);
    let low = -farthest(&up[1], &down[0], limit);
    let value = first.rate() - second.rate();
    // The pair p = q with the least evidence lies between the two rates of least evidence of each
    // arm, or next to 0 or 1.
    let lowest = |arm: usize| {
        let [below, above] = down[arm].lowest;
        if [&first, &second][arm].evidence(below) < [&first, &second][arm].evidence(above) {
            below
        } else {
            above
        }
    };
    let (a, b) = (lowest(0).min(lowest(1)), lowest(0).max(lowest(1)));
    let together = |rate: f64| first.evidence(rate) + second.evidence(rate);
    let least =
        [golden(a, b, |rate| -together(rate)), a, b, 0.0, 1.0, 0.5 * BRINK, 1.0 - 0.5 * BRINK]
            .map(together)
            .into_iter()
            .fold(f64::INFINITY, f64::min);
    Some(AnytimeDifference { value, interval: Interval { low, high }, p: exp(-least).min(1.0) })
}

/// Returns the greatest p - q with p on one side and q on the other, over all divisions of the
/// evidence.
fn farthest(up: &Side<'_>, down: &Side<'_>, limit: f64) -> f64 {
    let gap = |share: f64| up.reach(share) - down.reach(limit - share);
    // The reach of a side jumps to its end if the evidence suffices. Between the jumps there is a
    // single peak.
    let (least, most) = (up.least, limit - down.least);
    let mut shares = vec![least, most];
    let own = |side: &Side<'_>| side.arm.evidence(side.lowest[0]);
    let jumps = [up.at_end, own(up), limit - down.at_end, limit - own(down)];
    shares.extend(jumps.into_iter().filter(|share| (least..=most).contains(share)));
    shares.sort_by(f64::total_cmp);
    let peaks = shares.windows(2).map(|pair| gap(golden(pair[0], pair[1], gap)));
    peaks
        .chain(shares.iter().map(|share| gap(*share)))
        .fold(up.arm.rate() - down.arm.rate(), f64::max)
}

/// Returns the maximum point of a function with a single peak, by golden-section search.
fn golden(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    let ratio = 0.5 * (5.0f64.sqrt() - 1.0);
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_left, mut at_right) = (value(left), value(right));
    for _ in 0..STEPS {
        if at_left >= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - ratio * (high - low);
            at_left = value(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + ratio * (high - low);
            at_right = value(right);
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{concentration_for, confidence_sequence};

    fn compared(first: (u64, u64), second: (u64, u64), confidence: f64) -> AnytimeDifference {
        let concentration = |rate: f64| concentration_for(0.05, rate);
        let of =
            |(successes, trials)| Observed { successes, trials, concentration: &concentration };
        difference_sequence(&of(first), &of(second), confidence).expect("trials")
    }

    #[test]
    fn the_interval_agrees_with_the_p_value() {
        let counts = [(0, 50), (25, 50), (400, 929), (40, 376), (1, 81)];
        for first in counts {
            for second in counts {
                let found = compared(first, second, 0.95);
                let AnytimeDifference { value, interval, p } = found;
                assert!(
                    interval.low <= value && value <= interval.high,
                    "{first:?} {second:?} {found:?}"
                );
                assert_eq!(
                    p <= 0.05,
                    interval.low > 0.0 || interval.high < 0.0,
                    "{first:?} {second:?} {found:?}"
                );
            }
        }
        let (one, mirrored) =
            (compared((40, 376), (25, 50), 0.8), compared((25, 50), (40, 376), 0.8));
        assert!(
            (mirrored.interval.low + one.interval.high).abs() < 1e-6
                && (mirrored.p - one.p).abs() < 1e-9
        );
        assert_eq!(compared((0, 50), (0, 50), 0.95).p, 1.0);
        // For arms of equal size, at least a fifth narrower than two sequences at half the error
        // each.
        let alone = confidence_sequence(400, 929, 0.975, |rate| concentration_for(0.05, rate))
            .expect("trials");
        let both = compared((400, 929), (400, 929), 0.95).interval;
        assert!(both.high - both.low < 0.8 * 2.0 * (alone.high - alone.low), "{both:?} {alone:?}");
    }

    /// Compares the bounds with those of a grid of all pairs of rates, within the grid's
    /// resolution.
    #[test]
    fn no_pair_of_rates_with_little_evidence_is_outside() {
        let concentration = |rate: f64| concentration_for(0.1, rate);
        let rates: Vec<f64> = (0..=400).map(|place| f64::from(place) / 400.0).collect();
        for (first, second) in [((12, 60), (30, 70)), ((0, 50), (9, 60)), ((50, 50), (49, 90))] {
            let of =
                |(successes, trials)| Observed { successes, trials, concentration: &concentration };
            let (one, other) = (of(first), of(second));
            let found = difference_sequence(&one, &other, 0.9).expect("trials");
            let against = |arm: &Observed<'_>| {
                rates.iter().map(|rate| arm.evidence(*rate)).collect::<Vec<f64>>()
            };
            let (of_one, of_other) = (against(&one), against(&other));
            let (mut low, mut high) = (1.0f64, -1.0f64);
            for (p, evidence) in rates.iter().zip(&of_one) {
                for (q, more) in rates.iter().zip(&of_other) {
                    if evidence + more < -(0.1f64.ln()) {
                        (low, high) = (low.min(p - q), high.max(p - q));
                    }
                }
            }
            assert!(
                found.interval.low <= low && low - found.interval.low < 0.01,
                "{found:?} {low}"
            );
            assert!(
                found.interval.high >= high && found.interval.high - high < 0.01,
                "{found:?} {high}"
            );
        }
    }
}
