//! Missing trials: those that an experiment should have but lacks.

use crate::plan::Plan;
use crate::plan::round::Share;
use crate::results::Finished;
use std::ops::Range;

/// Trials to run: ascending ranges of trial numbers per arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    arms: Vec<Vec<Range<u64>>>,
}

impl Missing {
    /// Returns the trials that a share of an experiment lacks; all missing trials of the experiment
    /// if `share` is `None`. `target_trials` is the number of trials that each arm is to have.
    #[must_use]
    pub fn of(
        plan: &Plan,
        share: Option<&Share>,
        finished: &Finished,
        target_trials: &[u64],
    ) -> Self {
        let of_arm = |arm: usize| {
            let targets =
                share.map_or(0..target_trials[arm], |share| share.trials(arm, plan.repeats));
            finished.missing(arm, targets)
        };
        Missing { arms: (0..plan.arms.len()).map(of_arm).collect() }
    }

    /// Returns all trials that a share of an experiment is to have, at most; all trials of the
    /// experiment if `share` is `None`.
    #[must_use]
    pub fn all(plan: &Plan, share: Option<&Share>) -> Self {
        let arms = plan.arms.len();
        Missing::of(plan, share, &Finished::new(arms), &vec![plan.repeats; arms])
    }

    /// Keeps only the trials of the arms that are true in `chosen`.
    #[must_use]
    pub fn only(mut self, chosen: &[bool]) -> Self {
        let left_out = self.arms.iter_mut().zip(chosen).filter(|(_, chosen)| !**chosen);
        left_out.for_each(|(runs, _)| runs.clear());
        self
    }

    /// Returns the runs of trial numbers of each arm, in plan order.
    #[must_use]
    pub fn runs(&self) -> &[Vec<Range<u64>>] {
        &self.arms
    }

    /// Returns whether a trial is missing.
    #[must_use]
    pub fn has(&self, arm: usize, trial: u64) -> bool {
        self.arms[arm].iter().any(|run| run.contains(&trial))
    }

    /// Returns whether nothing is left to run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.arms.iter().all(Vec::is_empty)
    }

    /// Returns the number of missing trials.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.arms.iter().flatten().map(length).sum()
    }

    /// Returns the arm and the number of the first missing trial.
    #[must_use]
    pub fn first(&self) -> Option<(usize, u64)> {
        let of_arm = |(arm, runs): (usize, &Vec<Range<u64>>)| Some((arm, runs.first()?.start));
        self.arms.iter().enumerate().find_map(of_arm)
    }

    /// Returns the number of trials that are missing in both.
    #[must_use]
    pub fn common(&self, other: &Missing) -> u64 {
        self.arms.iter().zip(&other.arms).map(|(one, other)| common(one, other)).sum()
    }
}

fn length(run: &Range<u64>) -> u64 {
    run.end - run.start
}

/// Returns the number of trial numbers that are in both lists of runs, which ascend.
fn common(runs: &[Range<u64>], others: &[Range<u64>]) -> u64 {
    let shared = |one: &Range<u64>, other: &Range<u64>| {
        one.end.min(other.end).saturating_sub(one.start.max(other.start))
    };
    let (mut trials, mut place) = (0, 0);
    for run in runs {
        while others.get(place).is_some_and(|other| other.end <= run.start) {
            place += 1;
        }
        let overlapping = others[place..].iter().take_while(|other| other.start < run.end);
        trials += overlapping.map(|other| shared(run, other)).sum::<u64>();
    }
    trials
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn missing(numbers: &BTreeSet<u64>) -> Missing {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for number in numbers {
            match runs.last_mut().filter(|run| run.end == *number) {
                Some(run) => run.end += 1,
                None => runs.push(*number..number + 1),
            }
        }
        Missing { arms: vec![runs] }
    }

    proptest! {
        #[test]
        fn trials_that_two_lack_are_those_of_both_sets(
            one in prop::collection::btree_set(0_u64..60, 0..40),
            other in prop::collection::btree_set(0_u64..60, 0..40),
        ) {
            let both = one.intersection(&other).count() as u64;
            let (one, other) = (missing(&one), missing(&other));
            prop_assert_eq!(one.common(&other), both);
            prop_assert_eq!(other.common(&one), both);
            prop_assert_eq!(one.common(&one), one.trials());
        }
    }

    #[test]
    fn the_first_is_of_the_first_arm_that_lacks_one() {
        let none = Missing { arms: vec![Vec::new(), Vec::new()] };
        assert!(none.is_empty() && none.first().is_none());
        let some = Missing { arms: vec![Vec::new(), vec![3..5, 9..10]] };
        assert_eq!((some.first(), some.trials()), (Some((1, 3)), 3));
    }
}
