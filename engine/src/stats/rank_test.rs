//! Result of a rank test.

/// Result of a rank test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankTest {
    /// Mann-Whitney: U of the first sample, the number of pairs in which its value is greater, with
    /// ties counting half. Wilcoxon: the sum of the ranks of the positive differences. Van Elteren:
    /// the weighted sum over strata.
    pub statistic: f64,
    /// Two-sided p-value.
    pub p: f64,
    /// Distribution behind `p`.
    pub distribution: Distribution,
}

/// Distribution of a test statistic under the null hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distribution {
    /// Exact distribution, given the ties.
    Exact,
    /// Exact distribution of rounded ranks.
    Rounded,
    /// Normal approximation.
    Normal,
}
