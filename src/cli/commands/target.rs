//! `runner target`: runs the one trial that a configurator asks for, and prints its cost.

use super::isolation::isolation;
use super::load::load;
use super::output::line;
use super::target_request::Request;
use crate::cli::Failure;
use crate::cli::arguments::{ExperimentArguments, TargetArguments, TargetCost, TargetForm};
use crate::exit::Exit;
use crate::plan::{Arm, Cost, NoCost, listed};
use crate::record::TrialRecord;
use crate::run::collect_trials;
use crate::system::guard;
use crate::system::interrupt::Interrupt;

pub(super) fn target(arguments: &TargetArguments, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let request = Request::parse(arguments.form, &arguments.words).map_err(Failure::usage)?;
    let isolation = isolation(&arguments.isolation, &arguments.plugins)?;
    let experiment = ExperimentArguments {
        configs: vec![arguments.config.clone()],
        set: [&arguments.set[..], &request.set, &no_baseline(arguments, &request)].concat(),
        repeats: Some("1".to_owned()),
        seed: Some(request.seed.clone()),
        plugins: arguments.plugins.clone(),
    };
    let mut plans = load(&experiment, &isolation.plugin_loader(interrupt))?;
    let plan = plans.remove(0);
    let [arm] = &plan.arms[..] else {
        let labels: Vec<String> = plan.arms.iter().map(|arm| arm.label.clone()).collect();
        return Err(Failure::usage(format!(
            "{}: a configurator asks for one trial of one arm; leave one operator set, and no \
            sweep ({})",
            plan.name,
            listed(&labels)
        )));
    };
    let cost = cost(arguments.cost, arm).map_err(Failure::usage)?;
    guard::arm(&arm.label, None);
    let ran = collect_trials(&plan, [(0, 0)], 1, &isolation, interrupt);
    guard::no_trial();
    let Some(record) = ran.map_err(|error| Failure::plugin(error.to_string()))?.pop() else {
        return Ok(Exit::Interrupted);
    };
    if let Some(error) = &record.error {
        fault!("{}: {error}", arm.label);
    }
    answer(arguments, &request, &record, finite_cost(cost, arm, &record));
    Ok(if record.outcome.is_failure() { Exit::SomeFailed } else { Exit::Done })
}

/// Returns the change that leaves out the baseline, which no configurator asks for; none if the
/// command line sets it.
fn no_baseline(arguments: &TargetArguments, request: &Request) -> Vec<String> {
    let sets_it = |set: &String| set.split(['=', '.']).next() == Some("baseline");
    let is_set = arguments.set.iter().chain(&request.set).any(sets_it);
    if is_set { Vec::new() } else { vec!["baseline=false".to_owned()] }
}

/// Returns the cost by which trials of this arm are judged.
fn cost(cost: TargetCost, arm: &Arm) -> Result<Cost, String> {
    match cost {
        TargetCost::Fitness => Ok(Cost::Fitness),
        TargetCost::Evaluations => {
            Cost::evaluations(&arm.settings.stop).map_err(|NoCost { missing, message, rule }| {
                format!("{message}: {rule}; add {missing} to [stop], or choose --cost fitness")
            })
        }
    }
}

/// Cost of a trial without a feasible genome, where the problem states no worst fitness.
const INFEASIBLE: f64 = 1e30;

/// Returns the cost of a trial; `None` if it failed. Configurators take an infinite cost for more
/// than a bad one: irace rejects the settings at once. So a trial without a feasible genome costs
/// the worst fitness and its violation.
fn finite_cost(cost: Cost, arm: &Arm, record: &TrialRecord) -> Option<f64> {
    let worst = arm.problem.description().worst.unwrap_or(INFEASIBLE);
    let infeasible = worst + record.best_violation.unwrap_or(0.0);
    cost.of(record).map(|cost| if cost.is_finite() { cost } else { infeasible })
}

/// Prints a trial in the form that the configurator reads. irace gets no cost of a failed trial.
fn answer(arguments: &TargetArguments, request: &Request, record: &TrialRecord, cost: Option<f64>) {
    let seconds = record.timing.seconds;
    match (arguments.form, cost) {
        (TargetForm::Irace, None) => {}
        (TargetForm::Irace, Some(cost)) if arguments.time => line!("{cost} {seconds}"),
        (TargetForm::Irace, Some(cost)) => line!("{cost}"),
        (TargetForm::Paramils, _) => {
            let is_found = record.success || arguments.cost == TargetCost::Fitness;
            let status = match cost {
                None => "CRASHED",
                Some(_) if is_found => "SAT",
                Some(_) => "TIMEOUT",
            };
            let (length, seed) = (record.evaluations, &request.seed);
            let cost = cost.unwrap_or(f64::INFINITY);
            line!("Result for ParamILS: {status}, {seconds}, {length}, {cost}, {seed}");
        }
        (TargetForm::Smac, _) => {
            let status = if cost.is_some() { "SUCCESS" } else { "CRASHED" };
            let cost = cost.unwrap_or(f64::INFINITY);
            line!("cost={cost}; runtime={seconds}; status={status}");
        }
    }
}
