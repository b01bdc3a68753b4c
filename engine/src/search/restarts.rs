//! Restarts: the rule by which a search begins anew within its trial.

use crate::operators::Unit;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section};
use serde::{Deserialize, Serialize};

/// Rule that ends a run of a search, so that the next run begins. A trial then consists of
/// independent runs, and keeps the best genome of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restarts {
    /// Rule that limits a run.
    pub rule: RestartRule,
    /// Unit of the rule's number. A run ends with a generation.
    pub unit: Unit,
}

/// Rule that limits a run, with its number of at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestartRule {
    /// A run ends after this long without a better best genome of the run.
    Stagnation(u64),
    /// Each run is this long.
    Every(u64),
    /// Run i is this long, times number i of the sequence of Luby, Sinclair and Zuckerman (1993),
    /// doi:10.1016/0020-0190(93)90029-9.
    Luby(u64),
}

impl Restarts {
    /// Returns the rule as a section of settings.
    #[must_use]
    pub fn section(&self) -> Section {
        let (key, number) = match self.rule {
            RestartRule::Stagnation(number) => ("stagnation", number),
            RestartRule::Every(number) => ("every", number),
            RestartRule::Luby(number) => ("luby", number),
        };
        let rule = (Key::from(key), Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)));
        let unit = (Key::from("unit"), Value::Text(self.unit.as_str().into()));
        [rule, unit].into_iter().collect()
    }

    /// Returns whether the run is over at this point of the trial.
    pub(super) fn end(&self, run: &Run, now: Point) -> bool {
        let (most, since) = match self.rule {
            RestartRule::Stagnation(most) => (most, run.improved),
            RestartRule::Every(most) => (most, run.began),
            RestartRule::Luby(each) => (each.saturating_mul(luby(run.number + 1)), run.began),
        };
        let spent = match self.unit {
            Unit::Generations => now.generation.saturating_sub(since.generation),
            Unit::Evaluations => now.evaluations - since.evaluations,
        };
        spent >= most
    }
}

/// Returns number `place` of the universal sequence 1, 1, 2, 1, 1, 2, 4, …; `place` is at least 1.
///
/// Luby, Sinclair and Zuckerman (1993), doi:10.1016/0020-0190(93)90029-9.
#[must_use]
pub fn luby(mut place: u64) -> u64 {
    loop {
        // The least power of two above the place: its half ends a block of the sequence.
        let bits = u64::BITS - place.leading_zeros();
        let half = 1 << (bits - 1);
        if place == half - 1 + half {
            return half;
        }
        place -= half - 1;
    }
}

/// Generation and evaluations of a trial at some point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Point {
    pub generation: u64,
    pub evaluations: u64,
}

impl Point {
    /// Returns the point of the same generation after this many more genomes, `each` of which is
    /// evaluated this often.
    #[inline]
    pub(super) fn after(self, genomes: u64, each: u64) -> Self {
        Point { evaluations: self.evaluations + genomes * each, ..self }
    }
}

/// The current run of a trial.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Run {
    /// Number of the run within the trial, from 0.
    pub number: u64,
    /// Violation and fitness of the run's best genome.
    pub best: Option<(f64, f64)>,
    /// Initial population of the run, before its evaluations.
    pub began: Point,
    /// Last improvement of the run's best genome.
    pub improved: Point,
}

impl Run {
    /// Returns the run that follows, whose initial population comes next.
    pub(super) fn next(&self, now: Point) -> Run {
        Run { number: self.number + 1, best: None, began: now, improved: now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequence by its blocks: the next block is the last one twice, then a power of two.
    #[test]
    fn the_sequence_repeats_its_beginning_before_each_power_of_two() {
        let mut sequence = vec![1];
        for exponent in 1..15 {
            sequence = [sequence.as_slice(), &sequence, &[1 << exponent]].concat();
        }
        assert_eq!(sequence[..15], [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
        for (place, number) in (1..).zip(sequence) {
            assert_eq!(luby(place), number, "{place}");
        }
        assert_eq!(luby(u64::MAX), 1 << 63);
    }

    #[test]
    fn a_rule_counts_from_the_start_or_from_the_last_improvement() {
        let at = |generation, evaluations| Point { generation, evaluations };
        let run = Run { number: 2, best: None, began: at(10, 100), improved: at(14, 150) };
        let ends = |rule, unit, now| Restarts { rule, unit }.end(&run, now);
        use RestartRule::{Every, Luby, Stagnation};
        use Unit::{Evaluations, Generations};
        for (rule, generations, evaluations) in
            [(Stagnation(5), 19, 155), (Every(5), 15, 105), (Luby(5), 20, 110)]
        {
            assert!(!ends(rule, Generations, at(generations - 1, 999)), "{rule:?}");
            assert!(ends(rule, Generations, at(generations, 150)), "{rule:?}");
            assert!(
                !ends(rule, Evaluations, at(99, evaluations.max(150) - 1)) || evaluations < 150
            );
            assert!(ends(rule, Evaluations, at(14, evaluations.max(150))), "{rule:?}");
        }
    }
}
