//! The samples that comparisons are made of, read from a results folder.

use super::{Results, ResultsError};
use crate::analysis::comparison::Sample;
use crate::plan::stopping::Criterion;
use crate::record::TrialRecord;

/// The arms of an experiment, in plan order.
///
/// # Errors
/// If the tables cannot be read.
pub(crate) fn samples(results: &Results) -> Result<Vec<Sample>, ResultsError> {
    let asked = match results.stopping_rule().map(|stopping_rule| &stopping_rule.criterion) {
        Some(Criterion::Decision { first, second }) => vec![*first, *second],
        _ => Vec::new(),
    };
    let arms = results.arms();
    let mut samples: Vec<Sample> = arms
        .iter()
        .enumerate()
        .map(|(place, arm)| Sample {
            label: arm.label.clone(),
            operators: arm.operators.clone(),
            swept: arm.swept_with(results.swept_keys()),
            folder: results.folder().to_owned(),
            problem: arm.settings.problem_toml(),
            settings: arm.settings.clone(),
            common: arm.common(),
            stopping_rule: results.stopping_rule().cloned(),
            asked: asked.contains(&place),
            baseline: arms.iter().any(|other| other.baseline == Some(arm.id)),
            ..Sample::default()
        })
        .collect();
    results.trials(|trial: TrialRecord| -> Result<(), ResultsError> {
        let sample = &mut samples[trial.arm];
        if trial.outcome.is_failure() {
            sample.failures += 1;
            sample.failed.insert(trial.trial);
            return Ok(());
        }
        let length = if trial.success {
            trial.evaluations_to_success.unwrap_or(trial.evaluations) as f64
        } else {
            sample.unsuccessful.push(trial.evaluations);
            if !trial.outcome.is_stuck() {
                let least = sample.cut.unwrap_or(u64::MAX).min(trial.evaluations);
                sample.cut = Some(least);
            }
            f64::INFINITY
        };
        sample.fitness.insert(trial.trial, trial.feasible_fitness().unwrap_or(f64::INFINITY));
        sample.run_lengths.insert(trial.trial, length);
        Ok(())
    })?;
    Ok(samples)
}
