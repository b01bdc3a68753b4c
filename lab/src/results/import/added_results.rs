//! Imported trials next to ours: one results folder with the arms of both.

use super::ImportError;
use crate::plan::settings::Pairing;
use crate::plan::{ArmSpec, ResultsSpec, swept_text};
use crate::problem::parameter::Value;
use crate::record::TrialRecord;
use crate::results::Results;
use std::collections::BTreeMap;
use std::path::Path;

/// Puts the arms and trials of a results folder before the imported ones, which take over its
/// problems. Trials that were paired among themselves are compared as independent ones, since the
/// imported ones are.
///
/// # Errors
/// Returns an error if the folder cannot be read, is imported itself, or has no problem that is
/// that of an imported arm.
pub(super) fn add(
    folder: &Path,
    spec: &mut ResultsSpec,
    records: &mut Vec<TrialRecord>,
) -> Result<(), ImportError> {
    let ours = Results::open(folder)?;
    let place = folder.display();
    if ours.imported().is_some() {
        return Err(format!(
            "--beside {place}: it was imported itself; name results of a runner experiment"
        )
        .into());
    }
    if ours.stopping_rule().is_some() || ours.planned().is_some() {
        return Err(format!(
            "--beside {place}: a stopping rule decided its trials, or it is unfinished; name a \
            finished experiment with a fixed number of trials"
        )
        .into());
    }
    let keys = ours.swept_keys();
    let mut all_keys = keys.to_vec();
    all_keys.extend(spec.swept_keys.iter().filter(|key| !keys.contains(key)).cloned());
    let imported = spec.arms.drain(..).map(|arm| {
        let problem = problem_of(&arm, &spec.swept_keys, &ours).ok_or_else(|| {
            format!(
                "--beside {place}: none of its problems, or more than one, is that of `{}`; map \
                the keys of [problem] that it sweeps over, such as --map problem.n=COLUMN, with \
                values that its problems have",
                arm.label
            )
        })?;
        let [wanted, own] = [problem, &arm].map(|one| one.settings.target());
        if let (Some(wanted), Some(own)) = (wanted, own)
            && wanted != own
        {
            return Err(format!(
                "--beside {place}: a trial of `{}` succeeds at {wanted}, and --target is {own}; \
                import with --target {wanted}",
                problem.label
            ));
        }
        let value = |key: &String| {
            let own = spec.swept_keys.iter().position(|other| other == key);
            let own = own.and_then(|place| arm.swept[place].clone())?;
            // As ours is written: 1 may be 1.0.
            let theirs = keys.iter().position(|other| other == key);
            let theirs = theirs.and_then(|place| problem.swept[place].clone());
            Some(theirs.filter(|theirs| is_same(theirs, &own)).unwrap_or(own))
        };
        let swept = all_keys.iter().map(value).collect();
        let mut settings = arm.settings.clone();
        settings.problem = problem.settings.problem.clone();
        Ok(ArmSpec { swept, settings, problem: problem.problem.clone(), ..arm })
    });
    let imported = imported.collect::<Result<Vec<ArmSpec>, String>>()?;
    let first = ours.arms().len();
    spec.arms = ours.arms().iter().map(|arm| independent(arm, all_keys.len())).collect();
    spec.arms.extend(imported);
    spec.swept_keys = all_keys;
    spec.violations = ours.violations();
    spec.best = ours.best_type();
    let mut all = Vec::new();
    ours.trials(|trial: TrialRecord| all.push(trial))?;
    spec.repeats = all.iter().map(|record| record.trial + 1).fold(spec.repeats, u64::max);
    all.extend(records.drain(..).map(|record| TrialRecord { arm: record.arm + first, ..record }));
    *records = all;
    Ok(())
}

/// Returns one of our arms as it is in that folder.
fn independent(arm: &ArmSpec, keys: usize) -> ArmSpec {
    let mut arm = arm.clone();
    arm.swept.resize(keys, None);
    arm.settings.pairing = Pairing::Independent;
    arm
}

/// Returns an arm of ours on the problem of this one, with the same values of the problem's keys
/// that are swept or known of it. `None` if no problem has these values, or several have them.
fn problem_of<'a>(arm: &ArmSpec, keys: &[String], ours: &'a Results) -> Option<&'a ArmSpec> {
    let values = |keys: &[String], arm: &ArmSpec| -> BTreeMap<String, Value> {
        let pairs = keys.iter().zip(&arm.swept);
        let own = pairs.filter(|(key, _)| key.starts_with("problem."));
        own.filter_map(|(key, value)| Some((key.clone(), value.clone()?))).collect()
    };
    let wanted = values(keys, arm);
    let fits = |other: &&ArmSpec| {
        let own = values(ours.swept_keys(), other);
        wanted.iter().all(|(key, wanted)| {
            let settled = || other.settings.value(key);
            own.get(key).or_else(settled).is_some_and(|own| is_same(own, wanted))
        })
    };
    let found: Vec<&ArmSpec> = ours.arms().iter().filter(fits).collect();
    let first = found.first()?;
    let same = |other: &&ArmSpec| other.settings.problem == first.settings.problem;
    found.iter().all(same).then_some(*first)
}

/// Returns whether two values are the same; a whole number may be written as a real one.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Integer(whole), Value::Real(number))
        | (Value::Real(number), Value::Integer(whole)) => *number == *whole as f64,
        _ => swept_text(one) == swept_text(other),
    }
}
