//! Signed-rank test of paired samples.

use super::ranks::{RankSum, rank_sum, ranks};
use super::{Distribution, Frequencies, RankTest, normal_cdf};

/// Maximum number of non-zero differences for which the distribution is enumerated.
pub(super) const EXACT: usize = 50;

/// Performs Wilcoxon's signed-rank test of whether paired differences are centred at 0. `statistic`
/// is the sum of the ranks of the positive differences. Differences of 0 are excluded. The test is
/// exact, given the ties, for up to 50 differences. For more, it uses the normal approximation with
/// the variance corrected for ties. If all differences are 0, p is 1.
///
/// Source: Wilcoxon (1945), "Individual comparisons by ranking methods", Biometrics Bulletin
/// 1:80-83, doi:10.2307/3001968; ties and zeros: Lehmann (1975), "Nonparametrics", section 3.2.
///
/// Limitations: assumes a symmetric distribution of the differences. Only equal differences tie.
/// Compute them with [`tied_differences`](super::tied_differences), because otherwise rounding
/// breaks ties.
#[must_use]
pub fn wilcoxon(differences: &[f64]) -> RankTest {
    let sizes =
        |sign: f64| differences.iter().map(move |value| sign * value).filter(|one| *one > 0.0);
    let [above, below] = [1.0, -1.0].map(|sign| sizes(sign).collect::<Frequencies>());
    let kept = above.len() + below.len();
    if kept == 0 {
        return RankTest { statistic: 0.0, p: 1.0, distribution: Distribution::Exact };
    }
    let RankSum { first: statistic, ties } = rank_sum(&above, &below);
    let n = kept as f64;
    let whole = n * (n + 1.0) / 2.0;
    let less = statistic.min(whole - statistic);
    let exact = kept <= EXACT as u64;
    let distribution = if exact { Distribution::Exact } else { Distribution::Normal };
    let p = if exact {
        let (ranks, _) = ranks(&sizes(1.0).chain(sizes(-1.0)).collect::<Vec<f64>>());
        2.0 * lower_tail(&ranks, less)
    } else {
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
        2.0 * normal_cdf((less - whole / 2.0) / variance.sqrt())
    };
    RankTest { statistic, p: p.min(1.0), distribution }
}

/// Returns the probability that the positive rank sum is at most `sum`, if each sign is a fair coin
/// toss.
fn lower_tail(ranks: &[f64], sum: f64) -> f64 {
    chances(ranks)[..=(2.0 * sum) as usize].iter().sum()
}

/// Returns the probability of each doubled positive rank sum, if each sign is a fair coin toss.
pub(super) fn chances(ranks: &[f64]) -> Vec<f64> {
    // Doubled ranks are integers. Halved probabilities are exact.
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank) as usize).collect();
    let mut chances = vec![0.0; doubled.iter().sum::<usize>() + 1];
    chances[0] = 1.0;
    let mut greatest = 0;
    for rank in doubled {
        greatest += rank;
        for place in (0..=greatest).rev() {
            let with = if place >= rank { chances[place - rank] } else { 0.0 };
            chances[place] = 0.5 * (chances[place] + with);
        }
    }
    chances
}
