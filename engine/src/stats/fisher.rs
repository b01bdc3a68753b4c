//! Two rates, tested exactly.

/// Fisher's exact test of two independent rates, two-sided: how likely a table is, given its
/// margins, that is no more likely than this one. 1 where nothing can be told.
///
/// Source: Fisher (1935), "The logic of inductive inference", JRSS 98:39-82, doi:10.2307/2342435;
/// two sides as in R and SciPy, by probability (ties within 1e-7 count).
///
/// Weak spots: conservative, the more so the smaller the samples; given both margins, though only
/// one is fixed here.
#[must_use]
pub fn fisher(first: (u64, u64), second: (u64, u64)) -> f64 {
    let ((k, n), (l, m)) = (first, second);
    let successes = k + l;
    // The first cell goes from `least` to `most`; probabilities relative to the observed table's,
    // outwards by the ratio of neighbours, until they are too small to count.
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

/// McNemar's exact test of paired runs: `first` pairs where the first alone succeeded, `second`
/// where the second alone did. Pairs that agree say nothing. Two-sided, binomial.
///
/// Source: McNemar (1947), "Note on the sampling error of the difference between correlated
/// proportions or percentages", Psychometrika 12:153-157, doi:10.1007/BF02295996.
///
/// Weak spots: conservative for few pairs that differ.
#[must_use]
pub fn mcnemar(first: u64, second: u64) -> f64 {
    weighed_mcnemar(first as f64, second as f64)
}

/// As [`mcnemar`], of counts that need not be whole: see [`super::weighed_difference`].
#[must_use]
pub fn weighed_mcnemar(first: f64, second: f64) -> f64 {
    let (n, least) = (first + second, first.min(second));
    if first == second {
        return 1.0;
    }
    // 2 P(X <= least) of a binomial of n and 1/2, which is a beta function's tail.
    (2.0 * statrs::function::beta::beta_reg(n - least, least + 1.0, 0.5)).min(1.0)
}
