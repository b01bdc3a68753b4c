//! Tallies: results so far of the repeated trials of an arm.

use super::frame::RepeatsOfArm;
use super::series::evenly;
use crate::analysis::CONFIDENCE;
use crate::record::TrialRecord;
use crate::sequential::CONCENTRATION;
use crate::stats::confidence_sequence;
use std::collections::BTreeMap;

/// Run lengths that a picture shows at most.
const LENGTHS: usize = 400;
/// Bins of a histogram at most.
const BINS: usize = 40;

/// The trials of an arm.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    trials: u64,
    failures: u64,
    error: Option<String>,
    longest: u64,
    /// Ascending, except for the latest ones, which are at the end in any order.
    run_lengths: Vec<u64>,
    /// Trials by final fitness, as [`ordered`] has it.
    fitness: BTreeMap<i64, u64>,
}

impl Tally {
    pub(super) fn add(&mut self, record: &TrialRecord) {
        self.longest = self.longest.max(record.evaluations);
        if record.outcome.is_failure() {
            self.failures += 1;
            self.error = self.error.take().or_else(|| record.error.clone());
            return;
        }
        self.trials += 1;
        self.run_lengths.extend(record.evaluations_to_success);
        if let Some(fitness) = record.feasible_fitness() {
            *self.fitness.entry(ordered(fitness)).or_default() += 1;
        }
    }

    /// Returns the figures of the arm. Without a target there is no success, and no rate of it.
    pub(super) fn of_arm(&mut self, label: &str, defines_success: bool) -> RepeatsOfArm {
        self.run_lengths.sort_unstable();
        let successes = self.run_lengths.len() as u64;
        let interval = confidence_sequence(successes, self.trials, CONFIDENCE, |_| CONCENTRATION);
        RepeatsOfArm {
            label: label.to_owned(),
            defines_success,
            trials: self.trials,
            successes,
            failures: self.failures,
            error: self.error.clone(),
            interval: interval
                .filter(|_| defines_success)
                .map(|interval| (interval.low, interval.high)),
            run_lengths: evenly(&self.run_lengths, LENGTHS),
            longest: self.longest,
            histogram: self.histogram(),
        }
    }

    fn histogram(&self) -> Vec<(f64, f64, u64)> {
        let values = || self.fitness.iter().map(|(value, count)| (fitness_of(*value), *count));
        if self.fitness.len() <= BINS {
            return values().map(|(value, count)| (value, value, count)).collect();
        }
        let low = values().next().map_or(0.0, |(value, _)| value);
        let high = values().next_back().map_or(0.0, |(value, _)| value);
        let width = (high - low) / BINS as f64;
        let edge = |bin: usize| low + width * bin as f64;
        let mut bins: Vec<_> = (0..BINS).map(|bin| (edge(bin), edge(bin + 1), 0)).collect();
        for (value, count) in values() {
            let bin = (((value - low) / width) as usize).min(BINS - 1);
            bins[bin].2 += count;
        }
        bins
    }
}

/// Maps fitness to an integer with the same order; its own inverse, except for the type.
fn ordered(fitness: f64) -> i64 {
    turned(fitness.to_bits() as i64)
}

fn fitness_of(ordered: i64) -> f64 {
    f64::from_bits(turned(ordered) as u64)
}

/// Reverses the order of negative numbers.
fn turned(bits: i64) -> i64 {
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Outcome, Timing, TrialId, TrialRecord};

    fn record(trial: u64, fitness: f64, success: bool) -> TrialRecord {
        let lost = TrialRecord::lost(Outcome::Evaluations, String::new());
        let result = TrialRecord {
            success,
            best_fitness: Some(fitness),
            evaluations: 100,
            evaluations_to_success: success.then_some(trial + 1),
            error: None,
            ..lost
        };
        let timing = Timing { seconds: 0.0, worker: 0 };
        result.with_id(TrialId { arm: 0, trial, seed: 0 }, timing)
    }

    #[test]
    fn fitness_keeps_its_order() {
        let values = [f64::NEG_INFINITY, -2.5, -1.0, -0.0, 0.0, 1e-300, 1.0, 7.0, f64::INFINITY];
        assert!(values.map(ordered).is_sorted());
        assert_eq!(values.map(ordered).map(fitness_of), values);
    }

    #[test]
    fn trials_are_counted_in_bins_and_by_success() {
        let mut tally = Tally::default();
        (0..1_000).for_each(|trial| tally.add(&record(trial, trial as f64, trial % 4 == 0)));
        let arm = tally.of_arm("x", true);
        assert_eq!((arm.trials, arm.successes, arm.longest), (1_000, 250, 100));
        assert_eq!(arm.histogram.len(), BINS);
        assert_eq!(arm.histogram.iter().map(|bin| bin.2).sum::<u64>(), 1_000);
        let (low, high) = arm.interval.expect("there are trials");
        assert!(0.2 < low && low < 0.25 && 0.25 < high && high < 0.3, "{low} {high}");
        assert!(arm.run_lengths.is_sorted() && arm.run_lengths.len() == 250);
        assert_eq!(tally.of_arm("x", false).interval, None);
    }
}
