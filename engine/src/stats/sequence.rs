//! Confidence sequences: intervals that hold at every number of trials simultaneously. They allow
//! any number of looks and stopping at any time.

use super::Interval;
use libm::{exp, lgamma, log, log1p};

/// Returns the evidence against a probability of success: the log likelihood ratio of the outcomes
/// under a beta mixture around `rate`, relative to `rate` itself. `concentration` is the number of
/// imagined trials of the beta distribution. The evidence grows fastest with about eight times as
/// many real trials. It is infinite if the outcomes are impossible under `rate`.
///
/// If `rate` is true, the evidence ever exceeds log(1/α) with a probability of at most α (Ville
/// 1939), because a mixture of likelihood ratios is a martingale.
///
/// Source: Robbins (1970), "Statistical methods related to the law of the iterated logarithm",
/// doi:10.1214/aoms/1177696786; Howard, Ramdas, McAuliffe and Sekhon (2021), "Time-uniform,
/// nonparametric, nonasymptotic confidence sequences", section 3.5 (beta-binomial),
/// doi:10.1214/20-AOS1991.
#[must_use]
pub fn evidence_against(rate: f64, successes: u64, trials: u64, concentration: f64) -> f64 {
    let (hits, misses) = (successes as f64, (trials - successes) as f64);
    if (rate <= 0.0 && successes > 0) || (rate >= 1.0 && successes < trials) {
        return f64::INFINITY;
    }
    if rate <= 0.0 || rate >= 1.0 {
        return 0.0;
    }
    let (a, b) = (concentration * rate, concentration * (1.0 - rate));
    let log_beta = |a: f64, b: f64| lgamma(a) + lgamma(b) - lgamma(a + b);
    log_beta(a + hits, b + misses) - log_beta(a, b) - hits * log(rate) - misses * log1p(-rate)
}

/// Returns the evidence that heads are more likely than tails, or a lower bound of it. The evidence
/// is the log likelihood ratio of the outcomes under a mixture, relative to a fair coin. The
/// mixture is the upper half of a beta distribution around one half, with `half` imagined tosses on
/// either side. If there are no more heads than tails, the result is negative infinity, and nothing
/// is claimed.
///
/// If heads are at most as likely as tails, the evidence ever exceeds log(1/α) with a probability
/// of at most α (Ville 1939). In that case each likelihood ratio of a rate above one half is a
/// supermartingale, and so is their mixture. The evidence grows with every head and falls with
/// every tail.
///
/// The mixture over the upper half equals the whole mixture times 2 P(B > 1/2). B has the beta
/// distribution updated by the outcomes. P(B > 1/2) equals a binomial tail probability of a fair
/// coin, which Hoeffding's inequality bounds from below. It is at least one half.
///
/// Source: see [`evidence_against`]; Hoeffding (1963), doi:10.1080/01621459.1963.10500830.
#[must_use]
pub fn evidence_of_more(heads: u64, tails: u64, half: u64) -> f64 {
    if heads <= tails {
        return f64::NEG_INFINITY;
    }
    let ahead = (heads - tails + 1) as f64;
    let tosses = (heads + tails + 2 * half - 1) as f64;
    let upper = (1.0 - exp(-ahead * ahead / (2.0 * tosses))).max(0.5);
    let whole = evidence_against(0.5, heads, heads + tails, (2 * half) as f64);
    whole + log(2.0 * upper)
}

/// Returns the confidence sequence of a rate: the rates that [`evidence_against`] does not refute.
/// The interval holds at all numbers of trials simultaneously with probability `confidence`.
/// `concentration` may depend on the rate, because each rate is tested separately. `None` if there
/// are no trials.
///
/// Source: see [`evidence_against`]; for means in general and with bets instead of the mixture:
/// Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting",
/// doi:10.1093/jrsssb/qkad009.
///
/// Limitations: wider than an interval for a number of trials fixed in advance, by about a half at
/// its narrowest.
#[must_use]
pub fn confidence_sequence(
    successes: u64,
    trials: u64,
    confidence: f64,
    concentration: impl Fn(f64) -> f64,
) -> Option<Interval> {
    if trials == 0 {
        return None;
    }
    let limit = -log(1.0 - confidence);
    let seen = successes as f64 / trials as f64;
    let refuted =
        |rate: f64| evidence_against(rate, successes, trials, concentration(rate)) >= limit;
    // Bisects between a refuted rate and one that is not refuted. If no rate but the end itself is
    // refuted, the interval reaches to the end.
    let edge = |end: f64, mut inside: f64| {
        let mut out = end;
        if !refuted(out) {
            return out;
        }
        loop {
            let middle = 0.5 * (out + inside);
            if middle == out || middle == inside {
                return if out == end { end } else { inside };
            }
            if refuted(middle) {
                out = middle;
            } else {
                inside = middle;
            }
        }
    };
    Some(Interval { low: edge(0.0, seen), high: edge(1.0, seen) })
}

/// Returns the concentration whose sequence is narrowest when its half width around `rate` is
/// `half_width`. It is the number of trials for that width, divided by 8.2.
///
/// The normal mixture's width at n trials, sqrt(p(1-p) (n + m) log((n + m) / (m α²))) / n, is least
/// for n = 8.2 m at α = 0.05 (Howard et al. 2021, section 3.5). It is then sqrt(9.2 p(1-p) / n).
#[must_use]
pub fn concentration_for(half_width: f64, rate: f64) -> f64 {
    (9.2 / 8.2 * rate * (1.0 - rate) / (half_width * half_width)).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn an_interval_that_no_rate_but_zero_limits_reaches_to_zero() {
        // A mixture that is narrow at small rates refutes none of them by one success.
        let interval =
            confidence_sequence(1, 50, 0.95, |rate| 1.0 + 1.0 / (1.0 - rate)).expect("trials");
        assert_eq!(interval.low, 0.0);
        let wide = confidence_sequence(25, 50, 0.95, |_| 2.0).expect("trials");
        assert!(wide.low > 0.1 && wide.high < 0.9);
    }

    #[test]
    fn evidence_is_a_mixture_of_likelihood_ratios() {
        // A uniform prior on 0.5: B(s + 1, f + 1) / 0.5^n, here 1! 1! / 3! / 0.25.
        assert!((evidence_against(0.5, 1, 2, 2.0) - (1.0f64 / 6.0 / 0.25).ln()).abs() < 1e-12);
        assert_eq!(evidence_against(0.0, 1, 2, 2.0), f64::INFINITY);
        assert_eq!(evidence_against(1.0, 1, 2, 2.0), f64::INFINITY);
        // The likelihood ratio has mean 1 if the rate is true: sums over all outcomes of 12 trials.
        for (rate, concentration) in [(0.5, 10.0), (0.1, 3.0), (0.97, 200.0)] {
            let mean: f64 = (0..=12u64)
                .map(|hits| {
                    let ways =
                        (0..hits).fold(1.0, |ways, k| ways * (12 - k) as f64 / (k + 1) as f64);
                    let chance =
                        f64::powi(rate, hits as i32) * f64::powi(1.0 - rate, 12 - hits as i32);
                    ways * chance * evidence_against(rate, hits, 12, concentration).exp()
                })
                .sum();
            assert!((mean - 1.0).abs() < 1e-10, "{mean}");
        }
    }

    #[test]
    fn the_interval_is_what_is_not_refuted() {
        for (successes, trials) in
            [(0, 1), (0, 60), (3, 60), (30, 60), (60, 60), (5_000, 9_000), (2, 100_000)]
        {
            let concentration = |rate: f64| concentration_for(0.02, rate);
            let interval = confidence_sequence(successes, trials, 0.95, concentration)
                .expect("there are trials");
            let limit = -(0.05f64.ln());
            for step in 1..1_000 {
                let rate = f64::from(step) / 1_000.0;
                let inside = interval.low <= rate && rate <= interval.high;
                let evidence = evidence_against(rate, successes, trials, concentration(rate));
                assert_eq!(inside, evidence < limit, "{successes}/{trials}: {rate} {interval:?}");
            }
        }
        assert_eq!(confidence_sequence(0, 0, 0.95, |_| 1.0), None);
    }

    /// Compares with the regularised incomplete beta function of another crate.
    #[test]
    fn evidence_of_more_is_that_of_the_upper_half_or_a_little_less() {
        for (heads, tails) in [(1, 0), (3, 2), (12, 4), (40, 10), (300, 240), (5_000, 4_700)] {
            let upper =
                1.0 - statrs::function::beta::beta_reg(5.0 + heads as f64, 5.0 + tails as f64, 0.5);
            let whole = evidence_against(0.5, heads, heads + tails, 10.0);
            let exact = whole + (2.0 * upper).ln();
            let found = evidence_of_more(heads, tails, 5);
            assert!(
                found <= exact + 1e-9 && exact - found < 0.7,
                "{heads} {tails}: {found} {exact}"
            );
            assert!(evidence_of_more(heads + 1, tails, 5) > found, "{heads} {tails}");
            assert!(evidence_of_more(heads, tails + 1, 5) < found, "{heads} {tails}");
        }
        // For decisive outcomes, the lower bound is tight.
        let (exact, found) =
            (evidence_against(0.5, 90, 120, 10.0) + 2f64.ln(), evidence_of_more(90, 30, 5));
        assert!((exact - found).abs() < 1e-6, "{exact} {found}");
        assert_eq!(evidence_of_more(7, 7, 5), f64::NEG_INFINITY);
    }

    /// Checks after every tenth of 2,000 tosses of a coin with at most as many heads as tails. At
    /// most 5 % of the sequences may ever exceed log(20). If exactly 5 % do, more than 38 of 400 do
    /// with probability 1e-4. This is the false-alarm rate of each of the two coins.
    #[test]
    fn evidence_of_more_is_seldom_wrong_at_any_time() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2026);
        for rate in [0.5, 0.47] {
            let mut wrong = 0;
            for _ in 0..400 {
                let mut heads = 0;
                wrong += u64::from((1..=2_000u64).any(|tosses| {
                    heads +=
                        u64::from(((rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64) < rate);
                    tosses % 10 == 0
                        && evidence_of_more(heads, tosses - heads, 5) >= -(0.05f64.ln())
                }));
            }
            assert!(wrong <= 38, "{wrong} of 400 at {rate}");
        }
    }

    /// Checks every tenth of 3,000 trials: at most 5 % of the sequences may ever exclude the true
    /// rate. If exactly 5 % do, more than 38 of 400 do with probability 1e-4. This is the
    /// false-alarm rate of each of the three rates.
    #[test]
    fn sequences_hold_at_all_times_at_once() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2026);
        for rate in [0.5, 0.1, 0.01] {
            let mut lost = 0;
            for _ in 0..400 {
                let mut successes = 0;
                lost += u64::from((1..=3_000u64).any(|trial| {
                    successes +=
                        u64::from((rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 <= rate);
                    trial % 10 == 0
                        && evidence_against(rate, successes, trial, concentration_for(0.05, rate))
                            >= -(0.05f64.ln())
                }));
            }
            assert!(lost <= 38, "{lost} of 400 at {rate}");
        }
    }
}
