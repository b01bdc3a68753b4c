//! The difference of two independent rates whose numbers of trials may have been decided by their
//! outcomes.

use super::{Interval, evidence_against};
use libm::{exp, log};

/// Successes and trials of an arm, and the concentration of its evidence against each rate (as for
/// [`confidence_sequence`](super::confidence_sequence)).
pub struct Observed<'a> {
    /// Trials that succeeded.
    pub successes: u64,
    /// All trials, successes among them.
    pub trials: u64,
    /// From a rate between 0 and 1 to the concentration against it.
    pub concentration: &'a dyn Fn(f64) -> f64,
}

impl Observed<'_> {
    fn rate(&self) -> f64 {
        self.successes as f64 / self.trials as f64
    }

    fn evidence(&self, rate: f64) -> f64 {
        evidence_against(rate, self.successes, self.trials, (self.concentration)(rate))
    }

    /// What lies towards `end` (0 or 1), and what is left of it beyond the observed rate.
    fn side(&self, end: f64) -> Side<'_> {
        let rate = self.rate();
        // Next to 0 and 1, where the evidence may be less than in between; at 0 and 1 themselves it
        // jumps.
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

/// The rates on one side of the observed one.
struct Side<'a> {
    arm: &'a Observed<'a>,
    end: f64,
    /// Evidence next to the end.
    at_end: f64,
    /// The rates with the least evidence on this side and on the other, which may be more lenient.
    lowest: [f64; 2],
    /// The least evidence of all.
    least: f64,
}

impl Side<'_> {
    /// The rate farthest towards the end against which there is at most this evidence.
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

/// How far from 0 and 1 "next to" them is.
const BRINK: f64 = 1e-12;
const HALVINGS: usize = 44;
/// Steps of a golden-section search: it ends within 1e-9 of what it began with.
const STEPS: usize = 44;

/// What may be said of two rates at any time: first minus second, the interval, and the p-value of
/// equal rates. None if either has no trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnytimeDifference {
    /// The first rate minus the second.
    pub value: f64,
    /// Of the difference, at the asked level.
    pub interval: Interval,
    /// Of equal rates, valid at any time.
    pub p: f64,
}

/// The difference of two independent rates, with an interval that holds however the number of
/// trials of each arm followed from that arm's own outcomes, and a p-value likewise.
///
/// The evidence against a pair of rates (p, q) is the sum of the evidence against p from the first
/// arm and against q from the second: the product of two independent non-negative variables of mean
/// at most 1 is such a one. The interval has the differences p - q of all pairs with less evidence
/// than log(1 / (1 - `confidence`)); the p-value is exp(-evidence) for the pair p = q against which
/// there is least (Markov's inequality, so that it is valid at the time at which one stopped). 0
/// lies outside the interval exactly when the p-value is at most 1 - `confidence`.
///
/// Source: e-values and their products: Ramdas, Grünwald, Vovk and Shafer (2023), "Game-theoretic
/// statistics and safe anytime-valid inference", doi:10.1214/23-STS894; two rates: Turner and
/// Grünwald (2023), "Exact anytime-valid confidence intervals for contingency tables and beyond",
/// doi:10.1016/j.spl.2023.109835; the evidence: Howard et al. (2021), doi:10.1214/20-AOS1991.
///
/// Weak spots: wider than Newcombe's interval; the arms must be independent (for pairs there is
/// [`paired_sequence`](super::paired_sequence)).
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
    // Against p = q there is least evidence between the rates against which there is least each, or
    // next to an end.
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

/// The greatest p - q with p on the one side and q on the other, over all ways to share the
/// evidence.
fn farthest(up: &Side<'_>, down: &Side<'_>, limit: f64) -> f64 {
    let gap = |share: f64| up.reach(share) - down.reach(limit - share);
    // A side may jump to its end, once it has the evidence for that: between the jumps there is one
    // peak.
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

/// Where a function with one peak is greatest.
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
        // Of arms alike in size a fifth narrower than two sequences at half the error each.
        let alone = confidence_sequence(400, 929, 0.975, |rate| concentration_for(0.05, rate))
            .expect("trials");
        let both = compared((400, 929), (400, 929), 0.95).interval;
        assert!(both.high - both.low < 0.8 * 2.0 * (alone.high - alone.low), "{both:?} {alone:?}");
    }

    /// A grid of all pairs of rates finds the same ends, to within the grid.
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
