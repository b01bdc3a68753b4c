//! Stop rules: when a trial ends.

use std::time::Duration;

/// When a trial ends, whichever comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Success is a best fitness at or below this, or, where this is the problem's ideal, within
    /// its tolerance. None: the problem states no ideal and the config no target, so no trial
    /// succeeds.
    pub target: Option<f64>,
    /// Generations after the initial population.
    pub generations: Option<u64>,
    /// Fitness values; never exceeded: the last generation is cut short.
    pub evaluations: Option<u64>,
    /// Generations without improvement of the best fitness so far.
    pub stagnation: Option<u64>,
    /// Seconds of wall time.
    pub trial_seconds: Option<f64>,
    /// Whether the trial goes on once it reached the target.
    pub on_success: OnSuccess,
    /// Whether the seeds do not follow from the budget, so that trials that ended before it are
    /// those of another budget too.
    pub keep_ended: bool,
}

impl Stop {
    /// Whether nothing but the clock ends a trial that does not succeed.
    #[must_use]
    pub fn is_by_time_alone(&self) -> bool {
        let counted = [self.generations, self.evaluations, self.stagnation];
        self.trial_seconds.is_some() && counted.iter().all(Option::is_none)
    }

    /// How long a trial may take. None: there is no limit, or one beyond what a clock can hold.
    #[must_use]
    pub fn time_limit(&self) -> Option<Duration> {
        self.trial_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }
}

/// What a trial does when it reaches the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSuccess {
    /// The trial ends.
    Stop,
    /// Run to the budget all the same (fixed-budget studies).
    Continue,
}
