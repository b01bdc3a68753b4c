//! Paired rates that may be looked at any number of times.

use super::Interval;
use libm::{cos, exp, log, log1p, sin, sqrt};
use std::f64::consts::PI;

/// Points of the mixture's sum per standard deviation of its integrand, which is as smooth as a
/// normal density: beyond that its error is rounding.
const FINENESS: f64 = 3.0;
/// Least points of the sum.
const LEAST: f64 = 200.0;

/// Evidence against a difference of two paired rates, after `pairs` pairs of which the first alone
/// succeeded in `first` and the second alone in `second`: the logarithm of what a gambler's stake
/// of 1 has become who bets, pair by pair, that the difference is not `difference`.
///
/// With D the first's success less the second's (1, 0 or -1), a bet of the share λ multiplies the
/// stake by 1 + λ (D - difference) at each pair, so that it stays the same on average if
/// `difference` is right, whatever the dependence within a pair. The bets λ = u / (1 +
/// |difference|) are mixed, (1 + u) / 2 by a beta distribution of `concentration`/2 and
/// `concentration`/2. At a difference of 0 this is [`evidence_against`](super::evidence_against) a
/// fair coin by the pairs that differ.
///
/// If `difference` is right, the evidence ever exceeds log(1/α) with a probability of at most α
/// (Ville 1939).
///
/// Source: Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by
/// betting", doi:10.1093/jrsssb/qkad009; for mixtures Robbins (1970), doi:10.1214/aoms/1177696786.
#[must_use]
pub fn paired_evidence(
    difference: f64,
    first: u64,
    second: u64,
    pairs: u64,
    concentration: f64,
) -> f64 {
    Mixture::new(pairs, concentration).evidence(
        difference,
        first as f64,
        second as f64,
        (pairs - first - second) as f64,
    )
}

/// The difference of two paired rates with the interval of the differences that [`paired_evidence`]
/// has not refuted: it holds at all numbers of pairs at once with probability `confidence`. None
/// without pairs.
///
/// Source: as for the evidence.
///
/// Weak spots: wider than an interval for a number of pairs fixed beforehand: the price of looking.
///
/// # Panics
/// If more pairs differ than there are.
#[must_use]
pub fn paired_sequence(
    first: u64,
    second: u64,
    pairs: u64,
    confidence: f64,
    concentration: f64,
) -> Option<(f64, Interval)> {
    assert!(
        first + second <= pairs,
        "{first} and {second} of {pairs} pairs differ: there cannot be so many"
    );
    if pairs == 0 {
        return None;
    }
    let (b, c, same) = (first as f64, second as f64, (pairs - first - second) as f64);
    let (mixture, limit) = (Mixture::new(pairs, concentration), -log(1.0 - confidence));
    let estimate = (b - c) / pairs as f64;
    let edge = |mut out: f64| {
        let refuted = |difference: f64| mixture.evidence(difference, b, c, same) >= limit;
        if !refuted(out) {
            return out;
        }
        let mut inside = estimate;
        loop {
            let middle = 0.5 * (out + inside);
            if middle == out || middle == inside || (out - inside).abs() < 1e-13 {
                // The outer end, so that what is not refuted stays within.
                return out;
            }
            if refuted(middle) {
                out = middle;
            } else {
                inside = middle;
            }
        }
    };
    Some((estimate, Interval { low: edge(-1.0), high: edge(1.0) }))
}

/// The bets of a mixture, with the logarithms of their weights.
struct Mixture {
    bets: Vec<(f64, f64)>,
}

impl Mixture {
    /// The trapezoidal rule over u = sin φ, where the integrand is about as wide everywhere and
    /// ends in zeros.
    fn new(pairs: u64, concentration: f64) -> Self {
        let points = (FINENESS * PI * sqrt(pairs as f64 + concentration)).max(LEAST).ceil();
        let step = PI / points;
        let angles = (1..points as usize).map(|place| place as f64 * step - PI / 2.0);
        let weighted: Vec<(f64, f64)> =
            angles.map(|angle| (sin(angle), (concentration - 1.0) * log(cos(angle)))).collect();
        let total = log(weighted.iter().map(|(_, weight)| exp(*weight)).sum());
        Mixture { bets: weighted.into_iter().map(|(u, weight)| (u, weight - total)).collect() }
    }

    fn evidence(&self, difference: f64, first: f64, second: f64, same: f64) -> f64 {
        let scale = 1.0 / (1.0 + difference.abs());
        // 0 times the logarithm of 0 is 0: a stake that could have been lost, and was not.
        let grown =
            |times: f64, gain: f64| if times == 0.0 { 0.0 } else { times * log1p(gain.max(-1.0)) };
        let stakes: Vec<f64> = self
            .bets
            .iter()
            .map(|(u, weight)| {
                let bet = u * scale;
                weight
                    + grown(first, bet * (1.0 - difference))
                    + grown(second, -bet * (1.0 + difference))
                    + grown(same, -bet * difference)
            })
            .collect();
        let greatest = stakes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        greatest + log(stakes.iter().map(|stake| exp(stake - greatest)).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::evidence_against;
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn no_difference_is_a_fair_coin() {
        for (first, second, pairs) in
            [(0, 0, 5), (3, 0, 3), (20, 4, 90), (800, 700, 9_000), (30_000, 29_000, 200_000)]
        {
            let coin = evidence_against(0.5, first, first + second, 10.0);
            let found = paired_evidence(0.0, first, second, pairs, 10.0);
            assert!(
                (found - coin).abs() < 1e-9 * coin.abs().max(1.0),
                "{first} {second}: {found}, not {coin}"
            );
        }
    }

    #[test]
    fn the_stake_stays_the_same_on_average() {
        // All outcomes of 6 pairs, each with its probability.
        for (alone, other) in [(0.3, 0.2), (0.7, 0.05), (0.0, 0.4)] {
            let mut mean = 0.0;
            for first in 0..=6u32 {
                for second in 0..=6 - first {
                    let same = 6 - first - second;
                    let ways =
                        factorial(6) / (factorial(first) * factorial(second) * factorial(same));
                    let chance = f64::powi(alone, first as i32)
                        * f64::powi(other, second as i32)
                        * f64::powi(1.0 - alone - other, same as i32);
                    let evidence =
                        paired_evidence(alone - other, first.into(), second.into(), 6, 10.0);
                    mean += ways * chance * evidence.exp();
                }
            }
            assert!((mean - 1.0).abs() < 1e-10, "{mean}");
        }
    }

    fn factorial(n: u32) -> f64 {
        (1..=n).map(f64::from).product()
    }

    /// Looks at every tenth of 1,500 pairs: at most 5 % of the sequences may ever lose the
    /// difference. Of 300 sequences a true 5 % loses more than 31 with probability 1e-4: the
    /// false-alarm rate of each of the three cases.
    #[test]
    fn sequences_hold_at_all_times_at_once() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2026);
        for (alone, other) in [(0.25, 0.25), (0.4, 0.1), (0.02, 0.0)] {
            let mut lost = 0;
            for _ in 0..300 {
                let (mut first, mut second) = (0, 0);
                lost += u64::from((1..=1_500u64).any(|pairs| {
                    let draw = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                    first += u64::from(draw < alone);
                    second += u64::from(draw >= alone && draw < alone + other);
                    pairs % 10 == 0
                        && paired_evidence(alone - other, first, second, pairs, 10.0)
                            >= -(0.05f64.ln())
                }));
            }
            assert!(lost <= 31, "{lost} of 300 at {alone} and {other}");
        }
    }

    #[test]
    fn the_interval_is_what_is_not_refuted() {
        for (first, second, pairs) in
            [(0, 0, 1), (0, 0, 60), (7, 1, 60), (60, 0, 60), (500, 300, 2_000)]
        {
            let (estimate, interval) =
                paired_sequence(first, second, pairs, 0.9, 10.0).expect("pairs");
            assert!(interval.low <= estimate && estimate <= interval.high);
            for step in -99..=99 {
                let difference = f64::from(step) / 100.0;
                let inside = interval.low <= difference && difference <= interval.high;
                let evidence = paired_evidence(difference, first, second, pairs, 10.0);
                assert_eq!(
                    inside,
                    evidence < -(0.1f64.ln()),
                    "{first} {second} {pairs}: {difference} {interval:?}"
                );
            }
        }
        assert_eq!(paired_sequence(0, 0, 0, 0.9, 10.0), None);
    }
}
