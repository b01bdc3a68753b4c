//! Budgets: limits that end a trial whatever it has found. The module also determines which trials
//! stay valid under another budget.

use super::settings::Stop;
use crate::plan::resolved::Settings;
use crate::problem::parameter::Value;
use crate::problem::section::{Section, Setting};
use crate::record::{Outcome, TrialEnd};
use serde::{Deserialize, Serialize};

/// Keys of `[stop]` that end a trial and cannot change it before its end.
pub const BUDGET_KEYS: [&str; 4] = ["generations", "evaluations", "stagnation", "trial-seconds"];

/// Budget of trials whose seeds do not derive from it (`stop.keep-ended`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Maximum number of generations after the initial population; `None` if unlimited.
    pub generations: Option<u64>,
    /// Maximum number of fitness values; `None` if unlimited.
    pub evaluations: Option<u64>,
    /// Maximum number of generations without improvement; `None` if unlimited.
    pub stagnation: Option<u64>,
    /// Maximum wall time in seconds; `None` if unlimited.
    pub trial_seconds: Option<f64>,
}

impl From<&Stop> for Budget {
    fn from(stop: &Stop) -> Self {
        Budget {
            generations: stop.generations,
            evaluations: stop.evaluations,
            stagnation: stop.stagnation,
            trial_seconds: stop.trial_seconds,
        }
    }
}

impl Budget {
    /// Returns the budget of an arm with `stop.keep-ended`, whose trials are kept if they ended
    /// before it. `None` if the arm's seeds derive from the budget.
    #[must_use]
    pub fn of(settings: &Settings) -> Option<Self> {
        let keeps = settings.stop.get("keep-ended");
        let keeps = matches!(keeps, Some(Setting::Value(Value::Boolean(true))));
        let count = |key: &str| match settings.stop.get(key)? {
            Setting::Value(Value::Integer(count)) => u64::try_from(*count).ok(),
            _ => None,
        };
        keeps.then(|| Budget {
            generations: count("generations"),
            evaluations: count("evaluations"),
            stagnation: count("stagnation"),
            trial_seconds: settings.stop.get("trial-seconds").and_then(Setting::as_number),
        })
    }

    /// Returns whether a trial that ended like this within this budget is the same within `other`.
    /// It must have ended for a reason other than the limits that differ. None of these limits may
    /// have been able to end it earlier. In doubt the result is `false`, and the trial is run
    /// again.
    #[must_use]
    pub fn keeps(&self, end: TrialEnd, other: &Budget) -> bool {
        if self == other {
            return true;
        }
        let TrialEnd { outcome, generations, evaluations } = end;
        let beyond = |limit: Option<u64>, spent: u64| limit.is_none_or(|limit| limit > spent);
        let same_generations = self.generations == other.generations
            || outcome != Outcome::Generations && beyond(other.generations, generations);
        // A batch that the budget cuts short has fewer evaluations than it would have without the
        // budget.
        let same_evaluations = self.evaluations == other.evaluations
            || outcome != Outcome::Evaluations
                && beyond(self.evaluations, evaluations)
                && beyond(other.evaluations, evaluations);
        let longer = |least: u64| other.stagnation.is_none_or(|most| most >= least);
        let same_stagnation = self.stagnation == other.stagnation
            || (outcome != Outcome::Stagnated || self.stagnation.is_none())
                && (beyond(other.stagnation, generations) || self.stagnation.is_some_and(longer));
        // The seconds that the trial took are not known here.
        let same_seconds = match (self.trial_seconds, other.trial_seconds) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(seconds)) => seconds >= own,
        };
        let ended = !outcome.is_failure() && outcome != Outcome::TimedOut;
        ended && same_generations && same_evaluations && same_stagnation && same_seconds
    }
}

/// Returns the section without the keys of the budget.
#[must_use]
pub fn without_budget(stop: &Section) -> Section {
    let kept = stop.iter().filter(|(key, _)| !BUDGET_KEYS.contains(key));
    kept.map(|(key, setting)| (key.to_owned().into(), setting.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluations(most: u64) -> Budget {
        Budget { evaluations: Some(most), ..Budget::default() }
    }

    fn end(outcome: Outcome, generations: u64, evaluations: u64) -> TrialEnd {
        TrialEnd { outcome, generations, evaluations }
    }

    #[test]
    fn what_ended_before_both_budgets_is_kept() {
        let (small, large) = (evaluations(100), evaluations(200));
        for outcome in [Outcome::Solved, Outcome::Stagnated, Outcome::Exhausted] {
            assert!(small.keeps(end(outcome, 4, 99), &large));
            assert!(large.keeps(end(outcome, 4, 99), &small));
            // The trial may have been cut short.
            assert!(!small.keeps(end(outcome, 4, 100), &large));
            assert!(!large.keeps(end(outcome, 4, 100), &small));
            assert!(large.keeps(end(outcome, 4, 150), &Budget::default()));
        }
        for outcome in [Outcome::Evaluations, Outcome::Failed, Outcome::Crashed, Outcome::TimedOut]
        {
            assert!(!small.keeps(end(outcome, 4, 90), &large), "{outcome}");
            assert!(small.keeps(end(outcome, 4, 90), &small), "{outcome}");
        }
    }

    #[test]
    fn a_limit_that_stays_ends_the_same_trials() {
        let with = |evaluations, generations, stagnation| Budget {
            generations,
            evaluations: Some(evaluations),
            stagnation,
            trial_seconds: None,
        };
        let generations = end(Outcome::Generations, 10, 50);
        assert!(with(100, Some(10), None).keeps(generations, &with(200, Some(10), None)));
        assert!(!with(100, Some(10), None).keeps(generations, &with(100, Some(20), None)));
        let stuck = end(Outcome::Stagnated, 10, 50);
        assert!(with(100, None, Some(5)).keeps(stuck, &with(200, None, Some(5))));
        assert!(!with(100, None, Some(5)).keeps(stuck, &with(100, None, Some(6))));
        // Without that limit, the search itself ended there.
        assert!(with(100, None, None).keeps(stuck, &with(200, None, None)));
        let solved = end(Outcome::Solved, 10, 50);
        assert!(with(100, None, Some(5)).keeps(solved, &with(100, None, Some(6))));
        assert!(with(100, None, Some(5)).keeps(solved, &with(100, None, None)));
        assert!(with(100, None, None).keeps(solved, &with(100, None, Some(11))));
        assert!(!with(100, None, None).keeps(solved, &with(100, None, Some(10))));
        assert!(!with(100, None, Some(9)).keeps(solved, &with(100, None, Some(8))));
        assert!(!with(100, Some(20), None).keeps(solved, &with(100, Some(10), None)));
        assert!(with(100, Some(20), None).keeps(solved, &with(100, Some(11), None)));
    }

    #[test]
    fn a_lower_limit_of_seconds_keeps_nothing() {
        let seconds = |trial_seconds| Budget { trial_seconds, ..evaluations(100) };
        let solved = end(Outcome::Solved, 4, 50);
        for (from, to, kept) in [
            (Some(2.0), Some(2.0), true),
            (Some(2.0), Some(3.0), true),
            (Some(2.0), None, true),
            (Some(2.0), Some(1.0), false),
            (None, Some(1e9), false),
        ] {
            assert_eq!(seconds(from).keeps(solved, &seconds(to)), kept, "{from:?} {to:?}");
        }
        assert!(!seconds(Some(2.0)).keeps(end(Outcome::TimedOut, 4, 50), &seconds(Some(3.0))));
    }
}
