//! Expected running time: what a success costs when a search is restarted until it succeeds.

use super::bca;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Resamples behind an ERT's interval.
pub const BOOTSTRAP_RESAMPLES: usize = 1_000;

/// Up to this many trials a resample is drawn trial by trial.
const PLAIN_TRIALS: usize = 2_048;

/// Above this many draws from one group of trials, their sum is drawn from its normal limit.
const PLAIN_DRAWS: u64 = 1_024;

/// An expected running time with its interval, in evaluations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ert {
    /// The estimate.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// None: so few trials succeed that the data set no upper bound.
    pub high: Option<f64>,
}

/// Expected running time in evaluations: all evaluations spent, by the successes until they
/// succeeded and by the others until they ended, per success. None without a success.
///
/// Source: Auger & Hansen (2005), "Performance evaluation of an advanced local search evolutionary
/// algorithm", IEEE CEC 2005, doi:10.1109/CEC.2005.1554903.
///
/// Weak spots: it depends on the budget of the unsuccessful trials, and one success more or less
/// moves it much where successes are rare (hence the interval).
#[must_use]
pub fn ert(to_success: &[u64], unsuccessful: &[u64]) -> Option<f64> {
    let spent: u128 =
        to_success.iter().chain(unsuccessful).map(|&evaluations| u128::from(evaluations)).sum();
    (!to_success.is_empty()).then(|| spent as f64 / to_success.len() as f64)
}

/// [`ert`] with its 95 % bootstrap interval ([`bca`] of [`BOOTSTRAP_RESAMPLES`] resampled ERTs),
/// seeded with `seed`: the same data and seed give the same bits.
///
/// A resample without a success counts as infinite; an upper bound among those is none. Up to 2,048
/// trials, each resample draws as many trials with replacement. Above, the same distribution is
/// drawn in two steps: how many of the drawn trials succeeded (binomial), then the sum of that many
/// draws from the successes and of the rest from the others, trial by trial up to 1,024 draws, from
/// the normal limit of the sum beyond. The cost is therefore bounded, whatever the number of
/// trials, and rare successes keep their exact distribution.
///
/// Source: Efron (1979), "Bootstrap methods: another look at the jackknife", Annals of Statistics
/// 7:1-26, doi:10.1214/aos/1176344552.
///
/// Weak spots: bootstrap intervals are too narrow with few trials or few successes (under ten, take
/// it as a hint).
#[must_use]
pub fn ert_interval(to_success: &[u64], unsuccessful: &[u64], seed: u64) -> Option<Ert> {
    let value = ert(to_success, unsuccessful)?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let trials = to_success.len() + unsuccessful.len();
    let (successes, others) = (Group::new(to_success), Group::new(unsuccessful));
    let mut resampled: Vec<f64> = (0..BOOTSTRAP_RESAMPLES)
        .map(|_| {
            let (count, spent) = if trials <= PLAIN_TRIALS {
                resample_trials(to_success, unsuccessful, &mut rng)
            } else {
                let count =
                    binomial(trials as u64, to_success.len() as f64 / trials as f64, &mut rng);
                let spent = successes.sum_of(count, &mut rng)
                    + others.sum_of(trials as u64 - count, &mut rng);
                (count, spent)
            };
            if count == 0 { f64::INFINITY } else { spent / count as f64 }
        })
        .collect();
    resampled.sort_unstable_by(f64::total_cmp);
    let interval = bca(&resampled, value, &without_each(to_success, unsuccessful), 0.95)?;
    // The lower bound could only be infinite if most resamples had no success; the ERT itself is
    // then the best guess.
    let low = if interval.low.is_finite() { interval.low } else { value };
    Some(Ert { value, low, high: interval.high.is_finite().then_some(interval.high) })
}

/// The ERT without each trial in turn; infinite where that was the one success.
fn without_each(to_success: &[u64], unsuccessful: &[u64]) -> Vec<f64> {
    let spent =
        to_success.iter().chain(unsuccessful).map(|&evaluations| evaluations as f64).sum::<f64>();
    let successes = to_success.len() as f64;
    let others = unsuccessful.iter().map(|&evaluations| (spent - evaluations as f64) / successes);
    to_success
        .iter()
        .map(|&evaluations| (spent - evaluations as f64) / (successes - 1.0))
        .chain(others)
        .collect()
}

/// Draws as many trials as there are, with replacement: how many succeeded, and the evaluations of
/// all.
fn resample_trials(to_success: &[u64], unsuccessful: &[u64], rng: &mut impl Rng) -> (u64, f64) {
    let trials = (to_success.len() + unsuccessful.len()) as u64;
    let (mut count, mut spent) = (0u64, 0.0);
    for _ in 0..trials {
        let index = index_below(trials, rng);
        match to_success.get(index) {
            Some(&evaluations) => {
                count += 1;
                spent += evaluations as f64;
            }
            None => spent += unsuccessful[index - to_success.len()] as f64,
        }
    }
    (count, spent)
}

/// Trials of one kind, with the moments of their evaluations.
struct Group<'a> {
    evaluations: &'a [u64],
    mean: f64,
    /// Of the group as a population: divided by n, as resampling has it.
    variance: f64,
}

impl<'a> Group<'a> {
    fn new(evaluations: &'a [u64]) -> Self {
        let n = evaluations.len().max(1) as f64;
        let mean = evaluations.iter().map(|&value| value as f64).sum::<f64>() / n;
        let square = |value: f64| value * value;
        let variance =
            evaluations.iter().map(|&value| square(value as f64 - mean)).sum::<f64>() / n;
        Group { evaluations, mean, variance }
    }

    /// The sum of `draws` draws with replacement.
    fn sum_of(&self, draws: u64, rng: &mut impl Rng) -> f64 {
        if draws <= PLAIN_DRAWS {
            let n = self.evaluations.len() as u64;
            (0..draws).map(|_| self.evaluations[index_below(n, rng)] as f64).sum()
        } else {
            let draws = draws as f64;
            (draws * self.mean + (draws * self.variance).sqrt() * standard_normal(rng)).max(0.0)
        }
    }
}

/// The number of successes in `trials` trials of probability `rate`: exact where few are expected
/// on either side (by the waiting times between them), rounded from the normal limit otherwise.
fn binomial(trials: u64, rate: f64, rng: &mut impl Rng) -> u64 {
    if rate > 0.5 {
        return trials - binomial(trials, 1.0 - rate, rng);
    }
    if rate <= 0.0 {
        return 0;
    }
    let expected = trials as f64 * rate;
    if expected > PLAIN_DRAWS as f64 {
        let drawn = expected + (expected * (1.0 - rate)).sqrt() * standard_normal(rng);
        return (drawn.round().max(0.0) as u64).min(trials);
    }
    let log_failure = libm::log1p(-rate);
    let (mut successes, mut place) = (0, 0.0);
    loop {
        // Trials up to and with the next success: geometric.
        place += (libm::log(open_unit(rng)) / log_failure).floor() + 1.0;
        if place > trials as f64 {
            return successes;
        }
        successes += 1;
    }
}

/// Uniform in `0..n` by multiply and shift; the bias of n / 2^64 is far below anything that could
/// be seen here.
fn index_below(n: u64, rng: &mut impl Rng) -> usize {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as usize
}

/// Uniform in (0, 1]: never 0, so that its logarithm is finite.
fn open_unit(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A standard normal number, by Box and Muller (1958).
fn standard_normal(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * libm::log(open_unit(rng))).sqrt();
    radius * libm::cos(std::f64::consts::TAU * open_unit(rng))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ert_counts_all_evaluations_per_success() {
        assert_eq!(ert(&[10, 20], &[100]), Some(65.0));
        assert_eq!(ert(&[], &[100]), None);
        assert_eq!(ert_interval(&[], &[100], 1), None);
    }

    #[test]
    fn interval_is_the_same_for_the_same_seed_and_encloses_the_value() {
        let to_success: Vec<u64> = (1..=80).map(|i| i * 7 % 53 + 1).collect();
        let unsuccessful = vec![200; 20];
        let first = ert_interval(&to_success, &unsuccessful, 7).expect("there are successes");
        assert_eq!(Some(first), ert_interval(&to_success, &unsuccessful, 7));
        assert!(first.low < first.value && first.value < first.high.expect("a bound"), "{first:?}");
    }

    #[test]
    fn one_success_in_many_trials_sets_no_upper_bound() {
        for trials in [100, 5_000] {
            let result =
                ert_interval(&[10], &vec![100; trials - 1], 3).expect("there is a success");
            assert_eq!(result.high, None, "{result:?}");
            assert!(result.low < result.value, "{result:?}");
        }
    }

    #[test]
    fn the_limit_agrees_with_plain_resampling() {
        // Plain resampling of 2,048 trials against the two-step draw of 8 times as many with the
        // same moments: the interval's half width shrinks by sqrt 8. With 1,000 resamples each end
        // is good to some 10 % of that.
        let plain_success: Vec<u64> = (0..1_024).map(|i| 100 + (i * 37) % 400).collect();
        let plain_other = vec![1_000; 1_024];
        let plain = ert_interval(&plain_success, &plain_other, 11).expect("there are successes");
        let large = ert_interval(&plain_success.repeat(8), &plain_other.repeat(8), 12)
            .expect("there are successes");
        assert_eq!(plain.value, large.value);
        let width = |ert: Ert| ert.high.expect("a bound") - ert.low;
        let ratio = width(plain) / width(large);
        assert!((ratio - 8f64.sqrt()).abs() < 0.4, "{ratio}");
    }

    #[test]
    fn binomial_has_its_mean_and_variance() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        for (trials, rate) in [(10_000, 0.01), (10_000, 0.99), (100_000, 0.4)] {
            let draws: Vec<f64> =
                (0..4_000).map(|_| binomial(trials, rate, &mut rng) as f64).collect();
            let mean = draws.iter().sum::<f64>() / 4_000.0;
            let variance =
                draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / 4_000.0;
            let (expected, expected_variance) =
                (trials as f64 * rate, trials as f64 * rate * (1.0 - rate));
            // Five standard errors: a false alarm less than once in a million seeds.
            assert!(
                (mean - expected).abs() < 5.0 * (expected_variance / 4_000.0).sqrt(),
                "{mean} {expected}"
            );
            assert!(
                (variance / expected_variance - 1.0).abs() < 5.0 * (2.0f64 / 4_000.0).sqrt(),
                "{variance}"
            );
        }
    }
}
