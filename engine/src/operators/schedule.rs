//! Schedules: parameters of operators that change while the budget of a trial is spent.
//!
//! Deterministic parameter control: Eiben, Hinterding and Michalewicz (1999),
//! doi:10.1109/4235.771166.

use crate::named;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section};
use crate::random::power::power;

named! {
    /// Unit in which a part of a trial is measured.
    pub enum Unit {
        /// Generations after an initial population.
        Generations = "generations",
        /// Evaluations, including those of an initial population.
        Evaluations = "evaluations",
    }
}

/// Value that moves from one number to another while the budget is spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Value when nothing is spent.
    pub from: f64,
    /// Value when the whole budget is spent.
    pub to: f64,
    /// Budget that counts.
    pub over: Unit,
    /// Course between the two values.
    pub course: Course,
}

named! {
    /// Course of a schedule between its two values.
    pub enum Course {
        /// Equal steps.
        Linear = "linear",
        /// Equal factors. Both values must be above 0.
        Geometric = "geometric",
    }
}

impl Schedule {
    /// Returns the value when this share of the budget is spent, from 0 to 1.
    #[must_use]
    pub fn at(self, spent: f64) -> f64 {
        let Schedule { from, to, course, .. } = self;
        let value = match course {
            Course::Linear => from + (to - from) * spent,
            Course::Geometric => from * power(to / from, spent),
        };
        // Rounding must not lead beyond the range of the parameter.
        value.clamp(from.min(to), from.max(to))
    }

    /// Returns the greatest value.
    #[must_use]
    pub fn greatest(self) -> f64 {
        self.from.max(self.to)
    }

    /// Returns the least value.
    #[must_use]
    pub fn least(self) -> f64 {
        self.from.min(self.to)
    }

    /// Returns the schedule as a section of settings.
    #[must_use]
    pub fn section(self) -> Section {
        let word = |word: &'static str| Value::Text(word.into());
        let Schedule { from, to, over, course } = self;
        [
            (Key::from("from"), Value::Real(from)),
            (Key::from("to"), Value::Real(to)),
            (Key::from("over"), word(over.as_str())),
            (Key::from("course"), word(course.as_str())),
        ]
        .into_iter()
        .collect()
    }
}

/// Schedules of an operator set; `None` for a parameter that stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Schedules {
    /// Probability that a pair of parents is crossed.
    pub crossover_rate: Option<Schedule>,
    /// Probability that a child is mutated.
    pub mutation_rate: Option<Schedule>,
    /// Probability that a gene of a mutated child changes.
    pub gene_rate: Option<Schedule>,
    /// Standard deviation of a normal step.
    pub sigma: Option<Schedule>,
}

impl Schedules {
    /// No parameter changes.
    pub const NONE: Schedules =
        Schedules { crossover_rate: None, mutation_rate: None, gene_rate: None, sigma: None };

    fn all(&self) -> [Option<Schedule>; 4] {
        let Schedules { crossover_rate, mutation_rate, gene_rate, sigma } = *self;
        [crossover_rate, mutation_rate, gene_rate, sigma]
    }

    /// Returns whether no parameter changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Schedules::NONE
    }

    /// Returns whether a parameter changes with the budget of this unit.
    #[must_use]
    pub fn is_over(&self, unit: Unit) -> bool {
        self.all().iter().flatten().any(|schedule| schedule.over == unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_move_from_one_end_to_the_other() {
        let of = |from, to, course| Schedule { from, to, over: Unit::Evaluations, course };
        for (schedule, values) in [
            (of(0.5, 0.1, Course::Linear), [0.5, 0.3, 0.1]),
            (of(0.0, 1.0, Course::Linear), [0.0, 0.5, 1.0]),
            (of(0.4, 0.1, Course::Geometric), [0.4, 0.2, 0.1]),
            (of(0.01, 1.0, Course::Geometric), [0.01, 0.1, 1.0]),
        ] {
            for (spent, value) in [0.0, 0.5, 1.0].into_iter().zip(values) {
                let found: f64 = schedule.at(spent);
                assert!((found - value).abs() < 1e-15, "{schedule:?} at {spent}: {found}");
            }
        }
    }

    /// Shares between the ends never lead out of the range.
    #[test]
    fn values_stay_between_their_ends() {
        for course in [Course::Linear, Course::Geometric] {
            let schedule = Schedule { from: 0.1, to: 0.3, over: Unit::Generations, course };
            let values = (0..=1000).map(|share| schedule.at(f64::from(share) / 1000.0));
            let values: Vec<f64> = values.collect();
            assert!(values.is_sorted(), "{course:?}");
            assert!(values.iter().all(|value| (0.1..=0.3).contains(value)), "{course:?}");
        }
    }
}
