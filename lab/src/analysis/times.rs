//! Times of an arm's trials.

use super::Quartiles;
use crate::stats::quantiles;

/// Times of an arm's trials in seconds. Failed trials are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArmTimes {
    /// Number of trials with a time.
    pub trials: u64,
    /// Total time of all trials.
    pub total: f64,
    /// Times per trial; `None` without trials.
    pub per_trial: Option<Quartiles>,
    /// Times per evaluation of a trial; `None` if no trial evaluated anything.
    pub per_evaluation: Option<Quartiles>,
}

impl ArmTimes {
    /// Calculates the times of trials, given their seconds and evaluations.
    pub(crate) fn of(trials: &[(f64, f64)]) -> Self {
        let quartiles = |mut values: Vec<f64>| {
            let [q25, median, q75] = quantiles(&mut values, [0.25, 0.5, 0.75])?;
            Some(Quartiles { q25, median, q75 })
        };
        let evaluated = trials.iter().filter(|(_, evaluations)| *evaluations > 0.0);
        ArmTimes {
            trials: trials.len() as u64,
            // The sum of nothing is -0.
            total: trials.iter().map(|(seconds, _)| seconds).sum::<f64>() + 0.0,
            per_trial: quartiles(trials.iter().map(|(seconds, _)| *seconds).collect()),
            per_evaluation: quartiles(
                evaluated.map(|(seconds, evaluations)| seconds / evaluations).collect(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_counts_once_and_one_without_evaluations_has_no_time_of_one() {
        let times = ArmTimes::of(&[(2.0, 100.0), (4.0, 100.0), (1.0, 0.0), (6.0, 200.0)]);
        assert_eq!((times.trials, times.total), (4, 13.0));
        assert_eq!(times.per_trial, Some(Quartiles { q25: 1.75, median: 3.0, q75: 4.5 }));
        let each = times.per_evaluation.expect("evaluations");
        assert_eq!((each.q25, each.median, each.q75), (0.025, 0.03, 0.035));
        assert_eq!(ArmTimes::of(&[]), ArmTimes::default());
    }
}
