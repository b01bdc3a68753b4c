//! Conditions on an arm's figures, judged by their intervals.

use crate::stats::{Interval, TrialCounts, clopper_pearson};
use runner_engine::named;
use std::fmt;

named! {
    /// A figure with an interval, named like the column of the summary.
    pub enum Figure {
        /// Share of trials that succeed, from 0 to 1.
        SuccessRate = "success_rate",
        /// Expected running time, in evaluations.
        Ert = "ert",
        /// Median evaluations of the successful trials.
        EvaluationsToSuccess = "evaluations_to_success_median",
        /// Median of the best fitness.
        BestFitness = "best_fitness_median",
    }
}

named! {
    /// Relation of a figure to its limit.
    pub enum Operator {
        /// `>=`
        AtLeast = ">=",
        /// `<=`
        AtMost = "<=",
        /// `>`
        Above = ">",
        /// `<`
        Below = "<",
    }
}

impl Operator {
    fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Operator::AtLeast => value >= limit,
            Operator::Above => value > limit,
            Operator::AtMost => value <= limit,
            Operator::Below => value < limit,
        }
    }
}

/// Judgement of a condition, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// The whole interval meets the condition.
    Pass,
    /// Part of the interval meets the condition, or there is no interval.
    Untold,
    /// No part of the interval meets the condition.
    Fail,
}

/// Number of trials from which on no number of further ones is looked for.
const MOST_TRIALS: u64 = 1 << 50;

/// Limit of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Figure on the left.
    pub figure: Figure,
    /// Comparison of the figure with the limit.
    pub operator: Operator,
    /// Number on the right.
    pub limit: f64,
}

impl Condition {
    /// Judges an interval.
    #[must_use]
    pub fn answer(&self, interval: Option<Interval>) -> Judgement {
        let holds = |value| self.operator.holds(value, self.limit);
        match interval.map(|interval| (holds(interval.low), holds(interval.high))) {
            Some((true, true)) => Judgement::Pass,
            Some((false, false)) => Judgement::Fail,
            _ => Judgement::Untold,
        }
    }

    /// Returns the number of further trials after which the interval of Clopper and Pearson
    /// decides, if the rate stays the same. `None` for a rate at the limit itself.
    #[must_use]
    pub fn more_trials(&self, counts: TrialCounts, confidence: f64) -> Option<u64> {
        if counts.trials == 0 {
            return None;
        }
        let decides = |trials| self.at_rate(counts, trials, confidence) != Judgement::Untold;
        let mut enough = counts.trials.checked_add(1)?;
        while !decides(enough) {
            enough = enough.checked_mul(2).filter(|enough| *enough < MOST_TRIALS)?;
        }
        let (mut few, mut enough) = (counts.trials.max(enough / 2), enough);
        while enough - few > 1 {
            let middle = few + (enough - few) / 2;
            if decides(middle) { enough = middle } else { few = middle }
        }
        Some(enough - counts.trials)
    }

    /// Judges the interval of another number of trials with the rate of `counts`. The number of
    /// successes is rounded towards the limit.
    fn at_rate(&self, counts: TrialCounts, trials: u64, confidence: f64) -> Judgement {
        let is_above = counts.successes as f64 / counts.trials as f64 > self.limit;
        let all = u128::from(counts.successes) * u128::from(trials);
        let each = u128::from(counts.trials);
        let successes = if is_above { all / each } else { all.div_ceil(each) } as u64;
        self.answer(clopper_pearson(successes, trials, confidence))
    }
}

/// Writes the condition as the user gives it: "success_rate >= 0.9".
impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.figure.as_str(), self.operator.as_str(), self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_on_the_wrong_side_decides() {
        let answer = |operator, limit, low, high| {
            let condition = Condition { figure: Figure::Ert, operator, limit };
            condition.answer(Some(Interval { low, high }))
        };
        let none = f64::INFINITY;
        for (operator, low, high, expected) in [
            (Operator::AtLeast, 5.0, 9.0, Judgement::Pass),
            (Operator::Above, 5.0, 9.0, Judgement::Untold),
            (Operator::AtLeast, 1.0, 5.0, Judgement::Untold),
            (Operator::Above, 1.0, 5.0, Judgement::Fail),
            (Operator::AtMost, 1.0, 5.0, Judgement::Pass),
            (Operator::Below, 1.0, 5.0, Judgement::Untold),
            (Operator::AtMost, 5.0, none, Judgement::Untold),
            (Operator::Below, 5.0, none, Judgement::Fail),
            (Operator::AtMost, 5.1, none, Judgement::Fail),
        ] {
            assert_eq!(answer(operator, 5.0, low, high), expected, "{operator:?} {low} {high}");
        }
        let condition = Condition { figure: Figure::Ert, operator: Operator::AtLeast, limit: 0.0 };
        assert_eq!(condition.answer(None), Judgement::Untold);
        assert!(Judgement::Pass < Judgement::Untold && Judgement::Untold < Judgement::Fail);
    }

    #[test]
    fn as_many_more_trials_tell_and_fewer_do_not() {
        let (figure, operator) = (Figure::SuccessRate, Operator::AtLeast);
        // In the last two, Wilson's interval decides already.
        for (limit, successes, trials) in
            [(0.5, 52, 100), (0.9, 19, 20), (0.5, 48, 100), (0.3023, 14, 30), (0.0734, 5, 30)]
        {
            let condition = Condition { figure, operator, limit };
            let counts = TrialCounts { successes, trials, failures: 0 };
            let more = condition.more_trials(counts, 0.95).expect("a number");
            let with = |all: u64| condition.at_rate(counts, all, 0.95);
            assert_eq!(with(trials + more - 1), Judgement::Untold, "{limit}");
            assert_ne!(with(trials + more), Judgement::Untold, "{limit}");
            let later = trials + more + more / 10;
            assert_ne!(with(later), Judgement::Untold, "{limit}");
            assert!(more >= 10, "{limit}: {more}");
        }
        let condition = Condition { figure, operator, limit: 0.5 };
        let counts = TrialCounts { successes: 10, trials: 20, failures: 0 };
        assert_eq!(condition.more_trials(counts, 0.95), None);
        assert_eq!(condition.more_trials(TrialCounts::default(), 0.95), None);
    }
}
