//! Sequential trials: repeats that end when a question is answered.
//!
//! Decisions fall at fixed numbers of trials, the looks, and follow from the trials below them
//! alone: the same whatever the threads, kills and restarts.

pub mod outcome_list;
pub mod race;

use self::outcome_list::{OutcomeList, Seen};
use self::race::{RaceState, Standing, race};
use crate::plan::stopping::{Criterion, StoppingRule};
use crate::record::TrialRecord;
use crate::stats::{
    Interval, TrialCounts, concentration_for, confidence_sequence, evidence_against,
};

/// Imagined trials where nobody said how precise the answer is to be: good from some dozens of
/// trials to many thousands.
pub const CONCENTRATION: f64 = 10.0;
/// Trials before the first look.
const FIRST: u64 = 50;

/// The numbers of trials at which is looked: from 50 on, each a quarter more than the one before,
/// up to `most`.
pub fn looks(most: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(FIRST.min(most));
    std::iter::from_fn(move || {
        let look = next?;
        next = (look < most).then(|| (look + look.div_ceil(4)).min(most));
        Some(look)
    })
}

/// The outcomes so far.
#[derive(Clone, Debug)]
pub struct Outcomes {
    arms: Vec<OutcomeList>,
}

/// Where an experiment stands.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialState {
    /// Trials that each arm is to have by now.
    pub target_trials: Vec<u64>,
    /// Nothing more is to be run.
    pub settled: bool,
    /// Which of two arms is better, where that was asked and is known.
    pub better: Option<usize>,
    /// Failed trials that stand in the way of an answer.
    pub open: u64,
    /// Of arms that race, one each: what became of it; none while it races. Empty without races.
    pub standings: Vec<Option<Standing>>,
}

impl Outcomes {
    /// No trials yet, for so many arms.
    #[must_use]
    pub fn new(arms: usize) -> Self {
        Outcomes { arms: vec![OutcomeList::default(); arms] }
    }

    /// Takes up the outcome of a trial, in any order.
    pub fn add(&mut self, record: &TrialRecord) {
        self.note(
            record.arm,
            record.trial,
            (!record.outcome.is_failure()).then_some(record.success),
        );
    }

    /// Takes note of a trial: whether it succeeded; none if it failed, and nobody knows what it
    /// would have come to.
    pub fn note(&mut self, arm: usize, trial: u64, success: Option<bool>) {
        self.arms[arm].note(trial, success);
    }

    fn at(&self, arm: usize, trial: u64) -> Seen {
        self.arms[arm].at(trial)
    }

    /// Whether a trial succeeded: none if it is missing, and none within if it failed.
    pub(super) fn success(&self, arm: usize, trial: u64) -> Option<Option<bool>> {
        match self.at(arm, trial) {
            Seen::Missing => None,
            Seen::Failed => Some(None),
            Seen::Successful => Some(Some(true)),
            Seen::Unsuccessful => Some(Some(false)),
        }
    }

    /// Adds up these trials; none if one is missing.
    fn count(&self, arm: usize, trials: std::ops::Range<u64>) -> Option<TrialCounts> {
        let mut counts = TrialCounts::default();
        for trial in trials {
            match self.at(arm, trial) {
                Seen::Missing => return None,
                Seen::Unsuccessful => counts.trials += 1,
                Seen::Successful => {
                    (counts.successes, counts.trials) = (counts.successes + 1, counts.trials + 1)
                }
                Seen::Failed => counts.failures += 1,
            }
        }
        Some(counts)
    }
}

impl StoppingRule {
    /// The interval that holds at all looks at once.
    #[must_use]
    pub fn interval(&self, successes: u64, trials: u64) -> Option<Interval> {
        confidence_sequence(successes, trials, self.confidence, |rate| self.concentration(rate))
    }

    /// As [`interval`](Self::interval), whatever the failed trials would have come to: from the
    /// lower end if all of them were unsuccessful to the upper end if all were successful.
    #[must_use]
    pub fn open_interval(&self, counts: TrialCounts) -> Option<Interval> {
        let interval = |(successes, trials)| self.interval(successes, trials);
        Some(Interval { low: interval(counts.least())?.low, high: interval(counts.most())?.high })
    }

    /// Imagined trials of the evidence against a rate: for the precision that is asked for, where
    /// one is.
    #[must_use]
    pub fn concentration(&self, rate: f64) -> f64 {
        match self.criterion {
            Criterion::Precision { half_width } => concentration_for(half_width, rate),
            Criterion::Decision { .. } | Criterion::Best { .. } => CONCENTRATION,
        }
    }

    /// Where an experiment stands that has these outcomes and may run up to `most` trials per arm.
    #[must_use]
    pub fn state(&self, outcomes: &Outcomes, most: u64) -> SequentialState {
        let arms = outcomes.arms.len();
        let standings = Vec::new();
        match &self.criterion {
            Criterion::Precision { half_width } => {
                let each: Vec<(u64, bool, u64)> =
                    (0..arms).map(|arm| self.precise(outcomes, arm, *half_width, most)).collect();
                SequentialState {
                    target_trials: each.iter().map(|(target_trials, ..)| *target_trials).collect(),
                    settled: each.iter().all(|(_, settled, _)| *settled),
                    better: None,
                    open: each.iter().map(|(.., open)| open).sum(),
                    standings,
                }
            }
            Criterion::Decision { first, second } => {
                let (target_trials, settled, better, open) =
                    self.decided(outcomes, *first, *second, most);
                let target_trials = vec![target_trials; arms];
                SequentialState { target_trials, settled, better, open, standings }
            }
            Criterion::Best { races } => self.raced(outcomes, races, |_| most),
        }
    }

    /// Where the races stand; `most`: trials that each arm of a race, given by the places of its
    /// arms, may have.
    fn raced(
        &self,
        outcomes: &Outcomes,
        races: &[usize],
        most: impl Fn(&[usize]) -> u64,
    ) -> SequentialState {
        let arms = outcomes.arms.len();
        let mut whole = SequentialState {
            target_trials: vec![0; arms],
            settled: true,
            better: None,
            open: 0,
            standings: vec![None; arms],
        };
        for number in 0..races.iter().max().map_or(0, |last| last + 1) {
            let of: Vec<usize> = (0..arms).filter(|arm| races[*arm] == number).collect();
            // Where only some arms are looked at, there may be none of a race.
            if of.is_empty() {
                continue;
            }
            let RaceState { target_trials, settled, standings, open } =
                race(outcomes, &of, self.confidence, most(&of));
            for ((arm, target), standing) in of.iter().zip(target_trials).zip(standings) {
                (whole.target_trials[*arm], whole.standings[*arm]) = (target, standing);
            }
            whole.settled &= settled;
            whole.open += open;
        }
        whole
    }

    /// What became of the arms in races that are over, from the outcomes of all their trials. Empty
    /// without races.
    #[must_use]
    pub fn standings(&self, arms: Vec<OutcomeList>) -> Vec<Option<Standing>> {
        let Criterion::Best { races } = &self.criterion else { return Vec::new() };
        let outcomes = Outcomes { arms };
        // Who is left ran longest: to the maximum, or until nobody else was left.
        let most = |of: &[usize]| of.iter().map(|arm| outcomes.arms[*arm].len()).max().unwrap_or(0);
        self.raced(&outcomes, races, most).standings
    }

    /// Trials wanted of an arm, whether they are all, and the failures that leave its rate open: it
    /// is precise when it is so whatever the failed trials would have come to.
    fn precise(
        &self,
        outcomes: &Outcomes,
        arm: usize,
        half_width: f64,
        most: u64,
    ) -> (u64, bool, u64) {
        let (mut counts, mut from) = (TrialCounts::default(), 0);
        let narrow = |interval: Option<Interval>| {
            interval.is_some_and(|one| one.high - one.low <= 2.0 * half_width)
        };
        for look in looks(most) {
            let Some(more) = outcomes.count(arm, from..look) else { return (look, false, 0) };
            counts = TrialCounts {
                successes: counts.successes + more.successes,
                trials: counts.trials + more.trials,
                failures: counts.failures + more.failures,
            };
            from = look;
            if narrow(self.open_interval(counts)) {
                return (look, true, 0);
            }
        }
        (most, true, counts.failures)
    }

    /// Trial k of one arm beside trial k of the other: if the rates are equal, those of which one
    /// alone succeeds are tosses of a fair coin. The other arms keep step. An arm is better only if
    /// it is so with every failure settled against it: then any other way to settle them gives more
    /// evidence, and the bound on a wrong decision holds.
    fn decided(
        &self,
        outcomes: &Outcomes,
        first: usize,
        second: usize,
        most: u64,
    ) -> (u64, bool, Option<usize>, u64) {
        let limit = -libm::log(1.0 - self.confidence);
        let tells = |ahead: u64, behind: u64| {
            ahead > behind && evidence_against(0.5, ahead, ahead + behind, CONCENTRATION) >= limit
        };
        // Pairs that both ran; and those with a failure, by what they could turn into.
        let (mut ahead, mut behind, mut from, mut open) = (0, 0, 0, 0);
        let (mut perhaps_ahead, mut perhaps_behind) = (0, 0);
        for look in looks(most) {
            for trial in from..look {
                match (outcomes.at(first, trial), outcomes.at(second, trial)) {
                    (Seen::Missing, _) | (_, Seen::Missing) => return (look, false, None, 0),
                    (Seen::Successful, Seen::Unsuccessful) => ahead += 1,
                    (Seen::Unsuccessful, Seen::Successful) => behind += 1,
                    (one, other) if one == Seen::Failed || other == Seen::Failed => {
                        open += u64::from(one == Seen::Failed) + u64::from(other == Seen::Failed);
                        perhaps_ahead +=
                            u64::from(one != Seen::Unsuccessful && other != Seen::Successful);
                        perhaps_behind +=
                            u64::from(one != Seen::Successful && other != Seen::Unsuccessful);
                    }
                    _ => {}
                }
            }
            from = look;
            let mut better = None;
            if tells(ahead, behind + perhaps_behind) {
                better = Some(first);
            } else if tells(behind, ahead + perhaps_ahead) {
                better = Some(second);
            }
            if better.is_some() || look == most {
                let complete =
                    (0..outcomes.arms.len()).all(|arm| outcomes.count(arm, 0..look).is_some());
                let turned = better.is_none() && (tells(ahead, behind) || tells(behind, ahead));
                return (look, complete, better, if turned { open } else { 0 });
            }
        }
        (most, true, None, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_lie_a_quarter_apart_and_end_at_the_most() {
        assert_eq!(looks(130).collect::<Vec<_>>(), [50, 63, 79, 99, 124, 130]);
        assert_eq!(looks(7).collect::<Vec<_>>(), [7]);
        assert_eq!(looks(50).collect::<Vec<_>>(), [50]);
    }

    #[test]
    fn a_rate_is_run_until_it_is_precise() {
        let stopping_rule =
            StoppingRule { criterion: Criterion::Precision { half_width: 0.1 }, confidence: 0.95 };
        let mut outcomes = Outcomes::new(2);
        assert_eq!(stopping_rule.state(&outcomes, 10_000).target_trials, [50, 50]);
        // One arm succeeds always, the other every second time: that takes longer.
        let mut state = stopping_rule.state(&outcomes, 10_000);
        while !state.settled {
            for (arm, target_trials) in state.target_trials.iter().enumerate() {
                for trial in 0..*target_trials {
                    outcomes.note(arm, trial, Some(arm == 0 || trial % 2 == 0));
                }
            }
            state = stopping_rule.state(&outcomes, 10_000);
        }
        assert!(state.target_trials[0] < state.target_trials[1], "{:?}", state.target_trials);
        let interval = stopping_rule
            .interval(state.target_trials[1] / 2, state.target_trials[1])
            .expect("trials");
        assert!(interval.high - interval.low <= 0.2);
        // What lies beyond the answer changes nothing, and a trial that is missing holds it up.
        outcomes.note(0, state.target_trials[0] + 5, Some(false));
        assert_eq!(stopping_rule.state(&outcomes, 10_000), state);
        assert!(!stopping_rule.state(&outcomes, 10).settled || state.target_trials[0] > 10);
    }

    #[test]
    fn the_better_arm_is_found_and_equals_are_not_told_apart() {
        let stopping_rule = StoppingRule {
            criterion: Criterion::Decision { first: 0, second: 1 },
            confidence: 0.95,
        };
        let run = |success: fn(usize, u64) -> bool| {
            let mut outcomes = Outcomes::new(3);
            let mut state = stopping_rule.state(&outcomes, 400);
            while !state.settled {
                for (arm, target_trials) in state.target_trials.iter().enumerate() {
                    (0..*target_trials)
                        .for_each(|trial| outcomes.note(arm, trial, Some(success(arm, trial))));
                }
                state = stopping_rule.state(&outcomes, 400);
            }
            state
        };
        let state = run(|arm, trial| trial % 10 < [3, 8, 0][arm]);
        assert_eq!((state.better, state.target_trials), (Some(1), vec![50; 3]));
        let equal = run(|arm, trial| (trial + arm as u64).is_multiple_of(2));
        assert_eq!((equal.better, equal.target_trials), (None, vec![400; 3]));
    }

    /// Trials without end, until the question is answered; none: the trial failed.
    fn run(
        criterion: Criterion,
        most: u64,
        outcome: impl Fn(usize, u64) -> Option<bool>,
    ) -> SequentialState {
        let stopping_rule = StoppingRule { criterion, confidence: 0.95 };
        let mut outcomes = Outcomes::new(2);
        loop {
            let state = stopping_rule.state(&outcomes, most);
            if state.settled {
                return state;
            }
            for (arm, target_trials) in state.target_trials.iter().enumerate() {
                (0..*target_trials)
                    .for_each(|trial| outcomes.note(arm, trial, outcome(arm, trial)));
            }
        }
    }

    #[test]
    fn an_answer_that_failures_could_turn_is_none() {
        // The first arm succeeds whenever it runs; the second in 3 of 10.
        let ran = |every: u64| {
            move |arm: usize, trial: u64| {
                let failed = arm == 0 && !trial.is_multiple_of(every);
                (!failed).then_some(arm == 0 || trial % 10 < 3)
            }
        };
        let decide = || Criterion::Decision { first: 1, second: 0 };
        let whole = run(decide(), 400, ran(1));
        assert_eq!((whole.better, whole.open), (Some(0), 0));
        // Four of five fail: those that ran would tell, but the others could turn it.
        let open = run(decide(), 400, ran(5));
        assert_eq!((open.better, open.open, open.target_trials[0]), (None, 320, 400));
        // One of ten fails: it is told, later.
        let few = run(decide(), 400, |arm, trial| {
            ran(1)(arm, trial).filter(|_| arm == 1 || trial % 10 != 0)
        });
        assert_eq!((few.better, few.open), (Some(0), 0));
        assert!(few.target_trials[0] >= whole.target_trials[0], "{few:?}");
        let precise = || Criterion::Precision { half_width: 0.1 };
        let (whole, open) = (run(precise(), 400, ran(1)), run(precise(), 400, ran(2)));
        assert!(whole.target_trials[0] < 400 && whole.open == 0, "{whole:?}");
        assert_eq!((open.target_trials[0], open.open), (400, 200));
        // Nothing ran at all.
        assert_eq!(run(precise(), 100, |_, _| None).open, 200);
    }
}
