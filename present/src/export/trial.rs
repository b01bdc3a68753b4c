//! Trial in the terms of other tools' formats.

use crate::problem::Genome;
use crate::record::TrialRecord;
use crate::results::{ResultsError, Trajectory, TrajectoryTables, trajectories};

/// Trajectory of a trial by evaluations.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExportedTrial {
    pub trial: u64,
    /// Evaluations at which the best fitness so far decreased, with that fitness. With a
    /// generations table, they are exact to the generation, and the first success to the
    /// evaluation. Otherwise they are the first success and the end.
    pub steps: Vec<(u64, f64)>,
    /// Evaluations of the whole trial.
    pub evaluations: u64,
    pub best: f64,
    pub genome: Vec<f64>,
    /// Worst fitness of the first generation: an upper bound of the best fitness after one
    /// evaluation.
    pub worst: Option<f64>,
}

impl ExportedTrial {
    /// The steps, and the end if it is after the last of them.
    pub(super) fn course(&self) -> impl Iterator<Item = (u64, f64)> {
        let is_later = |step: &(u64, f64)| step.0 < self.evaluations;
        let end = self.steps.last().is_some_and(is_later).then_some((self.evaluations, self.best));
        self.steps.iter().copied().chain(end)
    }
}

/// Returns an arm's trials, without failed ones. A fitness that counts as `target` within the
/// problem's tolerance is replaced by the target, because other tools have no tolerance.
pub(super) fn exported_trials(
    tables: &mut TrajectoryTables,
    arm: usize,
    target: Option<f64>,
) -> Result<Vec<ExportedTrial>, ResultsError> {
    let found = trajectories(tables, arm, |record| {
        let kept = !record.outcome.is_failure() && record.best_fitness.is_some();
        kept.then_some(TrialRecord { best_text: None, ..record })
    })?;
    Ok(found.trials.into_iter().map(|trial| exported(trial, target)).collect())
}

fn exported(
    Trajectory { record, steps: traced, worst }: Trajectory,
    target: Option<f64>,
) -> ExportedTrial {
    let best = record.best_fitness.unwrap_or(f64::INFINITY);
    let reached = |fitness: f64| {
        target.filter(|_| record.success).map_or(fitness, |target| fitness.min(target))
    };
    let traced = traced.iter().map(|step| (step.evaluations, step.best)).collect();
    let mut steps = steps(&record, traced, (best, target));
    let success = record.evaluations_to_success.unwrap_or(u64::MAX);
    steps.iter_mut().filter(|step| step.0 >= success).for_each(|step| step.1 = reached(step.1));
    ExportedTrial {
        trial: record.trial,
        steps,
        evaluations: record.evaluations,
        best: reached(best),
        genome: record.best.as_ref().map(Genome::numbers).unwrap_or_default(),
        worst,
    }
}

/// Returns the steps, with the first success at its evaluation.
fn steps(
    record: &TrialRecord,
    mut traced: Vec<(u64, f64)>,
    (best, target): (f64, Option<f64>),
) -> Vec<(u64, f64)> {
    let Some(success) = record.evaluations_to_success.filter(|_| record.success) else {
        if traced.is_empty() {
            traced.push((record.evaluations, best));
        }
        return traced;
    };
    // Its generation ended at the first step that is not before it.
    match traced.iter().position(|(evaluations, _)| *evaluations >= success) {
        Some(place) => traced[place].0 = success,
        // Of the fitness at the success, no more is known than that it reaches the target.
        None => {
            let is_over = success == record.evaluations;
            let then = target.filter(|_| !is_over).map_or(best, |target| target.max(best));
            traced.push((success, then));
            if best < then {
                traced.push((record.evaluations, best));
            }
        }
    }
    traced
}
