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
        "The importance of keys is the share of the variance of the mean cost over all settings in \
        the ranges (functional ANOVA; @hutter2014), as a forest of regression trees predicts it \
        (@breiman2001). ",
    );
    Text(vec![space(record), races(record), comparison(record, facts) + importance, own])
        .markup(prefix)
}

/// Returns the keys, the budget, the cost and the seed.
fn space(record: &TuningRecord) -> String {
    let keys = record.keys.iter().map(|one| format!("{} ({})", name(&one.key), name(&one.values)));
    let keys: Vec<String> = keys.collect();
    let (budget, unit) = match record.budget {
        Limit::Trials(trials) => (trials, "trials"),
        Limit::Evaluations(evaluations) => (evaluations, "evaluations"),
    };
    let cost = match record.cost {
        Cost::Fitness => "the fitness of its best feasible genome".to_owned(),
        Cost::Evaluations { unsuccessful } => format!(
            "its number of evaluations to the first success, and {} without a success",
            count(unsuccessful)
        ),
    };
    format!(
        "We tuned {} by iterated racing (@lopezibanez2016), with a budget of {} {unit} for all \
        iterations. The cost of a trial was {cost}: lower is better. All settings and trials \
        follow from the seed {}. ",
        listed(&keys, "and"),
        count(budget),
        record.seed
    )
}

/// Returns how settings were drawn and raced.
fn races(record: &TuningRecord) -> String {
    let restarts = format!(
        "Before {}, the survivors agreed, and the draws widened again. ",
        counted(record.restarts.len() as u64, "iteration"),
    );
    format!(
        "The first settings were a Latin hypercube of the ranges (@mckay1979) and the settings of \
        the file. Those of later iterations were drawn around the survivors of the one before, \
        ever closer. {}In an iteration, settings raced on {} (@birattari2002). At each look, one \
        dropped out if another was cheaper in more pairs of trials than it was dearer, by a \
        sequential sign test (@robbins1970; @vovk2021) at a confidence of {} for all looks and \
        settings of the iteration together. {} settings were tried in {}, by {} trials with {} \
        evaluations. ",
        when(!record.restarts.is_empty(), &restarts),
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
    let is_paired = facts
        .is_some_and(|facts| facts.arms.iter().any(|arm| arm.settings.pairing == Pairing::Common));
    format!(
        "At the end, the best survivors and the settings of the file raced in the same way on {}, \
        by at most {} of each per instance, which had no part in choosing them: {} trials with {} \
        evaluations. {}",
        instances(&record.test),
        counted(record.test_repeats, "trial"),
        count(record.test_trials),
        count(record.test_evaluations),
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
