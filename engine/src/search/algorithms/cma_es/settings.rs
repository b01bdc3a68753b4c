//! Settings of the covariance matrix adaptation evolution strategy.

/// The covariance matrix adaptation evolution strategy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CmaEs {
    /// Number of children per generation; at least 2.
    pub lambda: usize,
    /// Initial step size, as a share of each gene's range.
    pub sigma: f64,
    /// Covariance that is adapted.
    pub covariance: Covariance,
    /// Whether bad children reduce the variance along their steps.
    pub active: bool,
    /// Sequence of runs within a trial.
    pub restarts: Restarts,
}

/// Covariance that is adapted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covariance {
    /// The whole matrix.
    Full,
    /// The variance of each gene.
    Diagonal,
    /// None: only the step size is adapted.
    None,
}

/// Sequence of runs within a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restarts {
    /// One run.
    None,
    /// Each run has twice as many children as the one before.
    Ipop,
    /// Runs as in IPOP alternate with runs of few children.
    Bipop,
}
