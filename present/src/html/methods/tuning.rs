//! Methods of a tuning: its space, its budget, the races, and the comparison at the end.

use super::facts::Facts;
use super::text::{Text, name};
use super::values::when;
use super::{Description, described_without_statistics};
use crate::format::percent;
use crate::plan::settings::Pairing;
use crate::plan::{Cost, Limit};
use crate::tuning::{InstancesRecord, TuningRecord};
use crate::words::{count, counted, listed};
use maud::Markup;

/// Returns the section; its ids begin with `prefix`. `facts` are those of the comparison at the
/// end, if a run of it is recorded, and `has_importance` says whether the page shows the importance
/// of keys.
pub(crate) fn tuning_methods(
    record: &TuningRecord,
    facts: Option<&Facts<'_>>,
    has_importance: bool,
    prefix: &str,
) -> Markup {
    let described = facts.map(described_without_statistics);
    let own = described.map_or_else(String::new, |Description { problem, sets, stops, .. }| {
        format!("In the comparison at the end: {problem}{sets}{stops}")
    });
    let importance = when(
        has_importance,
        "The importance of keys is the share of the variance of the mean cost (where the costs \
        span a factor of more than 30, of its logarithm) over all settings in the ranges \
        (functional ANOVA; @hutter2014), as a forest of regression trees predicts it \
        (@breiman2001). ",
    );
    Text(vec![space(record, facts), races(record), comparison(record, facts) + importance, own])
        .markup(prefix)
}

/// Returns the keys, the budget, the cost and the seed.
fn space(record: &TuningRecord, facts: Option<&Facts<'_>>) -> String {
    let keys = record.keys.iter().map(|one| format!("{} ({})", name(&one.key), name(&one.values)));
    let keys: Vec<String> = keys.collect();
    let (budget, unit) = match record.budget {
        Limit::Trials(trials) => (trials, "trials"),
        Limit::Evaluations(evaluations) => (evaluations, "evaluations"),
    };
    let cost = match record.cost {
        Cost::Fitness if facts.is_none_or(|facts| facts.constraints) => {
            "the fitness of its best feasible genome, infinite without one".to_owned()
        }
        Cost::Fitness => "the fitness of its best genome".to_owned(),
        Cost::Evaluations { unsuccessful } => format!(
            "its number of evaluations to the first success, and {} without a success",
            count(unsuccessful)
        ),
    };
    let forbidden = record.forbid.as_ref().map_or_else(String::new, |forbid| {
        format!("Combinations of values that match {} were not tried. ", name(forbid))
    });
    let by_the_clock = match record.timed_out {
        0 => format!("All settings and trials follow from the seed {}. ", record.seed),
        timed_out => format!(
            "The seed was {}. {} ended by the limit of seconds, which depends on the machine: \
            elsewhere, other settings may be tried and left. ",
            record.seed,
            counted(timed_out, "trial")
        ),
    };
    format!(
        "We tuned {} by iterated racing (@lopezibanez2016), with a budget of {} {unit} for all \
        iterations. The cost of a trial was {cost}: lower is better. {forbidden}{by_the_clock}",
        listed(&keys, "and"),
        count(budget),
    )
}

/// Returns how settings were drawn and raced.
fn races(record: &TuningRecord) -> String {
    let first = match record.initial {
        0 => "a Latin hypercube of the ranges (@mckay1979) and the settings of the file".to_owned(),
        given => format!(
            "those of the file, {} that it gives to begin with and, as far as the first iteration \
            had room, a Latin hypercube of the ranges (@mckay1979)",
            count(given)
        ),
    };
    let later = when(
        record.iterations > 1,
        "Those of later iterations were drawn around the survivors of the one before, ever \
        closer. ",
    );
    let restarts: Vec<String> = record.restarts.iter().map(ToString::to_string).collect();
    let restarts = match restarts.len() {
        0 => String::new(),
        1 => {
            format!("Before iteration {}, the survivors agreed: draws widened again. ", restarts[0])
        }
        _ => format!(
            "Before each of the iterations {}, the survivors agreed: draws widened again. ",
            listed(&restarts, "and")
        ),
    };
    let failed = match record.failures {
        0 => String::new(),
        failures => format!(
            "{} failed: they have no cost, and no setting dropped out by a pair with one. ",
            counted(failures, "trial")
        ),
    };
    format!(
        "The first settings were {first}. {later}{restarts}In an iteration, settings raced on {} \
        (@birattari2002). At each look, one dropped out if another was cheaper in more pairs of \
        trials than it was dearer, by a sequential sign test (@robbins1970; @vovk2021) at a \
        confidence of {} for all looks and settings of the iteration together. {} settings were \
        tried in {}, by {} trials with {} evaluations. {failed}",
        instances(&record.train),
        percent(record.confidence),
        count(record.settings),
        counted(record.iterations, "iteration"),
        count(record.trials),
        count(record.evaluations),
    )
}

/// Returns how the survivors were compared.
fn comparison(record: &TuningRecord, facts: Option<&Facts<'_>>) -> String {
    if !record.has_comparison() {
        return match record.finalists.len() {
            1 => "One setting was left, so nothing was compared at the end. ".to_owned(),
            _ => "Nothing was compared at the end. ".to_owned(),
        };
    }
    let is_paired = facts
        .is_some_and(|facts| facts.arms.iter().any(|arm| arm.settings.pairing == Pairing::Common));
    let failures: u64 = record.finalists.iter().map(|one| one.failures).sum();
    let failed = format!("{} of them failed. ", count(failures));
    format!(
        "At the end, the best survivors and the settings of the file raced in the same way on {}, \
        by at most {} of each per instance, which had no part in choosing them: {} trials with {} \
        evaluations. {}{}",
        instances(&record.test),
        counted(record.test_repeats, "trial"),
        count(record.test_trials),
        count(record.test_evaluations),
        when(failures > 0, &failed),
        when(
            is_paired,
            "Trial k of all settings on an instance began with the same genomes (common random \
            numbers; @law2015). "
        ),
    )
}

/// Returns the instances of a stage.
fn instances(instances: &InstancesRecord) -> String {
    match &instances.values {
        None => "the problem of the file".to_owned(),
        Some(values) => format!("{} ({})", counted(instances.count, "instance"), name(values)),
    }
}
