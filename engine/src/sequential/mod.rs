//! Sequential trials: repeats that end as soon as a question is answered.
//!
//! Decisions are made at certain numbers of trials, the looks. They depend only on the trials below
//! the look, so threads, kills and restarts do not affect them.

pub mod cost_race;
pub mod costs;
mod dropping;
pub mod outcome_list;
pub mod race;
mod successes;

use self::cost_race::{CostRaceState, Fate, cost_race};
use self::costs::Costs;
use self::outcome_list::{OutcomeList, Seen};
use self::race::{RaceState, Standing, race};
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::record::TrialRecord;
use crate::stats::{
    Interval, TrialCounts, concentration_for, confidence_sequence, evidence_against,
};

/// Concentration (number of imagined trials) if no precision is requested. It suits from some
/// dozens of trials to many thousands.
pub const CONCENTRATION: f64 = 10.0;
/// Number of trials at the first look.
const FIRST: u64 = 50;

/// Returns the numbers of trials of all looks. The first is 50, and each is a quarter greater than
/// the one before, up to `most`.
pub fn looks(most: u64) -> impl Iterator<Item = u64> {
    looks_from(FIRST, most)
}

/// Returns the numbers of trials of all looks. The first is `first`, and each is a quarter greater
/// than the one before, up to `most`.
fn looks_from(first: u64, most: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(first.min(most));
    std::iter::from_fn(move || {
        let look = next?;
        next = (look < most).then(|| (look + look.div_ceil(4)).min(most));
        Some(look)
    })
}

/// Outcomes of all arms so far.
#[derive(Clone, Debug)]
pub struct Outcomes {
    arms: Vec<OutcomeList>,
    /// Costs of the trials; `None` if the stopping rule does not compare costs.
    costs: Option<Costs>,
}

/// State of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialState {
    /// Number of trials that each arm should have by now.
    pub target_trials: Vec<u64>,
    /// Whether no more trials are needed.
    pub settled: bool,
    /// Better of two arms; `None` if the criterion is another one, or if the answer is not known.
    pub better: Option<usize>,
    /// Number of failed trials that prevent an answer.
    pub open: u64,
    /// Standing of each racing arm; `None` while it races. Empty if there are no races.
    pub standings: Vec<Option<Standing>>,
}

impl Outcomes {
    /// Creates an empty set of outcomes for `arms` arms.
    #[must_use]
    pub fn new(arms: usize) -> Self {
        Outcomes { arms: vec![OutcomeList::default(); arms], costs: None }
    }

    /// Creates an empty set of the outcomes that a stopping rule looks at.
    #[must_use]
    pub fn of(rule: &StoppingRule, arms: usize) -> Self {
        let costs = match &rule.criterion {
            StoppingCriterion::Cheapest(race) => Some(Costs::new(race.cost, arms)),
            _ => None,
        };
        Outcomes { costs, ..Outcomes::new(arms) }
    }

    /// Adds the outcome of a trial. Trials may be added in any order.
    pub fn add(&mut self, record: &TrialRecord) {
        self.costs.iter_mut().for_each(|costs| costs.add(record));
        self.note(
            record.arm,
            record.trial,
            (!record.outcome.is_failure()).then_some(record.success),
        );
    }

    /// Records whether a trial succeeded; `None` if it failed, so that its result is unknown.
    pub fn note(&mut self, arm: usize, trial: u64, success: Option<bool>) {
        self.arms[arm].note(trial, success);
    }

    fn at(&self, arm: usize, trial: u64) -> Seen {
        self.arms[arm].at(trial)
    }

    /// Returns whether a trial succeeded. `None` if it is missing, and `Some(None)` if it failed.
    pub(super) fn success(&self, arm: usize, trial: u64) -> Option<Option<bool>> {
        match self.at(arm, trial) {
            Seen::Missing => None,
            Seen::Failed => Some(None),
            Seen::Successful => Some(Some(true)),
            Seen::Unsuccessful => Some(Some(false)),
        }
    }

    /// Adds up the outcomes of these trials; `None` if one is missing.
    fn count(&self, arm: usize, trials: std::ops::Range<u64>) -> Option<TrialCounts> {
        let mut counts = TrialCounts::default();
        for trial in trials {
            match self.at(arm, trial) {
                Seen::Missing => return None,
                Seen::Unsuccessful => counts.add(false, false),
                Seen::Successful => counts.add(false, true),
                Seen::Failed => counts.add(true, false),
            }
        }
        Some(counts)
    }
}

impl StoppingRule {
    /// Returns the interval of a rate that holds at all looks simultaneously. `None` if there are
    /// no trials.
    #[must_use]
    pub fn interval(&self, successes: u64, trials: u64) -> Option<Interval> {
        confidence_sequence(successes, trials, self.confidence, |rate| self.concentration(rate))
    }

    /// Returns the [`interval`](Self::interval) that holds for any results of the failed trials.
    /// The lower bound counts all of them as unsuccessful, the upper bound as successful.
    #[must_use]
    pub fn open_interval(&self, counts: TrialCounts) -> Option<Interval> {
        let interval = |(successes, trials)| self.interval(successes, trials);
        Some(Interval { low: interval(counts.least())?.low, high: interval(counts.most())?.high })
    }

    /// Returns the concentration (number of imagined trials) of the evidence against a rate. It
    /// suits the requested precision, if there is one.
    #[must_use]
    pub fn concentration(&self, rate: f64) -> f64 {
        match self.criterion {
            StoppingCriterion::Precision { half_width } => concentration_for(half_width, rate),
            StoppingCriterion::Successes { .. }
            | StoppingCriterion::Decision { .. }
            | StoppingCriterion::Best { .. }
            | StoppingCriterion::Cheapest(_) => CONCENTRATION,
        }
    }

    /// Returns the state of an experiment with these outcomes and at most `most` trials per arm.
    #[must_use]
    pub fn state(&self, outcomes: &Outcomes, most: u64) -> SequentialState {
        let arms = outcomes.arms.len();
        match &self.criterion {
            StoppingCriterion::Precision { half_width } => {
                of_each((0..arms).map(|arm| self.precise(outcomes, arm, *half_width, most)))
            }
            StoppingCriterion::Successes { wanted, .. } => {
                of_each((0..arms).map(|arm| outcomes.until(arm, *wanted, most)))
            }
            StoppingCriterion::Decision { first, second } => {
                let (target_trials, settled, better, open) =
                    self.decided(outcomes, *first, *second, most);
                let target_trials = vec![target_trials; arms];
                SequentialState { target_trials, settled, better, open, standings: Vec::new() }
            }
            StoppingCriterion::Best { races } => self.raced(outcomes, races, |_| most),
            StoppingCriterion::Cheapest(race) => {
                let none = Costs::new(race.cost, arms);
                let costs = outcomes.costs.as_ref().unwrap_or(&none);
                raced_by_cost(cost_race(costs, race, self.confidence, most))
            }
        }
    }

    /// Returns the state of the races. `most` returns the maximum number of trials per arm of a
    /// race, given by the indices of its arms.
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
            // A race may have no arms here, because only some arms may be selected.
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

    /// Returns the standings of the arms in finished races, from the outcomes of all their trials.
    /// Empty if there are no races.
    #[must_use]
    pub fn standings(&self, arms: Vec<OutcomeList>) -> Vec<Option<Standing>> {
        let StoppingCriterion::Best { races } = &self.criterion else { return Vec::new() };
        let outcomes = Outcomes { arms, costs: None };
        // Arms that never dropped out ran longest: to the maximum, or until no other arm was left.
        let most = |of: &[usize]| of.iter().map(|arm| outcomes.arms[*arm].len()).max().unwrap_or(0);
        self.raced(&outcomes, races, most).standings
    }

    /// Returns the number of trials an arm needs, whether it is final, and the number of failures
    /// that leave its rate open. A rate is precise if it is so for any results of the failed
    /// trials.
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
            counts += more;
            from = look;
            if narrow(self.open_interval(counts)) {
                return (look, true, 0);
            }
        }
        (most, true, counts.failures)
    }

    /// Decides which of two arms is better by comparing trial k of one arm with trial k of the
    /// other. If the rates are equal, the pairs in which only one succeeds are tosses of a fair
    /// coin. The other arms run as many trials. An arm is better only if it is so with every
    /// failure counted against it. Any other results of the failed trials then give more evidence,
    /// and the bound on wrong decisions holds.
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
        // Pairs that both ran, and pairs with a failure by their possible results.
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

/// Returns the state of an experiment whose settings race by cost.
fn raced_by_cost(race: CostRaceState) -> SequentialState {
    let instances = race.target_trials.len() / race.fates.len().max(1);
    let left = race.fates.iter().filter(|fate| **fate == Fate::Left).count();
    let standing = |fate: &Fate| match fate {
        Fate::DroppedOut { after, .. } => Standing::DroppedOut { after: *after },
        Fate::Left if left == 1 => Standing::Best,
        Fate::Left => Standing::NotToldApart,
    };
    let of_settings = race.fates.iter().map(|fate| race.settled.then(|| standing(fate)));
    SequentialState {
        standings: of_settings.flat_map(|one| vec![one; instances]).collect(),
        target_trials: race.target_trials,
        settled: race.settled,
        better: None,
        open: 0,
    }
}

/// Returns the state of arms that each end alone: trials needed, whether that is final, and
/// failures that leave the answer open.
fn of_each(arms: impl Iterator<Item = (u64, bool, u64)>) -> SequentialState {
    let mut whole = SequentialState {
        target_trials: Vec::new(),
        settled: true,
        better: None,
        open: 0,
        standings: Vec::new(),
    };
    for (target_trials, settled, open) in arms {
        whole.target_trials.push(target_trials);
        whole.settled &= settled;
        whole.open += open;
    }
    whole
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
        let stopping_rule = StoppingRule {
            criterion: StoppingCriterion::Precision { half_width: 0.1 },
            confidence: 0.95,
        };
        let mut outcomes = Outcomes::new(2);
        assert_eq!(stopping_rule.state(&outcomes, 10_000).target_trials, [50, 50]);
        // The arm with a success in every second trial takes longer than the arm that always
        // succeeds.
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
        // Trials beyond the answer change nothing; a missing trial would delay it.
        outcomes.note(0, state.target_trials[0] + 5, Some(false));
        assert_eq!(stopping_rule.state(&outcomes, 10_000), state);
        assert!(!stopping_rule.state(&outcomes, 10).settled || state.target_trials[0] > 10);
    }

    #[test]
    fn the_better_arm_is_found_and_equals_are_not_told_apart() {
        let stopping_rule = StoppingRule {
            criterion: StoppingCriterion::Decision { first: 0, second: 1 },
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

    /// Runs trials until the question is answered. An outcome of `None` is a failed trial.
    fn run(
        criterion: StoppingCriterion,
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
        // The first arm succeeds in every trial that runs, the second in 3 of 10.
        let ran = |every: u64| {
            move |arm: usize, trial: u64| {
                let failed = arm == 0 && !trial.is_multiple_of(every);
                (!failed).then_some(arm == 0 || trial % 10 < 3)
            }
        };
        let decide = || StoppingCriterion::Decision { first: 1, second: 0 };
        let whole = run(decide(), 400, ran(1));
        assert_eq!((whole.better, whole.open), (Some(0), 0));
        // Four of five trials fail: the other trials would be decisive, but the failed ones could
        // reverse it.
        let open = run(decide(), 400, ran(5));
        assert_eq!((open.better, open.open, open.target_trials[0]), (None, 320, 400));
        // One of ten trials fails: the decision takes longer.
        let few = run(decide(), 400, |arm, trial| {
            ran(1)(arm, trial).filter(|_| arm == 1 || trial % 10 != 0)
        });
        assert_eq!((few.better, few.open), (Some(0), 0));
        assert!(few.target_trials[0] >= whole.target_trials[0], "{few:?}");
        let precise = || StoppingCriterion::Precision { half_width: 0.1 };
        let (whole, open) = (run(precise(), 400, ran(1)), run(precise(), 400, ran(2)));
        assert!(whole.target_trials[0] < 400 && whole.open == 0, "{whole:?}");
        assert_eq!((open.target_trials[0], open.open), (400, 200));
        // All trials failed.
        assert_eq!(run(precise(), 100, |_, _| None).open, 200);
    }
}
