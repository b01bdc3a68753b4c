//! Trials of an arm until it has a number of successes (inverse binomial sampling).
//!
//! The arm ends at the trial of its last wanted success, in the order of trial numbers. A look may
//! run trials beyond that one; they do not count. So the end depends on the outcomes alone.

use super::Outcomes;
use super::outcome_list::Seen;
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::stats::{Interval, TrialCounts, inverse_sampling};

/// Returns the next look of an arm with `successes` in its first `trials` trials. It adds half of
/// the trials that the lacking successes should take, but at least one for each. So few trials are
/// run beyond the end, and even rare successes need few looks.
fn next_look(wanted: u64, successes: u64, trials: u64) -> u64 {
    let lacking = wanted - successes;
    let half = u128::from(lacking) * u128::from(trials) / (2 * (u128::from(successes) + 1));
    trials.saturating_add(lacking.max(u64::try_from(half).unwrap_or(u64::MAX)))
}

impl Outcomes {
    /// Returns the number of trials an arm needs for `wanted` successes, and whether it is final.
    /// The third is the number of failures without which it might have them within `most` trials.
    pub(super) fn until(&self, arm: usize, wanted: u64, most: u64) -> (u64, bool, u64) {
        let (mut successes, mut failures, mut from) = (0, 0, 0);
        loop {
            let look = next_look(wanted, successes, from).min(most);
            for trial in from..look {
                match self.at(arm, trial) {
                    Seen::Missing => return (look, false, 0),
                    Seen::Unsuccessful => {}
                    Seen::Failed => failures += 1,
                    Seen::Successful => successes += 1,
                }
                if successes == wanted {
                    return (trial + 1, true, 0);
                }
            }
            if look == most {
                let open = if successes + failures < wanted { 0 } else { failures };
                return (most, true, open);
            }
            from = look;
        }
    }
}

impl StoppingRule {
    /// Returns the exact interval of an arm's success rate where a number of successes ended its
    /// trials. `None` with another rule, or if the arm has not ended. `None` also if trials failed,
    /// because a failed trial may have been one of the successes.
    #[must_use]
    pub fn exact_interval(&self, counts: TrialCounts) -> Option<Interval> {
        let StoppingCriterion::Successes { wanted, most } = self.criterion else { return None };
        let TrialCounts { successes, trials, failures } = counts;
        let ended = (failures == 0 && trials > 0).then_some((successes, trials));
        ended.and_then(|(successes, trials)| {
            inverse_sampling(successes, trials, wanted, most, self.confidence)
        })
    }

    /// Returns the interval of the success rate of an arm that has ended. It is the exact one if
    /// there is one, otherwise [`open_interval`](Self::open_interval). `None` without trials.
    #[must_use]
    pub fn final_interval(&self, counts: TrialCounts) -> Option<Interval> {
        self.exact_interval(counts).or_else(|| self.open_interval(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(wanted: u64, most: u64) -> StoppingRule {
        StoppingRule { criterion: StoppingCriterion::Successes { wanted, most }, confidence: 0.95 }
    }

    /// Runs one arm look by look. Returns its end, the failures that leave the answer open, the
    /// number of trials that were run, and the number of looks.
    fn run(wanted: u64, most: u64, outcome: impl Fn(u64) -> Option<bool>) -> (u64, u64, u64, u64) {
        let (rule, mut outcomes) = (rule(wanted, most), Outcomes::new(1));
        let (mut ran, mut looks) = (0, 0);
        loop {
            let state = rule.state(&outcomes, most);
            if state.settled {
                return (state.target_trials[0], state.open, ran, looks);
            }
            assert!(state.target_trials[0] > ran && state.target_trials[0] <= most, "{state:?}");
            (ran..state.target_trials[0]).for_each(|trial| outcomes.note(0, trial, outcome(trial)));
            (ran, looks) = (state.target_trials[0], looks + 1);
        }
    }

    /// The end is the trial of the last wanted success, counted here one by one.
    #[test]
    fn an_arm_ends_at_its_last_wanted_success_or_at_the_most() {
        for every in [1u64, 2, 5, 17, 60] {
            for (wanted, most) in [(1, 1), (1, 100), (7, 7), (7, 40), (7, 1_000), (30, 1_000)] {
                let outcome = |trial: u64| (trial * trial + 3 * trial).is_multiple_of(every);
                let mut successes = 0;
                let by_count = (0..most).find(|trial| {
                    successes += u64::from(outcome(*trial));
                    successes == wanted
                });
                let (end, open, ran, _) = run(wanted, most, |trial| Some(outcome(trial)));
                assert_eq!((end, open), (by_count.map_or(most, |last| last + 1), 0), "{every}");
                assert!(ran >= end, "{ran}");
            }
        }
    }

    #[test]
    fn rare_successes_need_few_looks_and_certain_ones_no_trial_too_many() {
        assert_eq!(run(7, 1_000, |_| Some(true)), (7, 0, 7, 1));
        assert_eq!(run(7, 1_000, |_| Some(false)), (1_000, 0, 1_000, 5));
        let (end, _, ran, looks) = run(7, 1_000_000, |trial| Some(trial % 1_000 == 999));
        assert_eq!(end, 7_000);
        assert!(looks < 20 && ran < 7_700, "{looks} looks, {ran} trials");
    }

    #[test]
    fn trials_that_came_before_their_look_count_at_it() {
        let mut outcomes = Outcomes::new(1);
        (0..60).for_each(|trial| outcomes.note(0, trial, Some(trial % 2 == 1)));
        let state = rule(7, 100).state(&outcomes, 100);
        assert_eq!((state.target_trials, state.settled), (vec![14], true));
    }

    #[test]
    fn failed_trials_are_no_successes_and_may_leave_the_answer_open() {
        let failing =
            |every: u64| move |trial: u64| (!trial.is_multiple_of(every)).then_some(trial % 2 == 1);
        // Trials 0, 3, 6, 9, … fail, so 1, 5, 7, 11, … succeed.
        assert_eq!(run(3, 100, failing(3)).0, 8);
        let (end, open, ..) = run(20, 40, failing(3));
        assert_eq!((end, open), (40, 14));
        // Even all of them would not suffice.
        assert_eq!(run(40, 40, failing(39)).1, 0);
        let counts = TrialCounts { successes: 3, trials: 6, failures: 2 };
        let rule = rule(3, 100);
        assert_eq!(rule.exact_interval(counts), None);
        assert_eq!(rule.final_interval(counts), rule.open_interval(counts));
        let ran = TrialCounts { failures: 0, ..counts };
        assert_eq!(rule.final_interval(ran), inverse_sampling(3, 6, 3, 100, 0.95));
        let going = TrialCounts { successes: 2, ..ran };
        assert_eq!(rule.final_interval(going), rule.interval(2, 6));
    }
}
