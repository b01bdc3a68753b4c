//! Races by cost: settings run on the same instances until few are left, and worse ones drop out
//! early.
//!
//! At each look, setting i drops out as an arm of a race by success does ([`race`](super::race)):
//! if the mean of e-processes, one for each other setting j, is large enough. Each is an e-process
//! against "over all instances together, a trial of j is cheaper than that of i no more often than
//! it is dearer". It compares trial k of one with trial k of the other on the same instance, and
//! leaves ties out. So with a probability of at least the confidence, no setting drops out that no
//! other beats in this sense.
//!
//! On one instance j may be cheaper more often than not, so single pairs are no tosses of a fair
//! coin. But a look has as many pairs of each instance. A likelihood ratio of a rate above one half
//! multiplies 1 + λ per head, 1 - λ per tail and 1 per tie. Under the hypothesis, the expected
//! factors of a trial number have at most 1 as their arithmetic mean over the instances. Their
//! product is then at most 1, because a geometric mean is no greater. So the ratios, and their
//! mixture, are supermartingales from look to look.
//!
//! Source of races that configure algorithms: Birattari, Stützle, Paquete and Varrentrapp (2002),
//! "A racing algorithm for configuring metaheuristics", GECCO 2002.

use super::costs::Costs;
use super::dropping::dropping;
use super::looks_from;
use crate::plan::{CostRace, Limit};
use crate::stats::evidence_of_more;

/// Minimum number of pairs of two settings at the first look.
const FIRST_PAIRS: u64 = 10;

/// Returns the number of trials of each setting up to the first look of a race on this many
/// instances: the same number on each.
#[must_use]
pub fn first_look(instances: usize) -> u64 {
    let instances = instances.max(1) as u64;
    FIRST_PAIRS.div_ceil(instances) * instances
}
/// Number of imagined pairs on either side: the prior of the rate of heads is uniform, which drops
/// settings that are always dearer the soonest.
const HALF: u64 = 1;

/// Result of a setting in its race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Left at the end of the race.
    Left,
    /// Dearer than others, at the required confidence.
    DroppedOut {
        /// Number of trials per arm after which the setting dropped out.
        after: u64,
        /// Setting with the most evidence of being cheaper.
        by: usize,
    },
}

/// State of a race by cost.
#[derive(Clone, Debug, PartialEq)]
pub struct CostRaceState {
    /// Number of trials that each arm should have by now.
    pub target_trials: Vec<u64>,
    /// Whether no more trials are needed.
    pub settled: bool,
    /// Fate of each setting.
    pub fates: Vec<Fate>,
    /// All settings, the best first: those that are left by how many more pairs they won than lost
    /// among themselves, then those that dropped out, the last first.
    pub order: Vec<usize>,
}

/// Numbers of pairs of settings by their results.
struct Pairs {
    settings: usize,
    /// Number of pairs in which the first setting was cheaper than the second.
    won: Vec<u64>,
    /// Number of pairs in which the trial of the first setting failed.
    failed: Vec<u64>,
}

impl Pairs {
    fn place(&self, first: usize, second: usize) -> usize {
        first * self.settings + second
    }

    /// Adds the pairs of these trials on one instance. `costs` has the trial of each setting.
    fn add(&mut self, left: &[usize], costs: &[Option<f64>]) {
        for (index, first) in left.iter().enumerate() {
            for second in &left[index + 1..] {
                let (there, back) = (self.place(*first, *second), self.place(*second, *first));
                match (costs[*first], costs[*second]) {
                    (Some(one), Some(other)) => {
                        self.won[there] += u64::from(one < other);
                        self.won[back] += u64::from(other < one);
                    }
                    (one, other) => {
                        self.failed[there] += u64::from(one.is_none());
                        self.failed[back] += u64::from(other.is_none());
                    }
                }
            }
        }
    }

    /// Returns the evidence that the rival is cheaper, with every failed trial counted against the
    /// rival.
    fn evidence(&self, setting: usize, rival: usize) -> f64 {
        let (there, back) = (self.place(setting, rival), self.place(rival, setting));
        let against = self.won[there] + self.failed[there] + self.failed[back];
        evidence_of_more(self.won[back], against, HALF)
    }

    /// Returns by how many pairs a setting won more than it lost against these, where failing
    /// loses.
    fn ahead(&self, setting: usize, others: &[usize]) -> i64 {
        let one = |other: &usize| {
            let (there, back) = (self.place(setting, *other), self.place(*other, setting));
            self.won[there] as i64 - (self.won[back] + self.failed[there]) as i64
        };
        others.iter().filter(|other| **other != setting).map(one).sum()
    }
}

/// Returns the numbers of trials per arm of all looks of a race on `instances` instances.
pub fn looks_of_race(instances: usize, most: u64) -> impl Iterator<Item = u64> {
    looks_from(FIRST_PAIRS.div_ceil(instances as u64), most)
}

/// Returns the state of a race, each arm with at most `most` trials.
#[must_use]
pub fn cost_race(costs: &Costs, race: &CostRace, confidence: f64, most: u64) -> CostRaceState {
    let instances = race.instances;
    let settings = costs.arms() / instances;
    let squared = settings * settings;
    let mut pairs = Pairs { settings, won: vec![0; squared], failed: vec![0; squared] };
    let mut left: Vec<usize> = (0..settings).collect();
    let mut dropped: Vec<usize> = Vec::new();
    let mut state = CostRaceState {
        target_trials: vec![0; costs.arms()],
        settled: false,
        fates: vec![Fate::Left; settings],
        order: Vec::new(),
    };
    let (mut from, mut spent) = (0, Spent::default());
    for look in looks_of_race(instances, most) {
        let more = (look - from) * (left.len() * instances) as u64;
        if left.len() <= race.leave || from > 0 && spent.exceeds(race.limit, more) {
            break;
        }
        for setting in &left {
            state.target_trials[setting * instances..][..instances].fill(look);
        }
        for trial in from..look {
            for instance in 0..instances {
                let mut row = vec![None; settings];
                for setting in &left {
                    let Some(cost) = costs.at(setting * instances + instance, trial) else {
                        return state;
                    };
                    spent.add(cost.evaluations);
                    row[*setting] = cost.cost;
                }
                pairs.add(&left, &row);
            }
        }
        from = look;
        let evidence = |setting, rival| pairs.evidence(setting, rival);
        for setting in dropping(settings, &left, &left, confidence, evidence) {
            let others = left.iter().copied().filter(|other| *other != setting);
            let by = others.max_by(|one, other| {
                evidence(setting, *one).total_cmp(&evidence(setting, *other)).then(other.cmp(one))
            });
            state.fates[setting] = Fate::DroppedOut { after: look, by: by.unwrap_or(setting) };
            dropped.push(setting);
        }
        left.retain(|setting| state.fates[*setting] == Fate::Left);
    }
    state.order.clone_from(&left);
    state.order.sort_by_key(|setting| std::cmp::Reverse(pairs.ahead(*setting, &left)));
    state.order.extend(dropped.iter().rev());
    state.settled = true;
    state
}

/// Cost of a race so far.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    trials: u64,
    evaluations: u64,
}

impl Spent {
    fn add(&mut self, evaluations: u64) {
        (self.trials, self.evaluations) = (self.trials + 1, self.evaluations + evaluations);
    }

    /// Returns whether `more` trials as costly as the earlier ones exceed the limit.
    fn exceeds(self, limit: Option<Limit>, more: u64) -> bool {
        match limit {
            None => false,
            Some(Limit::Trials(most)) => self.trials + more > most,
            Some(Limit::Evaluations(most)) => {
                let each = self.evaluations as f64 / self.trials.max(1) as f64;
                self.evaluations as f64 + each * more as f64 > most as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Cost;
    use crate::random::draws::{Random, unit};
    use crate::sequential::costs::TrialCost;

    fn rule(instances: usize, leave: usize, limit: Option<Limit>) -> CostRace {
        CostRace { cost: Cost::Fitness, instances, leave, limit }
    }

    /// Runs trials until the race is over. `cost` returns the cost of a trial of an arm, or `None`
    /// if it failed; each trial takes 7 evaluations.
    fn run(
        race: &CostRace,
        settings: usize,
        most: u64,
        mut cost: impl FnMut(usize, u64) -> Option<f64>,
    ) -> CostRaceState {
        let arms = settings * race.instances;
        let (mut costs, mut there) = (Costs::new(race.cost, arms), vec![0; arms]);
        loop {
            let state = cost_race(&costs, race, 0.95, most);
            if state.settled {
                return state;
            }
            for (arm, there) in there.iter_mut().enumerate() {
                for trial in *there..state.target_trials[arm] {
                    costs.note(arm, trial, TrialCost { cost: cost(arm, trial), evaluations: 7 });
                }
                *there = state.target_trials[arm].max(*there);
            }
        }
    }

    #[test]
    fn the_dearer_drop_out_and_the_order_is_that_of_the_costs() {
        // Setting 0 is the dearest; 3 and 2 are mostly cheaper than 1.
        let mut random = Random::seed_from_u64(3);
        let state = run(&rule(1, 1, None), 4, 400, |arm, _| {
            Some(unit(&mut random) + [9.0, 0.5, 0.1, 0.0][arm])
        });
        let after = |setting: usize| match state.fates[setting] {
            Fate::DroppedOut { after, .. } => after,
            Fate::Left => 400,
        };
        assert!(after(0) <= 16 && after(0) <= after(1) && after(1) < 100, "{state:?}");
        assert_eq!(state.order, [3, 2, 1, 0]);
        assert_eq!(state.target_trials[..2], [after(0), after(1)]);
    }

    #[test]
    fn a_race_ends_at_its_limit_or_with_few_left() {
        let equal = |_: usize, trial: u64| Some(trial as f64);
        for (limit, trials) in [
            (None, [50; 5]),
            (Some(Limit::Trials(100)), [17; 5]),
            (Some(Limit::Trials(1)), [10; 5]),
            (Some(Limit::Evaluations(100 * 7)), [17; 5]),
        ] {
            let state = run(&rule(1, 2, limit), 5, 50, equal);
            assert_eq!(state.target_trials, trials, "{limit:?}");
            assert_eq!(state.fates, [Fate::Left; 5]);
        }
        // Two of four are always the dearest: two are left, and the race is over.
        let two = run(&rule(1, 2, None), 4, 400, |arm, _| Some((arm / 2) as f64));
        assert_eq!(two.order[..2], [0, 1]);
        assert!(two.target_trials.iter().all(|trials| *trials < 30), "{two:?}");
    }

    #[test]
    fn a_failed_trial_is_evidence_for_nobody() {
        // Setting 0 is cheaper, but fails in most trials: it cannot drop the other.
        let state = run(&rule(1, 1, None), 2, 200, |arm, trial| {
            (arm == 1 || trial % 5 == 0).then_some(arm as f64)
        });
        assert_eq!(state.fates, [Fate::Left; 2]);
        assert_eq!(state.order, [1, 0]);
    }

    #[test]
    fn instances_count_together() {
        // Setting 0 is cheaper on two of three instances.
        let costs = [0.0, 0.0, 2.0, 1.0, 1.0, 1.0];
        let state = run(&rule(3, 1, None), 2, 400, |arm, _| Some(costs[arm]));
        assert_eq!((state.order[0], state.fates[0]), (0, Fate::Left), "{state:?}");
        assert_ne!(state.fates[1], Fate::Left, "{state:?}");
        // It is cheaper on one of two, and dearer on the other: neither is.
        let equal = run(&rule(2, 1, None), 2, 100, |arm, _| Some([0.0, 1.0, 1.0, 0.0][arm]));
        assert_eq!(equal.fates, [Fate::Left; 2]);
    }

    /// Races of 20 settings that are equal over two instances, though 10 of them are cheaper on the
    /// first and dearer on the second: any drops out in at most 5 % of 100 races. At exactly 5 %,
    /// more than 14 of 100 occur with probability 1.3e-4, the false-alarm rate of this test.
    #[test]
    fn equals_seldom_drop_out() {
        let mut random = Random::seed_from_u64(2026);
        let mut wrong = 0;
        for _ in 0..100 {
            let state = run(&rule(2, 1, None), 20, 60, |arm, _| {
                let shift = if (arm / 2 + arm).is_multiple_of(2) { 0.3 } else { 0.0 };
                Some(unit(&mut random) + shift)
            });
            wrong += u64::from(state.fates.iter().any(|fate| *fate != Fate::Left));
        }
        assert!(wrong <= 14, "{wrong} of 100");
    }
}
