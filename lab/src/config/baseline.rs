//! Baselines: for each arm a random search of the same problem with the same budget: as many
//! evaluations, or as much time where nothing but time ends a trial.

use super::diagnostic::{Diagnostic, Faults};
use super::problem;
use super::source::Origin;
use crate::operators::operator::Slot;
use crate::operators::values::Values;
use crate::plan::settings::{ArmSettings, OnSuccess, Stop};
use crate::plan::{ArmDraft, label};
use crate::search::algorithm::BATCH;
use crate::search::algorithms::{ALGORITHMS, RandomSearch};
use crate::search::{Guidance, OperatorSet, Resampling};
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::sync::Arc;

/// Arms with the same one share a baseline.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    problem: String,
    /// `None` if time alone ends the trials.
    evaluations: Option<u64>,
    target: Option<u64>,
    seconds: Option<u64>,
    goes_on: bool,
}

impl Key {
    fn of(draft: &ArmDraft, evaluations: Option<u64>) -> Self {
        let stop = &draft.settings.stop;
        Key {
            problem: problem::identity(&draft.settings.parameters),
            evaluations,
            target: stop.target.map(f64::to_bits),
            seconds: stop.trial_seconds.map(f64::to_bits),
            goes_on: stop.on_success == OnSuccess::Continue,
        }
    }
}

/// Gives every arm its baseline: a random search that is among the arms already, or a new one
/// behind them. Random and exhaustive search have none.
pub(super) fn add(
    drafts: &mut Vec<ArmDraft>,
    swept_keys: &[String],
    asked: Origin,
    out: &mut Faults,
) {
    let mut groups: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    let mut there: BTreeMap<Key, usize> = BTreeMap::new();
    let mut refused = BTreeSet::new();
    for (place, draft) in drafts.iter().enumerate() {
        let ArmSettings { operators, stop, .. } = &draft.settings;
        let evaluations = budget(operators, stop);
        let budget = (evaluations.is_some() || stop.is_by_time_alone()).then_some(evaluations);
        match (operators.algorithm.guidance(), budget) {
            (Guidance::Order, _) | (Guidance::Chance, None) => {}
            // One that may end earlier, or evaluates genomes more than once, is another search.
            (Guidance::Chance, Some(_)) if !spends_all(operators, stop) => {}
            (Guidance::Chance, Some(budget)) => {
                there.entry(Key::of(draft, budget)).or_insert(place);
            }
            (Guidance::Fitness, Some(budget)) => {
                groups.entry(Key::of(draft, budget)).or_default().push(place)
            }
            (Guidance::Fitness, None) => {
                if refused.insert(&operators.name) {
                    out.push(no_budget(&operators.name, stop, asked));
                }
            }
        }
    }
    let mut labels: BTreeSet<String> =
        drafts.iter().map(|draft| label(&draft.settings, swept_keys)).collect();
    // In the order of the arms that they serve.
    let mut groups: Vec<(Key, Vec<usize>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, served)| served[0]);
    for (key, served) in groups {
        let place = there.get(&key).copied().unwrap_or_else(|| {
            let mut draft = baseline(drafts, &served, key.evaluations);
            settle_name(&mut draft.settings, swept_keys, key.evaluations, &mut labels);
            drafts.push(draft);
            drafts.len() - 1
        });
        served.into_iter().for_each(|arm| drafts[arm].baseline = Some(place));
    }
}

/// Returns whether random search with these settings draws a genome per evaluation, up to the end
/// of its budget.
fn spends_all(operators: &OperatorSet, stop: &Stop) -> bool {
    stop.stagnation.is_none()
        && stop.diversity.is_none()
        && operators.resampling == Resampling::ONCE
}

/// Returns the evaluations that a trial can spend; `None` if no rule settles them.
fn budget(operators: &OperatorSet, stop: &Stop) -> Option<u64> {
    let by_generations =
        stop.generations.and_then(|generations| operators.evaluations(generations));
    // What a config can say.
    let most = i64::MAX as u64;
    stop.evaluations.into_iter().chain(by_generations).min().map(|budget| budget.min(most))
}

/// Returns random search in place of the arms that it serves.
fn baseline(drafts: &[ArmDraft], served: &[usize], evaluations: Option<u64>) -> ArmDraft {
    let first = &drafts[served[0]];
    let shared = |key: usize| {
        let value = &first.settings.swept[key];
        served
            .iter()
            .all(|arm| drafts[*arm].settings.swept[key] == *value)
            .then(|| value.clone())
            .flatten()
    };
    let settings = ArmSettings {
        parameters: first.settings.parameters.clone(),
        operators: Arc::new(random_search(evaluations)),
        stop: Stop {
            generations: None,
            evaluations,
            stagnation: None,
            diversity: None,
            // How many it draws at a time follows from the budget.
            keep_ended: false,
            ..first.settings.stop.clone()
        },
        // Those of the config are put in where all arms are known.
        start: None,
        swept: (0..first.settings.swept.len()).map(shared).collect(),
    };
    ArmDraft { settings, problem: Arc::clone(&first.problem), baseline: None }
}

fn random_search(evaluations: Option<u64>) -> OperatorSet {
    let batch = BATCH as u64;
    let population = evaluations.map_or(batch, |evaluations| evaluations.min(batch)) as usize;
    let entry = ALGORITHMS.find("random-search").expect("the registry has it");
    let section = Values::new(&entry.operator, |_| None).section();
    let algorithm = Arc::new(RandomSearch { population });
    let operators = [(Slot::Algorithm, section)];
    OperatorSet::new("random-search".to_owned(), algorithm, None, operators, None)
}

/// Sets a name that makes the arm's label unique.
fn settle_name(
    settings: &mut ArmSettings,
    swept_keys: &[String],
    evaluations: Option<u64>,
    labels: &mut BTreeSet<String>,
) {
    let longer = evaluations.map(|evaluations| format!("random-search, {evaluations} evaluations"));
    let names = iter::once("random-search".to_string()).chain(longer);
    for name in names.chain((1..).map(|number| format!("baseline {number}"))) {
        Arc::make_mut(&mut settings.operators).name = name;
        if labels.insert(label(settings, swept_keys)) {
            return;
        }
    }
}

fn no_budget(name: &str, stop: &Stop, asked: Origin) -> Diagnostic {
    let message =
        format!("operator set `{name}` has no fixed budget of evaluations for a baseline to match");
    let why = match (stop.generations, stop.trial_seconds) {
        (Some(_), _) => "its generations differ in their numbers of evaluations",
        (None, Some(_)) => "only stagnation and time end its trials",
        (None, None) => "only stagnation ends its trials",
    };
    asked
        .error(message, "requests a baseline")
        .rule(format!(
            "the baseline is random search with the same number of evaluations, and {why}"
        ))
        .help("add evaluations = … to [stop], or remove `baseline`")
}
