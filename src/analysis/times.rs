//! Times: how long the trials of an arm took.

use super::Quartiles;
use crate::stats::quantile;

/// How long the trials of an arm took, in seconds; failed trials are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ArmTimes {
    /// Trials with a time.
    pub trials: u64,
    /// Of all of them together.
    pub total: f64,
    /// Per trial; none without trials.
    pub per_trial: Option<Quartiles>,
    /// Per evaluation of a trial; none without a trial that evaluated anything.
    pub per_evaluation: Option<Quartiles>,
}

impl ArmTimes {
    /// Of trials with their seconds and evaluations.
    #[must_use]
    pub(crate) fn of(trials: &[(f64, u64)]) -> Self {
        let quartiles = |mut values: Vec<f64>| {
            values.sort_unstable_by(f64::total_cmp);
            let at = |share| quantile(&values, share);
            Some(Quartiles { q25: at(0.25)?, median: at(0.5)?, q75: at(0.75)? })
        };
        let evaluated = trials.iter().filter(|(_, evaluations)| *evaluations > 0);
        ArmTimes {
            trials: trials.len() as u64,
            total: trials.iter().map(|(seconds, _)| seconds).sum(),
            per_trial: quartiles(trials.iter().map(|(seconds, _)| *seconds).collect()),
            per_evaluation: quartiles(
                evaluated.map(|(seconds, evaluations)| seconds / *evaluations as f64).collect(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_counts_once_and_one_without_evaluations_has_no_time_of_one() {
        let times = ArmTimes::of(&[(2.0, 100), (4.0, 100), (1.0, 0), (6.0, 200)]);
        assert_eq!((times.trials, times.total), (4, 13.0));
        assert_eq!(times.per_trial, Some(Quartiles { q25: 1.75, median: 3.0, q75: 4.5 }));
        let each = times.per_evaluation.expect("evaluations");
        assert_eq!((each.q25, each.median, each.q75), (0.025, 0.03, 0.035));
        assert_eq!(ArmTimes::of(&[]), ArmTimes::default());
    }
}
