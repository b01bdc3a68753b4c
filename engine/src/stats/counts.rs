//! Counts of successes, trials and failures, and worst-case bounds of the success rate.

use super::Interval;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Outcome counts of an arm's trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialCounts {
    /// Number of trials that ran to an end, including successes.
    pub trials: u64,
    /// Number of trials that failed or crashed. Their results are unknown.
    pub failures: u64,
    /// Number of trials that reached the target.
    pub successes: u64,
}

impl AddAssign for TrialCounts {
    fn add_assign(&mut self, other: TrialCounts) {
        self.trials += other.trials;
        self.failures += other.failures;
        self.successes += other.successes;
    }
}

impl TrialCounts {
    /// Counts a trial.
    pub fn add(&mut self, is_failure: bool, is_success: bool) {
        self.trials += u64::from(!is_failure);
        self.failures += u64::from(is_failure);
        self.successes += u64::from(!is_failure && is_success);
    }

    /// Returns successes and trials if every failure counts as unsuccessful.
    #[must_use]
    pub fn least(self) -> (u64, u64) {
        (self.successes, self.trials + self.failures)
    }

    /// Returns successes and trials if every failure counts as successful.
    #[must_use]
    pub fn most(self) -> (u64, u64) {
        (self.successes + self.failures, self.trials + self.failures)
    }

    /// Returns the worst-case bounds of the success rate: with every failure unsuccessful, and with
    /// every failure successful. Without failures, both bounds equal the rate. `None` if there are
    /// no trials and no failures.
    ///
    /// Source: Manski (1990), "Nonparametric bounds on treatment effects", American Economic Review
    /// 80(2):319-323; for trials with missing outcomes Horowitz and Manski (2000), "Nonparametric
    /// analysis of randomized experiments with missing covariate and outcome data", JASA 95:77-84,
    /// doi:10.1080/01621459.2000.10473902.
    #[must_use]
    pub fn bounds(self) -> Option<Interval> {
        let rate = |(successes, trials): (u64, u64)| successes as f64 / trials as f64;
        (self.trials + self.failures > 0)
            .then(|| Interval { low: rate(self.least()), high: rate(self.most()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_the_rate_and_meet_without_failures() {
        let bounds =
            |successes, trials, failures| TrialCounts { successes, trials, failures }.bounds();
        assert_eq!(bounds(1, 1, 49), Some(Interval { low: 0.02, high: 1.0 }));
        assert_eq!(bounds(3, 4, 0), Some(Interval { low: 0.75, high: 0.75 }));
        assert_eq!(bounds(0, 0, 2), Some(Interval { low: 0.0, high: 1.0 }));
        assert_eq!(bounds(0, 0, 0), None);
    }
}
