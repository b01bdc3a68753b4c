//! The samples that comparisons are made of, read from a results folder.

use super::schema::row::GenerationRow;
use super::{Results, ResultsError};
use crate::analysis::by_trial::ByTrial;
use crate::analysis::comparison::{SAME_BUDGET, Sample};
use crate::plan::settings::Trace;
use crate::plan::{ArmSpec, ResultsSpec};
use crate::record::{TraceRow, TrialRecord};
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the arms of an experiment, in plan order. If their budgets differ, arms also have the
/// fitness at the smaller budgets, as far as a trace has it.
///
/// # Errors
/// Returns an error if the tables cannot be read.
pub fn samples(results: &Results) -> Result<Vec<Sample>, ResultsError> {
    let mut all = samples_at([results], None)?;
    Ok(all.pop().unwrap_or_default())
}

/// Returns the arms of experiments that are compared with each other. Arms also have the fitness at
/// the smaller budgets of the other experiments' arms. `cap` is a budget at which all are compared.
///
/// # Errors
/// Returns an error if the tables cannot be read.
pub fn samples_at<'a>(
    results: impl IntoIterator<Item = &'a Results>,
    cap: Option<u64>,
) -> Result<Vec<Vec<Sample>>, ResultsError> {
    let (mut all, mut experiments) = (Vec::new(), Vec::new());
    for results in results {
        let mut samples = empty_samples(results);
        results.figures(|trial: TrialRecord| samples[trial.arm].add(&trial))?;
        samples.iter_mut().for_each(|sample| sample.cap = cap);
        experiments.push(results);
        all.push(samples);
    }
    let budgets: BTreeSet<u64> = all.iter().flatten().filter_map(Sample::budget).collect();
    for (results, samples) in experiments.into_iter().zip(&mut all) {
        add_fitness_within(results, samples, &budgets)?;
    }
    Ok(all)
}

/// Adds the fitness at these budgets to the arms that had more.
pub fn add_fitness_within(
    results: &Results,
    samples: &mut [Sample],
    budgets: &BTreeSet<u64>,
) -> Result<(), ResultsError> {
    let mut found = FitnessWithin::wanted(samples, budgets);
    if results.trace() == Trace::None || found.is_empty() {
        return Ok(());
    }
    results.rows()?.all(|row: GenerationRow| {
        found.add(samples, row.arm, row.trial, Reached::from(&row.figures));
    })?;
    found.give(samples);
    Ok(())
}

/// State of a trial after a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Evaluations up to the end of the generation.
    pub evaluations: u64,
    /// Least feasible fitness so far; infinite without any.
    pub best: f64,
}

impl From<&TraceRow> for Reached {
    fn from(row: &TraceRow) -> Self {
        let best = row.feasible_so_far().unwrap_or(f64::INFINITY);
        Reached { evaluations: row.evaluations, best }
    }
}

/// The fitness at smaller budgets that arms lack, found in their traces.
#[derive(Debug)]
pub struct FitnessWithin {
    arms: Vec<Vec<Within>>,
}

impl FitnessWithin {
    /// Returns what these arms lack of these budgets.
    #[must_use]
    pub fn wanted(samples: &[Sample], budgets: &BTreeSet<u64>) -> Self {
        let of_arm = |sample: &Sample| -> Vec<Within> {
            let lacks = |budget: &&u64| sample.fitness_within(**budget as f64).is_none();
            budgets.iter().filter(lacks).map(|budget| Within::new(*budget)).collect()
        };
        FitnessWithin { arms: samples.iter().map(of_arm).collect() }
    }

    /// Returns whether no arm lacks anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.arms.iter().all(Vec::is_empty)
    }

    /// Reads what a trial of an arm had reached. Generations of a trial come one after the other.
    pub fn add(&mut self, samples: &[Sample], arm: usize, trial: u64, reached: Reached) {
        if samples[arm].fitness.get(trial).is_some() {
            self.arms[arm].iter_mut().for_each(|within| within.add(trial, reached));
        }
    }

    /// Gives the arms what was found of all their trials.
    pub fn give(self, samples: &mut [Sample]) {
        for (sample, arm) in samples.iter_mut().zip(self.arms) {
            let of = |within: Within| Some((within.budget, within.whole()?));
            let found = arm.into_iter().filter_map(of);
            let whole = found.filter(|(_, fitness)| fitness.len() == sample.fitness.len());
            sample.fitness_within.extend(whole);
        }
    }
}

/// The best fitness of trials within a budget, from their traces.
#[derive(Debug)]
struct Within {
    budget: u64,
    found: ByTrial,
    /// The trial that is read: its number, evaluations up to the latest generation within the
    /// budget, the best fitness by then, and whether it went on beyond the budget.
    trial: Option<(u64, u64, f64, bool)>,
    /// Whether some trial had no generation that ended near the budget.
    missed: bool,
}

impl Within {
    fn new(budget: u64) -> Self {
        Within { budget, found: ByTrial::default(), trial: None, missed: false }
    }

    fn add(&mut self, trial: u64, reached: Reached) {
        if self.trial.is_none_or(|(own, ..)| own != trial) {
            self.end();
            self.trial = Some((trial, 0, f64::INFINITY, false));
        }
        let Some((_, evaluations, best, beyond)) = &mut self.trial else { return };
        if reached.evaluations > self.budget {
            *beyond = true;
        } else {
            (*evaluations, *best) = (reached.evaluations, reached.best);
        }
    }

    /// Ends the trial that was read. Its fitness is known where a generation ended at the budget,
    /// or near enough; or where the trial did.
    fn end(&mut self) {
        let Some((trial, evaluations, best, beyond)) = self.trial.take() else { return };
        let near = evaluations as f64 * (1.0 + SAME_BUDGET) >= self.budget as f64;
        self.missed |= beyond && !near;
        self.found.insert(trial, best);
    }

    /// Returns the values of all trials; `None` if the value of a trial is unknown.
    fn whole(mut self) -> Option<ByTrial> {
        self.end();
        (!self.missed).then_some(self.found)
    }
}

/// Returns the arms of an experiment, in plan order, before any trial is read.
#[must_use]
pub fn empty_samples(results: &Results) -> Vec<Sample> {
    let (keys, rule) = (results.swept_keys(), results.stopping_rule());
    let samples = Sample::of_arms(results.arms(), keys, rule, results.folder());
    with_seeds(samples, results.arms(), results.seed())
}

/// Returns the arms of a plan, in its order, before any trial is run; `folder` is where their
/// results will be.
#[must_use]
pub fn planned_samples(spec: &ResultsSpec, folder: &Path) -> Vec<Sample> {
    let rule = spec.stopping_rule.as_ref();
    let samples = Sample::of_arms(&spec.arms, &spec.swept_keys, rule, folder);
    with_seeds(samples, &spec.arms, Some(spec.seed))
}

/// Adds what identifies the trials of arms; `seed` is that of the experiment.
fn with_seeds(mut samples: Vec<Sample>, arms: &[ArmSpec], seed: Option<u64>) -> Vec<Sample> {
    for (sample, arm) in samples.iter_mut().zip(arms) {
        sample.seeds = seed.map(|seed| (arm.id, seed));
    }
    samples
}
