//! Ranking of arms over several problems.

use super::beta::beta_distribution;
use super::normal::normal_cdf;
use super::ranks::ranks;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Result of Friedman's test.
#[derive(Clone, Debug, PartialEq)]
pub struct Friedman {
    /// Rank of each arm averaged over the problems: 1 for the least value on every problem. Equal
    /// values share the mean of their ranks.
    pub mean_ranks: Vec<f64>,
    /// Friedman's chi-square, corrected for ties; 0 if all values of each problem tie.
    pub statistic: f64,
    /// Probability of a statistic at least this great if the arms do not differ.
    pub p: f64,
    /// Whether `p` comes from the enumerated permutation distribution.
    pub exact: bool,
}

/// Maximum number of distinct orders of a problem's ranks for which the permutation distribution is
/// enumerated (those of 6 different ranks), and maximum number of its states.
const EXACT_ORDERS: f64 = 720.0;
const EXACT_STATES: usize = 20_000;

/// Performs Friedman's test of whether some arms tend to smaller values than others over the
/// problems. The input is a table of `problems x arms` values. `None` if there are fewer than two
/// problems or two arms.
///
/// `p` is exact, from the permutation distribution given the ties, for up to 6 arms, or more if
/// they tie so often that a problem has at most 720 distinct orders, and at most 20,000 states of
/// that distribution (with 3 arms: some 100 problems; with 6: 6). Otherwise it comes from the F
/// distribution of Iman and Davenport.
///
/// Source: Friedman (1937), "The use of ranks to avoid the assumption of normality implicit in the
/// analysis of variance", JASA 32:675-701, doi:10.1080/01621459.1937.10503522; Iman and Davenport
/// (1980), "Approximations of the critical region of the Friedman statistic", Communications in
/// Statistics A9:571-595, doi:10.1080/03610928008827904; for comparisons of algorithms: Demšar
/// (2006), "Statistical comparisons of classifiers over multiple data sets", JMLR 7:1-30.
///
/// Limitations: all problems have equal weight, whatever the distances between arms. With few
/// problems the test detects only large differences.
///
/// # Panics
/// Panics if the problems have different numbers of values.
#[must_use]
pub fn friedman(problems: &[Vec<f64>]) -> Option<Friedman> {
    let (n, k) = (problems.len(), problems.first()?.len());
    if n < 2 || k < 2 {
        return None;
    }
    assert!(problems.iter().all(|values| values.len() == k), "a value per problem and arm");
    let ranked: Vec<(Vec<f64>, f64)> = problems.iter().map(|values| ranks(values)).collect();
    let sum = |arm: usize| ranked.iter().map(|(ranks, _)| ranks[arm]).sum::<f64>();
    let sums: Vec<f64> = (0..k).map(sum).collect();
    let (problems, arms) = (n as f64, k as f64);
    let mean_ranks = sums.iter().map(|sum| sum / problems).collect();
    let ties: f64 = ranked.iter().map(|(_, ties)| ties).sum();
    let free = 1.0 - ties / (problems * arms * (arms * arms - 1.0));
    if free <= 0.0 {
        return Some(Friedman { mean_ranks, statistic: 0.0, p: 1.0, exact: true });
    }
    let middle = problems * (arms + 1.0) / 2.0;
    let spread: f64 = sums.iter().map(|sum| (sum - middle).powi(2)).sum();
    let statistic = 12.0 * spread / (problems * arms * (arms + 1.0)) / free;
    let doubled: Vec<Vec<u32>> = ranked
        .iter()
        .map(|(ranks, _)| ranks.iter().map(|rank| (2.0 * rank) as u32).collect())
        .collect();
    let (p, exact) = match exact_p(&doubled) {
        Some(p) => (p, true),
        None => (iman_davenport(statistic, &doubled), false),
    };
    Some(Friedman { mean_ranks, statistic, p, exact })
}

/// Returns the share of all permutations of ranks within problems whose rank sums spread at least
/// as far. Ranks are doubled, so that they are integers. A state is the sorted rank sums, because
/// the order of arms does not matter. `None` if there are too many arms or states.
fn exact_p(problems: &[Vec<u32>]) -> Option<f64> {
    let arms = problems.first()?.len();
    if problems.iter().any(|ranks| log_orders(ranks) > libm::log(EXACT_ORDERS) + 1e-9) {
        return None;
    }
    let spread =
        |sums: &[u32]| sums.iter().map(|sum| u64::from(*sum) * u64::from(*sum)).sum::<u64>();
    let mut states = BTreeMap::from([(vec![0; arms], 1.0f64)]);
    for ranks in problems {
        let orders = arrangements(ranks);
        let each = 1.0 / orders.len() as f64;
        let mut next: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
        for (sums, probability) in &states {
            for order in &orders {
                let mut sums: Vec<u32> = sums.iter().zip(order).map(|(a, b)| a + b).collect();
                sums.sort_unstable();
                *next.entry(sums).or_default() += probability * each;
            }
            if next.len() > EXACT_STATES {
                return None;
            }
        }
        states = next;
    }
    let sum = |arm: usize| problems.iter().map(|ranks| ranks[arm]).sum::<u32>();
    let seen = spread(&(0..arms).map(sum).collect::<Vec<u32>>());
    let tail = states.iter().filter(|(sums, _)| spread(sums) >= seen);
    Some(tail.map(|(_, probability)| probability).sum::<f64>().min(1.0))
}

/// Returns every distinct order of these ranks.
fn arrangements(ranks: &[u32]) -> Vec<Vec<u32>> {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let mut all = vec![sorted.clone()];
    // Advances to the next order in lexicographic order, until there is none.
    while let Some(turn) = sorted.windows(2).rposition(|pair| pair[0] < pair[1]) {
        let above = sorted.iter().rposition(|rank| *rank > sorted[turn]).unwrap_or(turn + 1);
        sorted.swap(turn, above);
        sorted[turn + 1..].reverse();
        all.push(sorted.clone());
    }
    all
}

/// Returns the logarithm of the number of distinct orders of these ranks.
fn log_orders(ranks: &[u32]) -> f64 {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let log_factorial = |count: usize| libm::lgamma(count as f64 + 1.0);
    let ties = sorted.chunk_by(|one, other| one == other).map(|tied| log_factorial(tied.len()));
    log_factorial(ranks.len()) - ties.sum::<f64>()
}

/// Returns the p-value of a statistic by the F distribution.
fn iman_davenport(statistic: f64, ranks: &[Vec<u32>]) -> f64 {
    let (problems, arms) = (ranks.len() as f64, ranks[0].len() as f64);
    let (first, second) = (arms - 1.0, (arms - 1.0) * (problems - 1.0));
    let left = problems * first - statistic;
    if left <= 1e-9 * statistic {
        // Every problem ranks the arms alike: all but the first have one of their orders.
        return libm::exp(-ranks[1..].iter().map(|ranks| log_orders(ranks)).sum::<f64>());
    }
    let f = (problems - 1.0) * statistic / left;
    beta_distribution(second / 2.0, first / 2.0, second / (second + first * f))
}

/// Returns P(range of `arms` standard normal values <= `range`): the studentized range distribution
/// with infinitely many degrees of freedom. The integral uses the trapezoidal rule. For such a
/// smooth and rapidly decreasing function it is exact to the last few digits.
///
/// Source: Tukey's distribution as in Hochberg and Tamhane (1987), "Multiple Comparison
/// Procedures", appendix 3.
fn studentized_range(range: f64, arms: usize) -> f64 {
    if range <= 0.0 {
        return 0.0;
    }
    const STEP: f64 = 1.0 / 64.0;
    let density = |z: f64| libm::exp(-0.5 * z * z) / (2.0 * PI).sqrt();
    let at = |z: f64| {
        let between = normal_cdf(z) - normal_cdf(z - range);
        density(z) * between.powi(arms as i32 - 1)
    };
    let whole: f64 = (-9 * 64..=9 * 64).map(|place| at(f64::from(place) * STEP)).sum();
    (arms as f64 * STEP * whole).min(1.0)
}

/// Returns the p-value of Nemenyi's test of one pair out of all pairs of `arms` over `problems`. It
/// is the probability that any pair's mean ranks differ at least this much if the arms do not
/// differ. The p-values need no further adjustment.
///
/// Source: Nemenyi (1963), "Distribution-free multiple comparisons", Princeton; Demšar (2006), JMLR
/// 7:1-30, section 3.2.2.
///
/// Limitations: uses the normal approximation of mean ranks. The test is conservative with few
/// problems, and its result for a pair depends on the other arms.
#[must_use]
pub fn nemenyi(difference: f64, arms: usize, problems: usize) -> f64 {
    let range = difference.abs() / standard_error(arms, problems);
    (1.0 - studentized_range(range, arms)).max(0.0)
}

/// Returns the least difference of mean ranks that Nemenyi's test detects at level `alpha`.
#[must_use]
pub fn critical_difference(arms: usize, problems: usize, alpha: f64) -> f64 {
    let (mut low, mut high) = (0.0, 64.0);
    // 80 bisections reach the resolution of f64.
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if studentized_range(middle, arms) < 1.0 - alpha { low = middle } else { high = middle }
    }
    high * standard_error(arms, problems)
}

/// Returns the standard error of a mean rank if the arms do not differ.
fn standard_error(arms: usize, problems: usize) -> f64 {
    let arms = arms as f64;
    (arms * (arms + 1.0) / (12.0 * problems as f64)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_are_the_published_ones() {
        // Demšar (2006), table 5(a): q / sqrt 2 at 0.05 for 2 to 10 arms, to three decimals.
        let table = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
        for (arms, expected) in (2..).zip(table) {
            let unit = (arms as f64 * (arms as f64 + 1.0) / 6.0).sqrt();
            let found = critical_difference(arms, 1, 0.05) / unit;
            assert!((found - expected).abs() < 0.001, "{arms} arms: {found}");
        }
    }

    #[test]
    fn arrangements_are_all_and_each_once() {
        assert_eq!(arrangements(&[2, 4, 6]).len(), 6);
        assert_eq!(arrangements(&[3, 3, 6]), [[3, 3, 6], [3, 6, 3], [6, 3, 3]]);
        assert_eq!(arrangements(&[4, 4, 4]), [[4, 4, 4]]);
    }

    #[test]
    fn what_says_nothing_is_no_evidence() {
        let alike = friedman(&vec![vec![1.0; 3]; 4]).expect("problems");
        assert_eq!((alike.statistic, alike.p), (0.0, 1.0));
        assert_eq!(friedman(&[vec![1.0, 2.0]]), None);
        assert_eq!(friedman(&[]), None);
        // Every problem ranks seven arms alike, too many arms to enumerate: probability 1 in
        // (7!)^4.
        let whole: Vec<f64> = (0..7).map(f64::from).collect();
        let same = friedman(&vec![whole; 5]).expect("problems");
        assert!(!same.exact && (same.p * 5040.0f64.powi(4) - 1.0).abs() < 1e-9, "{same:?}");
        assert_eq!(same.mean_ranks, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        // One of eight arms differs from the others, the same one on both problems: 1 in 8. Of
        // seven different ranks and a tie, 1 in 8! / 2.
        let mut single = vec![1.0; 8];
        single[3] = 0.0;
        let found = friedman(&vec![single; 2]).expect("problems");
        assert!(found.exact && (found.p - 0.125).abs() < 1e-12, "{found:?}");
        let mut tied: Vec<f64> = (0..8).map(f64::from).collect();
        tied[1] = 0.0;
        let found = friedman(&vec![tied; 2]).expect("problems");
        assert!(!found.exact && (found.p * 20_160.0 - 1.0).abs() < 1e-9, "{found:?}");
    }
}
