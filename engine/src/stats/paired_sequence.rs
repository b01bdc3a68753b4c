//! Anytime-valid inference for the difference of two paired rates.

use super::Interval;
use libm::{cos, exp, log, log1p, sin, sqrt};
use std::f64::consts::PI;

/// Number of points of the mixture's sum per standard deviation of its integrand. The integrand is
/// as smooth as a normal density, so a finer sum changes the result only by rounding.
const FINENESS: f64 = 3.0;
/// Minimum number of points of the sum.
const LEAST: f64 = 200.0;

/// Returns the evidence against a difference of two paired rates after `pairs` pairs. Only the
/// first succeeded in `first` pairs, only the second in `second` pairs. The evidence is the log
/// wealth of a gambler who starts with 1 and bets against `difference`, pair by pair.
///
/// Let D be the first's success minus the second's (1, 0 or -1). A bet of the share λ multiplies
/// the wealth by 1 + λ (D - difference) at each pair. If `difference` is true, the expected wealth
/// is constant, whatever the dependence within a pair. The bets λ = u / (1 + |difference|) are
/// mixed: (1 + u) / 2 has a beta distribution with both parameters `concentration`/2. At a
/// difference of 0 this is [`evidence_against`](super::evidence_against) a fair coin, based on the
/// discordant pairs.
///
/// If `difference` is true, the evidence ever exceeds log(1/α) with a probability of at most α
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

/// Returns the difference of two paired rates with a confidence sequence: the differences that
/// [`paired_evidence`] does not refute. The interval holds at all numbers of pairs simultaneously
/// with probability `confidence`. `None` if there are no pairs.
///
/// Source: see [`paired_evidence`].
///
/// Limitations: wider than an interval for a number of pairs fixed in advance.
///
/// # Panics
/// Panics if `first + second` exceeds `pairs`.
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
                // Returning the outer end keeps every difference that is not refuted inside the
                // interval.
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

/// Bets of a mixture, with the logarithms of their weights.
struct Mixture {
    bets: Vec<(f64, f64)>,
}

impl Mixture {
    /// Builds the mixture by the trapezoidal rule over u = sin φ. On that scale the integrand has
    /// about the same width everywhere, and vanishes at the ends.
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
        // 0 times the logarithm of 0 counts as 0, because no such pair occurred.
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

    /// Checks every tenth of 1,500 pairs: at most 5 % of the sequences may ever exclude the true
    /// difference. If exactly 5 % do, more than 31 of 300 sequences do with probability 1e-4. This
    /// is the false-alarm rate of each of the three cases.
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
