//! Exact tests of two rates.

use super::beta::beta_distribution;

/// Returns the two-sided p-value of Fisher's exact test of two independent rates. It is the
/// probability, given the margins, of all tables that are no more likely than the observed one.
/// Returns 1 if the margins allow only one table.
///
/// Source: Fisher (1935), "The logic of inductive inference", JRSS 98:39-82, doi:10.2307/2342435;
/// two-sided by probability as in R and SciPy (ties within 1e-7 count).
///
/// Limitations: conservative, especially for small samples. The test conditions on both margins,
/// although only one is fixed here.
#[must_use]
pub fn fisher(first: (u64, u64), second: (u64, u64)) -> f64 {
    let ((k, n), (l, m)) = (first, second);
    let successes = k + l;
    // The first cell ranges from `least` to `most`. Probabilities are relative to the observed
    // table's. They are computed outwards by the ratio of neighbours, until they are too small to
    // count.
    let (least, most) = (successes.saturating_sub(m), successes.min(n));
    let ratio_up = |cell: u64| {
        let (cell, n, m, all) = (cell as f64, n as f64, m as f64, successes as f64);
        (n - cell) * (all - cell) / ((cell + 1.0) * (m - all + cell + 1.0))
    };
    let (mut total, mut extreme) = (1.0, 1.0);
    let mut count = |relative: f64| {
        total += relative;
        if relative <= 1.0 + 1e-7 {
            extreme += relative;
        }
    };
    let mut relative = 1.0;
    for cell in k..most {
        relative *= ratio_up(cell);
        count(relative);
        if relative < 1e-300 {
            break;
        }
    }
    relative = 1.0;
    for cell in (least..k).rev() {
        relative /= ratio_up(cell);
        count(relative);
        if relative < 1e-300 {
            break;
        }
    }
    if total.is_finite() { (extreme / total).min(1.0) } else { 0.0 }
}

/// Returns the two-sided p-value of McNemar's exact (binomial) test of paired runs. Only the first
/// succeeded in `first` pairs, only the second in `second` pairs. Concordant pairs carry no
/// information.
///
/// Source: McNemar (1947), "Note on the sampling error of the difference between correlated
/// proportions or percentages", Psychometrika 12:153-157, doi:10.1007/BF02295996.
///
/// Limitations: conservative for few discordant pairs.
#[must_use]
pub fn mcnemar(first: u64, second: u64) -> f64 {
    weighed_mcnemar(first as f64, second as f64)
}

/// Computes [`mcnemar`] for counts that need not be integers; see [`super::weighed_difference`].
#[must_use]
pub fn weighed_mcnemar(first: f64, second: f64) -> f64 {
    let (n, least) = (first + second, first.min(second));
    if first == second {
        return 1.0;
    }
    // 2 P(X <= least) for a binomial X with n trials and probability 1/2: a tail of the beta
    // function.
    (2.0 * beta_distribution(n - least, least + 1.0, 0.5)).min(1.0)
}
