//! The test by signed ranks of paired samples.

use super::ranks::{Distribution, RankSum, RankTest, rank_sum, ranks};
use super::{Frequencies, normal_cdf};

/// Differences other than 0 up to which the distribution is gone through as a whole.
pub(super) const EXACT: usize = 50;

/// Wilcoxon's test: do paired differences lie about 0? `statistic` is the sum of the ranks of the
/// positive ones; differences of 0 are left out. Exact, given the ties, for up to 50 differences;
/// beyond, normal with the variance corrected for ties. Without any difference other than 0, p is
/// 1.
///
/// Source: Wilcoxon (1945), "Individual comparisons by ranking methods", Biometrics Bulletin
/// 1:80-83, doi:10.2307/3001968; ties and zeros: Lehmann (1975), "Nonparametrics", section 3.2.
///
/// Weak spots: it supposes differences that spread alike to both sides of their middle. Differences
/// tie only where they are equal: derive them with [`tied_differences`](super::tied_differences),
/// or rounding breaks their ties.
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

/// The probability that ranks with signs from a fair coin have a positive sum of at most `sum`.
fn lower_tail(ranks: &[f64], sum: f64) -> f64 {
    chances(ranks)[..=(2.0 * sum) as usize].iter().sum()
}

/// The probabilities of each doubled sum of the positive ones, if ranks have signs from a fair
/// coin.
pub(super) fn chances(ranks: &[f64]) -> Vec<f64> {
    // Doubled, so that they are whole; in halves of probability, which are exact.
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
