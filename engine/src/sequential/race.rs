//! Races: all arms of a problem run until the best one is known, and those that are worse beyond
//! doubt drop out early.
//!
//! At each look, arm i drops out if the evidence that it is not a best arm reaches log(A / α), with
//! A the arms that are still in the race. The evidence is the logarithm of the mean, over all other
//! arms j of the race, of an e-process against "j succeeds no more often than i": trial k of one
//! arm beside trial k of the other, and of the pairs in which one alone succeeds those for j are
//! tosses of a coin that shows heads at most as often as tails ([`evidence_of_more`]). If i is a
//! best arm, all these statements are true, so that each e-process and their mean ever exceed A / α
//! with a probability of at most α / A (Ville 1939).
//!
//! With a probability of at least 1 - α no best arm ever drops out, however many there are: when
//! the first of m best arms drops out, all m are still in the race, so A is at least m, and each
//! does that with a probability of at most α / m. This is Holm's method (1979) for e-processes:
//! Vovk and Wang (2021), "E-values: calibration, combination and applications",
//! doi:10.1214/20-AOS2020, who also show that the mean is the way to combine dependent ones. Races:
//! Maron and Moore (1994), "Hoeffding races", NIPS 6; Birattari, Stützle, Paquete and Varrentrapp
//! (2002), "A racing algorithm for configuring metaheuristics", GECCO 2002.
//!
//! Trials may be paired (`pairing = "common"`) or not: only the trials of one number are held
//! against each other.

use crate::plan::stopping::{Criterion, StoppingRule};
use crate::sequential::{Outcomes, looks};
use crate::stats::evidence_of_more;

/// Imagined pairs on either side in which one arm alone succeeds.
const HALF: u64 = 5;
/// The arms with the most successes against which each arm is held. To leave the others out makes
/// the evidence smaller, never greater; so does to leave out pairs that say next to nothing.
const RIVALS: usize = 64;

/// What became of an arm in its race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The only one left.
    Best,
    /// Worse beyond doubt.
    DroppedOut {
        /// Its trials by then.
        after: u64,
    },
    /// One of several that were left at the maximum of trials.
    NotToldApart,
}

impl Standing {
    /// The name in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Best => "best",
            Standing::DroppedOut { .. } => "dropped out",
            Standing::NotToldApart => "not told apart",
        }
    }

    /// The standing of this name in the tables; `after`: the trials after which it dropped out.
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

/// Where a race stands.
pub(super) struct RaceState {
    /// Trials that each arm of the race is to have by now.
    pub target_trials: Vec<u64>,
    pub settled: bool,
    /// None while it races.
    pub standings: Vec<Option<Standing>>,
    /// Failed trials of the arms that were not told apart, if those that ran would tell.
    pub open: u64,
}

/// Trials of an arm, a bit each: those that succeeded for sure, and those that may have: failed
/// ones too.
#[derive(Clone, Default)]
struct Lane {
    sure: Vec<u64>,
    perhaps: Vec<u64>,
    successes: u64,
    failures: u64,
}

impl Lane {
    /// Takes these trials in; false if one is missing.
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

    /// Evidence that the rival succeeds more often, whatever failed trials would have come to; or,
    /// `ran`, over the pairs that both ran.
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

/// Where the race of `arms` stands, of which each may have up to `most` trials.
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
        for arm in dropping(&lanes, &left, confidence, false) {
            state.standings[arm] = Some(Standing::DroppedOut { after: look });
            left.retain(|other| *other != arm);
        }
        if left.len() == 1 || look == most {
            break;
        }
    }
    let last = if left.len() == 1 { Standing::Best } else { Standing::NotToldApart };
    left.iter().for_each(|arm| state.standings[*arm] = Some(last));
    if last == Standing::NotToldApart && !dropping(&lanes, &left, confidence, true).is_empty() {
        state.open = left.iter().map(|arm| lanes[*arm].failures).sum();
    }
    state.settled = true;
    state
}

/// The arms that drop out of those that are left, the one with the most evidence against it first.
/// The last one stays.
fn dropping(lanes: &[Lane], left: &[usize], confidence: f64, ran: bool) -> Vec<usize> {
    let mut rivals = left.to_vec();
    rivals.sort_by_key(|arm| std::cmp::Reverse(lanes[*arm].successes));
    rivals.truncate(RIVALS);
    let others = (lanes.len() - 1) as f64;
    // With so much evidence an arm drops out whatever the others have.
    let enough = libm::log(left.len() as f64 / (1.0 - confidence));
    let evidence = |arm: usize| {
        let mut each = Vec::new();
        for rival in rivals.iter().filter(|rival| **rival != arm) {
            let one = lanes[arm].evidence_for(&lanes[*rival], ran);
            each.push(one);
            if one - libm::log(others) >= enough {
                break;
            }
        }
        log_of_sum(&each) - libm::log(others)
    };
    let mut against: Vec<(f64, usize)> = left.iter().map(|arm| (evidence(*arm), *arm)).collect();
    against.sort_by(|one, other| other.0.total_cmp(&one.0));
    let reached = |place: usize, evidence: f64| {
        let still = left.len() - place;
        still > 1 && evidence >= libm::log(still as f64 / (1.0 - confidence))
    };
    let dropped =
        against.iter().enumerate().take_while(|(place, (evidence, _))| reached(*place, *evidence));
    dropped.map(|(_, (_, arm))| *arm).collect()
}

/// The logarithm of the sum of what these are logarithms of.
fn log_of_sum(logarithms: &[f64]) -> f64 {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if greatest == f64::NEG_INFINITY {
        return greatest;
    }
    greatest + libm::log(logarithms.iter().map(|one| libm::exp(one - greatest)).sum())
}

/// How many arms each race has, by the race of each arm.
fn sizes(races: &[usize]) -> Vec<usize> {
    let mut sizes = vec![0; races.iter().max().map_or(0, |last| last + 1)];
    races.iter().for_each(|race| sizes[*race] += 1);
    sizes
}

impl StoppingRule {
    /// The trials after which an arm can drop out at the soonest: in the smallest race, if all
    /// others succeed wherever it does not. None if that takes more than `most`, or nothing races.
    #[must_use]
    pub fn first_drop_out(&self, most: u64) -> Option<u64> {
        let Criterion::Best { races } = &self.criterion else { return None };
        let smallest = sizes(races).into_iter().min()?;
        let limit = libm::log(smallest as f64 / (1.0 - self.confidence));
        looks(most).find(|look| evidence_of_more(*look, 0, HALF) >= limit)
    }

    /// The least trials that `arms` arms which race can take together, and the most, where each
    /// arm may have up to `most`: all but one of each race may drop out as soon as one can. None
    /// where nothing races.
    #[must_use]
    pub fn cost_of_races(&self, most: u64) -> Option<(u64, u64)> {
        let Criterion::Best { races } = &self.criterion else { return None };
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
        StoppingRule { criterion: Criterion::Best { races }, confidence: 0.95 }
    }

    /// Runs until the races are over; none: the trial failed.
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

    /// Successes of the arm in a tenth more trials than the one before, evenly spread.
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
        // Arms 0, 2, 4 race; so do 1, 3, 5, of which the last two are alike.
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

    /// The tables tell from the outcomes alone what became of each arm.
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
        // The first arm always succeeds where it runs; the other in 3 of 10.
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

    /// 40 arms, of which 4 are near the best: the best one may drop out in at most 5 % of 60 races.
    /// A true 5 % are more than 10 of 60 with probability 3e-4: the false-alarm rate of this check
    /// and of the next one. Where all 40 are alike, an arm may drop out in as many.
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
