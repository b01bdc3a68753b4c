//! Races: all arms of a problem run until the best one is known, and worse arms drop out early.
//!
//! At each look, arm i drops out if the evidence that it is not a best arm reaches log(A / α). A is
//! the number of arms still in the race. The evidence is the logarithm of a mean of e-processes,
//! one for each other arm j of the race. Each is an e-process against "j succeeds no more often
//! than i". It compares trial k of one arm with trial k of the other. Under that hypothesis, the
//! pairs in which only one arm succeeds are tosses of a coin, with success of j as heads. Heads are
//! at most as likely as tails ([`evidence_of_more`]). If i is a best arm, all these hypotheses are
//! true. Each e-process and their mean then ever exceed A / α with a probability of at most α / A
//! (Ville 1939).
//!
//! With a probability of at least 1 - α no best arm ever drops out, whatever the number of best
//! arms m. When the first of them drops out, all m are still in the race, so A is at least m. Each
//! does so with a probability of at most α / m. This is Holm's method (1979) for e-processes: Vovk
//! and Wang (2021), "E-values: calibration, combination and applications", doi:10.1214/20-AOS2020,
//! who also show that dependent e-processes should be combined by their mean. Races: Maron and
//! Moore (1994), "Hoeffding races", NIPS 6; Birattari, Stützle, Paquete and Varrentrapp (2002), "A
//! racing algorithm for configuring metaheuristics", GECCO 2002.
//!
//! Trials may be paired (`pairing = "common"`) or not: trials are only compared with trials of the
//! same number.

use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::sequential::dropping::dropping;
use crate::sequential::{Outcomes, looks};
use crate::stats::evidence_of_more;

/// Number of imagined pairs on either side in which only one arm succeeds.
const HALF: u64 = 5;
/// Maximum number of rivals of each arm: the arms with the most successes. Omitting other rivals
/// only lowers the evidence, and so does omitting pairs of arms with almost no evidence.
const RIVALS: usize = 64;

/// Result of an arm in its race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Only arm left in the race.
    Best,
    /// Not a best arm, at the required confidence.
    DroppedOut {
        /// Number of the arm's trials when it dropped out.
        after: u64,
    },
    /// One of several arms left at the maximum number of trials.
    NotToldApart,
}

impl Standing {
    /// Returns the name of the standing in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Best => "best",
            Standing::DroppedOut { .. } => "dropped out",
            Standing::NotToldApart => "not told apart",
        }
    }

    /// Parses the name of a standing in the tables. `after` is the number of trials after which the
    /// arm dropped out. `None` if the two do not match.
    #[must_use]
    pub fn parse(text: &str, after: Option<u64>) -> Option<Self> {
        match (text, after) {
            ("best", None) => Some(Standing::Best),
            ("not told apart", None) => Some(Standing::NotToldApart),
            ("dropped out", Some(after)) => Some(Standing::DroppedOut { after }),
            _ => None,
        }
    }
}

/// State of a race.
pub(super) struct RaceState {
    /// Number of trials that each arm of the race should have by now.
    pub target_trials: Vec<u64>,
    pub settled: bool,
    /// Standing of each arm; `None` while it races.
    pub standings: Vec<Option<Standing>>,
    /// Number of failed trials of the arms that were not told apart, if the other trials would be
    /// decisive.
    pub open: u64,
}

/// Trials of an arm, one bit each: trials that certainly succeeded, and trials that possibly
/// succeeded, including failed ones.
#[derive(Clone, Default)]
struct Lane {
    sure: Vec<u64>,
    perhaps: Vec<u64>,
    successes: u64,
    failures: u64,
}

impl Lane {
    /// Adds these trials; returns false if one is missing.
    fn extend(&mut self, outcomes: &Outcomes, arm: usize, trials: std::ops::Range<u64>) -> bool {
        for trial in trials {
            let Some(success) = outcomes.success(arm, trial) else { return false };
            let (word, bit) = ((trial / 64) as usize, 1 << (trial % 64));
            if word == self.sure.len() {
                self.sure.push(0);
                self.perhaps.push(0);
            }
            if success != Some(false) {
                self.perhaps[word] |= bit;
            }
            match success {
                Some(true) => {
                    (self.sure[word], self.successes) = (self.sure[word] | bit, self.successes + 1)
                }
                Some(false) => {}
                None => self.failures += 1,
            }
        }
        true
    }

    /// Returns the evidence that the rival succeeds more often, with every failed trial counted
    /// against the rival. If `ran` is true, only pairs in which both trials ran count.
    fn evidence_for(&self, rival: &Lane, ran: bool) -> f64 {
        let (mut heads, mut tails) = (0, 0);
        for place in 0..self.sure.len() {
            let (mine, others) = (self.perhaps[place], rival.sure[place]);
            heads += u64::from((others & !mine).count_ones());
            tails += u64::from(
                match ran {
                    true => self.sure[place] & !rival.perhaps[place],
                    false => mine & !others,
                }
                .count_ones(),
            );
        }
        let ahead = heads.saturating_sub(tails);
        if ahead * ahead <= 4 * (heads + tails) {
            return f64::NEG_INFINITY;
        }
        evidence_of_more(heads, tails, HALF)
    }
}

/// Returns the state of the race of `arms`, each with at most `most` trials.
pub(super) fn race(outcomes: &Outcomes, arms: &[usize], confidence: f64, most: u64) -> RaceState {
    let mut lanes = vec![Lane::default(); arms.len()];
    let mut left: Vec<usize> = (0..arms.len()).collect();
    let mut state = RaceState {
        target_trials: vec![0; arms.len()],
        settled: false,
        standings: vec![None; arms.len()],
        open: 0,
    };
    let mut from = 0;
    for look in looks(most) {
        left.iter().for_each(|arm| state.target_trials[*arm] = look);
        let complete = left.iter().all(|arm| lanes[*arm].extend(outcomes, arms[*arm], from..look));
        if !complete {
            return state;
        }
        from = look;
        for arm in dropping_of(&lanes, &left, confidence, false) {
            state.standings[arm] = Some(Standing::DroppedOut { after: look });
            left.retain(|other| *other != arm);
        }
        if left.len() == 1 || look == most {
            break;
        }
    }
    let last = if left.len() == 1 { Standing::Best } else { Standing::NotToldApart };
    left.iter().for_each(|arm| state.standings[*arm] = Some(last));
    if last == Standing::NotToldApart && !dropping_of(&lanes, &left, confidence, true).is_empty() {
        state.open = left.iter().map(|arm| lanes[*arm].failures).sum();
    }
    state.settled = true;
    state
}

/// Returns the arms that drop out of the race, by the evidence of the rivals with the most
/// successes.
fn dropping_of(lanes: &[Lane], left: &[usize], confidence: f64, ran: bool) -> Vec<usize> {
    let mut rivals = left.to_vec();
    rivals.sort_by_key(|arm| std::cmp::Reverse(lanes[*arm].successes));
    rivals.truncate(RIVALS);
    let evidence = |arm: usize, rival: usize| lanes[arm].evidence_for(&lanes[rival], ran);
    dropping(lanes.len(), left, &rivals, confidence, evidence)
}

/// Returns the number of arms of each race, from the race of each arm.
fn sizes(races: &[usize]) -> Vec<usize> {
    let mut sizes = vec![0; races.iter().max().map_or(0, |last| last + 1)];
    races.iter().for_each(|race| sizes[*race] += 1);
    sizes
}

impl StoppingRule {
    /// Returns the least number of trials after which an arm can drop out. This is in the smallest
    /// race, if all other arms succeed whenever this arm does not. `None` if it exceeds `most`, or
    /// if there are no races.
    #[must_use]
    pub fn first_drop_out(&self, most: u64) -> Option<u64> {
        let StoppingCriterion::Best { races } = &self.criterion else { return None };
        let smallest = sizes(races).into_iter().min()?;
        let limit = libm::log(smallest as f64 / (1.0 - self.confidence));
        looks(most).find(|look| evidence_of_more(*look, 0, HALF) >= limit)
    }

    /// Returns the minimum and the maximum total number of trials of all racing arms, each with at
    /// most `most` trials. At the minimum, all arms but one of each race drop out as early as
    /// possible. `None` if there are no races.
    #[must_use]
    pub fn cost_of_races(&self, most: u64) -> Option<(u64, u64)> {
        let StoppingCriterion::Best { races } = &self.criterion else { return None };
        let soonest = self.first_drop_out(most).unwrap_or(most);
        Some((soonest * races.len() as u64, most * races.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequential::SequentialState;
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn rule(races: Vec<usize>) -> StoppingRule {
        StoppingRule { criterion: StoppingCriterion::Best { races }, confidence: 0.95 }
    }

    /// Runs trials until the races are over. An outcome of `None` is a failed trial.
    fn run(
        rule: &StoppingRule,
        arms: usize,
        most: u64,
        mut outcome: impl FnMut(usize, u64) -> Option<bool>,
    ) -> SequentialState {
        let mut outcomes = Outcomes::new(arms);
        let mut there = vec![0; arms];
        loop {
            let state = rule.state(&outcomes, most);
            if state.settled {
                return state;
            }
            for (arm, there) in there.iter_mut().enumerate() {
                (*there..state.target_trials[arm])
                    .for_each(|trial| outcomes.note(arm, trial, outcome(arm, trial)));
                *there = state.target_trials[arm].max(*there);
            }
        }
    }

    /// Returns evenly spread successes: in 1, 4 or 9 of 10 trials, depending on the arm.
    fn tenths(arm: usize, trial: u64) -> bool {
        (trial * 7 + arm as u64) % 10 < [1, 4, 9][arm % 3]
    }

    #[test]
    fn the_worse_drop_out_early_and_the_best_is_left() {
        let state = run(&rule(vec![0; 3]), 3, 5_000, |arm, trial| Some(tenths(arm, trial)));
        assert_eq!(state.standings[2], Some(Standing::Best));
        let after = |arm: usize| match state.standings[arm] {
            Some(Standing::DroppedOut { after }) => after,
            other => panic!("{other:?}"),
        };
        assert!(after(0) <= after(1) && after(1) < 200, "{state:?}");
        assert_eq!(state.target_trials, [after(0), after(1), after(1)]);
    }

    #[test]
    fn equals_are_left_at_the_maximum_and_every_race_goes_by_itself() {
        // Arms 0, 2 and 4 race, and arms 1, 3 and 5. Arms 3 and 5 are equally good.
        let rule = rule(vec![0, 1, 0, 1, 0, 1]);
        let state = run(&rule, 6, 300, |arm, trial| {
            Some(match arm {
                0 => trial % 10 < 9,
                2 | 4 | 1 => trial % 10 < 2,
                _ => trial % 10 < 8,
            })
        });
        assert_eq!(state.standings[0], Some(Standing::Best));
        assert_eq!([3, 5].map(|arm| state.standings[arm]), [Some(Standing::NotToldApart); 2]);
        assert_eq!([3, 5].map(|arm| state.target_trials[arm]), [300; 2]);
        assert!([1, 2, 4].iter().all(|arm| state.target_trials[*arm] < 100), "{state:?}");
        assert_eq!((state.better, state.open), (None, 0));
    }

    /// Standings in the tables are computed from the outcomes alone.
    #[test]
    fn standings_follow_from_the_outcomes_alone() {
        let rule = rule(vec![0, 1, 0, 1, 0, 1]);
        let outcome = |arm: usize, trial: u64| {
            (!(trial + arm as u64).is_multiple_of(17))
                .then(|| (trial * 13 + arm as u64) % 20 < [18, 5, 3, 11, 16, 11][arm])
        };
        for most in [70, 300, 2_000] {
            let state = run(&rule, 6, most, outcome);
            let arms = (0..6)
                .map(|arm| (0..state.target_trials[arm]).map(|trial| outcome(arm, trial)).collect())
                .collect();
            assert_eq!(rule.standings(arms), state.standings, "{most}");
        }
    }

    #[test]
    fn nobody_drops_out_by_failures_and_those_that_could_turn_it_are_counted() {
        // The first arm succeeds in every trial that runs, the other in 3 of 10.
        let of = |every: u64| {
            run(&rule(vec![0; 2]), 2, 400, move |arm, trial| {
                let failed = arm == 0 && !trial.is_multiple_of(every);
                (!failed).then_some(arm == 0 || trial % 10 < 3)
            })
        };
        let (whole, open) = (of(1), of(5));
        assert_eq!((whole.standings[0], whole.open), (Some(Standing::Best), 0));
        assert_eq!((open.standings[0], open.open), (Some(Standing::NotToldApart), 320));
        assert_eq!(open.target_trials, [400; 2]);
    }

    #[test]
    fn a_race_costs_at_least_one_look_and_at_most_all_trials() {
        let few = rule(vec![0, 0, 1, 1]);
        assert_eq!(few.cost_of_races(1_000), Some((200, 4_000)));
        assert_eq!(few.first_drop_out(4), None);
        assert_eq!(few.cost_of_races(4), Some((16, 16)));
    }

    /// Races of 40 arms, of which 4 are near the best: the best arm may drop out in at most 5 % of
    /// 60 races. At exactly 5 %, more than 10 of 60 occur with probability 3e-4. This is the
    /// false-alarm rate of this check and of the next one. If all 40 arms are equal, any may drop
    /// out in as many races.
    #[test]
    fn the_best_arm_seldom_drops_out_and_the_worse_cost_little() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2026);
        let mut rates = vec![0.6, 0.55, 0.54, 0.53];
        rates.extend((0..36).map(|arm| 0.4 - 0.01 * f64::from(arm)));
        let rule = rule(vec![0; 40]);
        let (mut wrong, mut spent, mut equal) = (0, 0, 0);
        for _ in 0..60 {
            let state = run(&rule, 40, 1_000, |arm, _| {
                Some(((rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64) < rates[arm])
            });
            wrong += u64::from(matches!(state.standings[0], Some(Standing::DroppedOut { .. })));
            spent += state.target_trials.iter().sum::<u64>();
            equal += 40 * state.target_trials.iter().max().copied().unwrap_or(0);
        }
        assert!(wrong <= 10 && 4 * spent < equal, "{wrong} wrong, {spent} of {equal}");
        let mut dropped = 0;
        for _ in 0..60 {
            let state = run(&rule, 40, 300, |_, _| {
                Some(((rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64) < 0.3)
            });
            dropped +=
                u64::from(state.standings.iter().any(|one| *one != Some(Standing::NotToldApart)));
        }
        assert!(dropped <= 10, "{dropped} of 60");
    }
}
