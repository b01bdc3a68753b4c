//! A trial's way: its best fitness so far against the evaluations.

use crate::problem::Genome;
use crate::record::TrialRecord;
use crate::results::{GenerationRow, Results, ResultsError};
use std::collections::BTreeMap;

/// One trial as the formats of other tools see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    pub trial: u64,
    /// Evaluations at which the best fitness so far became less, with that fitness. Where a
    /// generations table is there, to the generation, and the first success to the evaluation;
    /// otherwise the first success and the end.
    pub steps: Vec<(u64, f64)>,
    /// Evaluations of the whole trial.
    pub evaluations: u64,
    pub best: f64,
    pub genome: Vec<f64>,
    /// The worst fitness of the first generation: after one evaluation the best is no more than
    /// that.
    pub worst: Option<f64>,
}

/// An arm's trials, without those that failed. A fitness that counts as `target` reached, being
/// within the problem's tolerance, is the target here: other tools know no tolerance.
pub fn ways(results: &Results, arm: usize, target: Option<f64>) -> Result<Vec<Way>, ResultsError> {
    let mut traces: BTreeMap<u64, (Vec<(u64, f64)>, f64)> = BTreeMap::new();
    results.generations_of(arm, |row: GenerationRow| -> Result<(), ResultsError> {
        let figures = row.figures;
        let (steps, worst) = traces.entry(row.trial).or_insert_with(|| (Vec::new(), figures.worst));
        if figures.generation == 0 {
            *worst = worst.max(figures.worst);
        }
        if steps.last().is_none_or(|(_, best)| figures.best_so_far < *best) {
            steps.push((figures.evaluations, figures.best_so_far));
        }
        Ok(())
    })?;
    let mut ways = Vec::new();
    results.trials_of(arm, |record: TrialRecord| -> Result<(), ResultsError> {
        if record.outcome.is_failure() {
            return Ok(());
        }
        let Some(best) = record.best_fitness else { return Ok(()) };
        let (traced, worst) = traces
            .remove(&record.trial)
            .map_or((Vec::new(), None), |(steps, worst)| (steps, Some(worst)));
        let reached = |fitness: f64| {
            target.filter(|_| record.success).map_or(fitness, |target| fitness.min(target))
        };
        let mut steps = steps(&record, traced, best);
        let success = record.evaluations_to_success.unwrap_or(u64::MAX);
        steps.iter_mut().filter(|step| step.0 >= success).for_each(|step| step.1 = reached(step.1));
        ways.push(Way {
            trial: record.trial,
            steps,
            evaluations: record.evaluations,
            best: reached(best),
            genome: record.best.as_ref().map(Genome::numbers).unwrap_or_default(),
            worst,
        });
        Ok(())
    })?;
    Ok(ways)
}

/// The steps, with the first success where it was.
fn steps(record: &TrialRecord, mut traced: Vec<(u64, f64)>, best: f64) -> Vec<(u64, f64)> {
    let Some(success) = record.evaluations_to_success.filter(|_| record.success) else {
        if traced.is_empty() {
            traced.push((record.evaluations, best));
        }
        return traced;
    };
    // Its generation ended at the first step that is not before it.
    match traced.iter().position(|(evaluations, _)| *evaluations >= success) {
        Some(place) => traced[place].0 = success,
        None => traced.push((success, best)),
    }
    traced
}
