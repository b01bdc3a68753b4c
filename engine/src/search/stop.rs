//! Stop rules: when a trial ends.

use std::time::Duration;

/// Stop rules of a trial, which ends at the first that applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Target fitness: a trial succeeds if its best fitness is at or below the target. If the
    /// target is the problem's ideal, the ideal's tolerance is added. `None` if the problem has no
    /// ideal and the config no target, so that no trial succeeds.
    pub target: Option<f64>,
    /// Maximum number of generations after the initial population.
    pub generations: Option<u64>,
    /// Maximum number of fitness values. It is never exceeded: the last generation is cut short.
    pub evaluations: Option<u64>,
    /// Maximum number of generations without improvement of the best fitness so far.
    pub stagnation: Option<u64>,
    /// Diversity of the population at which the trial ends: the mean distance of all pairs of
    /// individuals is at or below it. At least 0, in positions that differ; Euclid's distance for
    /// real genes.
    pub diversity: Option<f64>,
    /// Maximum wall time in seconds.
    pub trial_seconds: Option<f64>,
    /// Behaviour of the trial once it has reached the target.
    pub on_success: OnSuccess,
    /// Whether the seeds are independent of the budget. If so, trials that ended before the budget
    /// are also valid for another budget.
    pub keep_ended: bool,
}

impl Stop {
    /// Returns whether only the clock is sure to end a trial that does not succeed.
    #[must_use]
    pub fn is_by_time_alone(&self) -> bool {
        let counted = [self.generations, self.evaluations, self.stagnation];
        self.trial_seconds.is_some() && counted.iter().all(Option::is_none)
    }

    /// Returns the maximum wall time of a trial. `None` if there is no limit, or if a clock cannot
    /// hold it.
    #[must_use]
    pub fn time_limit(&self) -> Option<Duration> {
        self.trial_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }
}

/// Behaviour of a trial once it has reached the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSuccess {
    /// The trial ends.
    Stop,
    /// The trial continues to the end of its budget, for fixed-budget studies.
    Continue,
}
