//! Expected running time: what a success costs when a search is restarted until it succeeds.

use super::{Multiset, acceleration, bca};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Resamples behind an ERT's interval.
pub const BOOTSTRAP_RESAMPLES: usize = 1_000;

/// Up to this many trials a resample is drawn trial by trial.
const PLAIN_TRIALS: u64 = 2_048;

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
    let spent = to_success.iter().chain(unsuccessful);
    let spent: u128 = spent.map(|&evaluations| u128::from(evaluations)).sum();
    per_success(spent, to_success.len() as u64)
}

/// [`ert`] of all evaluations that were spent, and the successes.
#[must_use]
pub fn per_success(spent: u128, successes: u64) -> Option<f64> {
    (successes > 0).then(|| spent as f64 / successes as f64)
}

/// [`ert`] with its 95 % bootstrap interval ([`bca`] of [`BOOTSTRAP_RESAMPLES`] resampled ERTs),
/// seeded with `seed`: the same data and seed give the same bits, also in another order once there
/// are so many that the order is not known.
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
pub fn ert_interval(
    to_success: &Multiset<u64>,
    unsuccessful: &Multiset<u64>,
    seed: u64,
) -> Option<Ert> {
    let (successes, others) = (Group::new(to_success), Group::new(unsuccessful));
    let value = per_success(successes.spent + others.spent, to_success.len())?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let trials = to_success.len() + unsuccessful.len();
    let mut resampled: Vec<f64> = (0..BOOTSTRAP_RESAMPLES)
        .map(|_| {
            let (count, spent) = if trials <= PLAIN_TRIALS {
                resample_trials(&successes, &others, &mut rng)
            } else {
                let count = binomial(trials, to_success.len() as f64 / trials as f64, &mut rng);
                let spent =
                    successes.sum_of(count, &mut rng) + others.sum_of(trials - count, &mut rng);
                (count, spent)
            };
            if count == 0 { f64::INFINITY } else { spent / count as f64 }
        })
        .collect();
    resampled.sort_unstable_by(f64::total_cmp);
    let skew = jackknife_acceleration(to_success, unsuccessful);
    let interval = bca(&resampled, value, skew, 0.95)?;
    // The lower bound could only be infinite if most resamples had no success; the ERT itself is
    // then the best guess.
    let low = if interval.low.is_finite() { interval.low } else { value };
    Some(Ert { value, low, high: interval.high.is_finite().then_some(interval.high) })
}

/// The [`acceleration`] of the ERT: from the ERT without each trial in turn; infinite where that
/// was the one success.
fn jackknife_acceleration(to_success: &Multiset<u64>, unsuccessful: &Multiset<u64>) -> f64 {
    let all = to_success.each().chain(unsuccessful.each());
    let spent = all.map(|(evaluations, count)| evaluations as f64 * count as f64).sum::<f64>();
    let successes = to_success.len() as f64;
    let without = |evaluations: u64, left: f64| (spent - evaluations as f64) / left;
    acceleration(|| {
        let of_successes = to_success.each();
        let of_others = unsuccessful.each();
        of_successes
            .map(move |(evaluations, count)| (without(evaluations, successes - 1.0), count))
            .chain(
                of_others.map(move |(evaluations, count)| (without(evaluations, successes), count)),
            )
    })
}

/// Draws as many trials as there are, with replacement: how many succeeded, and the evaluations of
/// all.
fn resample_trials(successes: &Group<'_>, others: &Group<'_>, rng: &mut impl Rng) -> (u64, f64) {
    let of_successes = successes.evaluations.len();
    let trials = of_successes + others.evaluations.len();
    let (mut count, mut spent) = (0u64, 0.0);
    for _ in 0..trials {
        let index = index_below(trials, rng);
        if index < of_successes {
            count += 1;
            spent += successes.at(index);
        } else {
            spent += others.at(index - of_successes);
        }
    }
    (count, spent)
}

/// Trials of one kind, with the moments of their evaluations.
struct Group<'a> {
    evaluations: &'a Multiset<u64>,
    /// Their sum.
    spent: u128,
    mean: f64,
    /// Of the group as a population: divided by n, as resampling has it.
    variance: f64,
}

impl<'a> Group<'a> {
    fn new(evaluations: &'a Multiset<u64>) -> Self {
        let n = evaluations.len().max(1) as f64;
        let (mut spent, mut sum) = (0, 0.0);
        for (value, count) in evaluations.each() {
            spent += u128::from(value) * u128::from(count);
            sum += value as f64 * count as f64;
        }
        let mean = sum / n;
        let square = |value: f64| value * value;
        let squares =
            evaluations.each().map(|(value, count)| square(value as f64 - mean) * count as f64);
        let variance = squares.sum::<f64>() / n;
        Group { evaluations, spent, mean, variance }
    }

    /// The evaluations of one trial of those that are in order.
    fn at(&self, place: u64) -> f64 {
        self.evaluations.came_at(place as usize).expect("few are in order") as f64
    }

    /// The sum of `draws` draws with replacement.
    fn sum_of(&self, draws: u64, rng: &mut impl Rng) -> f64 {
        // Of a group so large that its order is not known, never so few are drawn: another 2^20
        // successes or others in a row would have to come of the rarer kind.
        if draws <= PLAIN_DRAWS && self.evaluations.in_order().is_some() {
            let n = self.evaluations.len();
            (0..draws).map(|_| self.at(index_below(n, rng))).sum()
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
fn index_below(n: u64, rng: &mut impl Rng) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
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

    fn all(evaluations: &[u64]) -> Multiset<u64> {
        evaluations.iter().copied().collect()
    }

    #[test]
    fn ert_counts_all_evaluations_per_success() {
        assert_eq!(ert(&[10, 20], &[100]), Some(65.0));
        assert_eq!(ert(&[], &[100]), None);
        assert_eq!(ert_interval(&all(&[]), &all(&[100]), 1), None);
    }

    #[test]
    fn interval_is_the_same_for_the_same_seed_and_encloses_the_value() {
        let to_success = (1..=80).map(|i| i * 7 % 53 + 1).collect();
        let unsuccessful = all(&[200; 20]);
        let first = ert_interval(&to_success, &unsuccessful, 7).expect("there are successes");
        assert_eq!(Some(first), ert_interval(&to_success, &unsuccessful, 7));
        assert!(first.low < first.value && first.value < first.high.expect("a bound"), "{first:?}");
    }

    #[test]
    fn one_success_in_many_trials_sets_no_upper_bound() {
        for trials in [100, 5_000] {
            let unsuccessful = all(&vec![100; trials - 1]);
            let result = ert_interval(&all(&[10]), &unsuccessful, 3).expect("there is a success");
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
        let plain = ert_interval(&all(&plain_success), &all(&plain_other), 11);
        let large = ert_interval(&all(&plain_success.repeat(8)), &all(&plain_other.repeat(8)), 12);
        let [plain, large] = [plain, large].map(|ert| ert.expect("there are successes"));
        assert_eq!(plain.value, large.value);
        let width = |ert: Ert| ert.high.expect("a bound") - ert.low;
        let ratio = width(plain) / width(large);
        assert!((ratio - 8f64.sqrt()).abs() < 0.4, "{ratio}");
    }

    /// The draws are the same, so the ends differ by the rounding of the moments alone: of sums of
    /// n terms, at most n of 2^-53 each.
    #[test]
    fn in_another_order_it_is_the_same_but_for_rounding() {
        let trials = 40_000u64;
        let evaluations = |trial: u64| 1 + trial.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 100_003;
        for successes in [trials / 2, trials - 30, 1_500, 30] {
            let of = |kept: usize, trials: std::ops::Range<u64>| {
                let mut evaluated = Multiset::keeping(kept);
                evaluated.extend(trials.map(evaluations));
                evaluated
            };
            let ert = |kept| {
                let to_success = of(kept, 0..successes);
                ert_interval(&to_success, &of(kept, successes..trials), 5).expect("successes")
            };
            let (ordered, counted) = (ert(40_000), ert(1_400));
            assert_eq!(ordered.value, counted.value);
            let near = |one: f64, other: f64| (one / other - 1.0).abs() < 40_000.0 * f64::EPSILON;
            assert!(near(ordered.low, counted.low), "{ordered:?} {counted:?}");
            let [one, other] = [ordered, counted].map(|ert| ert.high.expect("a bound"));
            assert!(near(one, other), "{ordered:?} {counted:?}");
        }
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
