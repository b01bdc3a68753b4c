//! The samples that comparisons are made of, read from a results folder.

use super::{Results, ResultsError};
use crate::analysis::comparison::Sample;
use crate::plan::ArmSpec;
use crate::plan::stopping::{Criterion, StoppingRule};
use crate::record::TrialRecord;
use std::path::Path;

/// The arms of an experiment, in plan order.
///
/// # Errors
/// If the tables cannot be read.
pub(crate) fn samples(results: &Results) -> Result<Vec<Sample>, ResultsError> {
    let mut samples = empty_samples(results);
    results.figures(|trial: TrialRecord| -> Result<(), ResultsError> {
        samples[trial.arm].add(&trial);
        Ok(())
    })?;
    Ok(samples)
}

/// The arms of an experiment, in plan order, before any trial is read.
#[must_use]
pub(crate) fn empty_samples(results: &Results) -> Vec<Sample> {
    let (keys, rule) = (results.swept_keys(), results.stopping_rule());
    without_trials(results.arms(), keys, rule, results.folder())
}

/// The samples of arms that have no trials yet, in plan order. `keys` are the experiment's swept
/// keys, `folder` is where its results are.
pub(crate) fn without_trials(
    arms: &[ArmSpec],
    keys: &[String],
    rule: Option<&StoppingRule>,
    folder: &Path,
) -> Vec<Sample> {
    let asked = match rule.map(|rule| &rule.criterion) {
        Some(Criterion::Decision { first, second }) => vec![*first, *second],
        _ => Vec::new(),
    };
    let of_arm = |(place, arm): (usize, &ArmSpec)| Sample {
        label: arm.label.clone(),
        operators: arm.operators.clone(),
        swept: arm.swept_with(keys),
        folder: folder.to_owned(),
        problem: arm.settings.problem_toml(),
        settings: arm.settings.clone(),
        common: arm.common(),
        stopping_rule: rule.cloned(),
        asked: asked.contains(&place),
        baseline: arms.iter().any(|other| other.baseline == Some(arm.id)),
        ..Sample::default()
    };
    arms.iter().enumerate().map(of_arm).collect()
}
