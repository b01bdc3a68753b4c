//! The tables [stop] and [output].

use super::axis::Axis;
use super::diagnostic::{Diagnostic, Faults};
use super::fields::{choice, given_count, given_number, is_true, strict};
use super::keys;
use super::node::Node;
use super::presets::SetTable;
use super::source::Origin;
use crate::operators::Unit;
use crate::plan::ArmDraft;
use crate::plan::budget::BUDGET_KEYS;
use crate::plan::settings::{OnSuccess, Stop, Trace};
use crate::problem::parameter::Value;
use crate::search::{Algorithm, OperatorSet};

/// Returns the diagnostic of a search without a budget.
pub(super) fn missing(origin: Origin, label: &str) -> Diagnostic {
    origin
        .error("a trial that finds no solution would never end", label)
        .rule("[stop] needs at least one of generations, evaluations, stagnation and trial-seconds")
        .help("add a budget to [stop], such as generations = 1000")
}

/// Returns the diagnostic of an operator set that does not go with the stop rules; `None` if it
/// does.
pub(super) fn fault_of_set(
    set: &SetTable,
    operators: &OperatorSet,
    stop: &Stop,
) -> Option<Diagnostic> {
    let algorithm = &*operators.algorithm;
    fault_of_plan(set, algorithm, stop)
        .or_else(|| fault_of_diversity(set, algorithm, stop))
        .or_else(|| fault_of_noise(set, operators.resampling.evaluations, stop))
}

/// Returns the diagnostic of stop rules that do not go with genomes which are evaluated `each`
/// times; `None` if they do.
fn fault_of_noise(set: &SetTable, each: usize, stop: &Stop) -> Option<Diagnostic> {
    let label = format!("{each} evaluations per genome");
    if stop.keep_ended && each > 1 {
        let message = format!("operator set `{}` may end just before its budget", set.name);
        let error = set.origin.error(message, label);
        let error = error.rule(
            "keep-ended keeps trials that ended before another budget, but the rest of a budget \
            may be too small for one more genome",
        );
        return Some(error.help("remove keep-ended from [stop], or evaluate each genome once"));
    }
    let budget = stop.evaluations.filter(|budget| *budget < each as u64)?;
    let message = format!("operator set `{}` cannot evaluate a genome", set.name);
    let error = set.origin.error(message, label);
    let rule = format!("`evaluations` = {budget} in [stop] must be enough for at least one genome");
    Some(error.rule(rule).help("raise `evaluations` in [stop], or lower `evaluations-per-genome`"))
}

fn fault_of_diversity(
    set: &SetTable,
    algorithm: &dyn Algorithm,
    stop: &Stop,
) -> Option<Diagnostic> {
    let diversity = stop.diversity.filter(|_| !algorithm.has_diversity())?;
    let message = format!("operator set `{}` has no diversity that could end a trial", set.name);
    let error = set.origin.error(message, "has no population of two or more");
    let rule = format!(
        "`diversity` = {diversity} in [stop] is a mean distance between individuals of a population"
    );
    Some(error.rule(rule).help(
        "remove `diversity` from [stop], or move this set to a separate experiment file; \
        `stagnation` suits every algorithm",
    ))
}

/// Returns the diagnostic of an operator set whose search plans with a budget that [stop] does not
/// have, or that its seeds leave out; `None` if the set has no such plan.
fn fault_of_plan(set: &SetTable, algorithm: &dyn Algorithm, stop: &Stop) -> Option<Diagnostic> {
    let budgets = [(Unit::Generations, stop.generations), (Unit::Evaluations, stop.evaluations)];
    let mut plans = budgets.into_iter().filter(|(unit, _)| algorithm.plans_over(*unit));
    let (unit, budget) = plans.clone().find(|(_, budget)| budget.is_none()).or(plans.next())?;
    let unit = unit.as_str();
    let message = format!("operator set `{}` plans with a budget of {unit}", set.name);
    let error = |label: String| set.origin.error(message, label);
    if budget.is_none() {
        let error = error(format!("has no budget of {unit}"));
        let error = error.rule(format!("it changes as {unit} are spent, so [stop] needs {unit}"));
        let help = format!("add a budget to [stop], such as {unit} = 10000");
        return Some(error.help(help).of_absence());
    }
    let error = error("changes with its budget".into()).rule(
        "keep-ended keeps trials that ended before another budget, but here every budget makes \
        other trials",
    );
    stop.keep_ended.then(|| error.help("remove keep-ended from [stop]"))
}

/// Reads [stop], but for the target that the problem may give. `endless`: some search has no end of
/// its own.
pub(super) fn read(node: &Node, endless: bool, out: &mut Faults) -> Option<Stop> {
    let before = out.len();
    strict(node, &keys::STOP_TABLE, out)?;
    let stop = Stop {
        target: given_number(node, &keys::FITNESS, out),
        generations: given_count(node, &keys::GENERATIONS, out),
        evaluations: given_count(node, &keys::EVALUATIONS, out),
        stagnation: given_count(node, &keys::STAGNATION, out),
        diversity: given_number(node, &keys::DIVERSITY, out),
        trial_seconds: given_number(node, &keys::TRIAL_SECONDS, out),
        on_success: match &*choice(node, &keys::ON_SUCCESS, out) {
            "continue" => OnSuccess::Continue,
            _ => OnSuccess::Stop,
        },
        keep_ended: is_true(node, &keys::KEEP_ENDED, out),
    };
    if out.len() > before {
        return None;
    }
    let lasts =
        stop.generations.is_none() && stop.evaluations.is_none() && stop.trial_seconds.is_none();
    if endless && lasts && stop.stagnation.is_none() {
        return missing(node.origin, "no budget in this table").of_absence().to(out);
    }
    if endless && lasts && stop.on_success == OnSuccess::Continue {
        let at = keys::ON_SUCCESS.of(node).map_or(node.origin, |at| at.origin);
        let error = at.error("a solved trial would never end", "continues after success");
        return error
            .rule(
                "on-success = \"continue\" needs a budget: generations, evaluations or \
                    trial-seconds",
            )
            .help("add one, such as generations = 1000")
            .to(out);
    }
    Some(stop)
}

/// Complains of a swept budget where trials are kept that ended before theirs: arms that differ in
/// nothing else would have the same seeds.
pub(super) fn swept_budget(root: &Node, axes: &[Axis], out: &mut Faults) {
    let keep = keys::STOP.of(root).and_then(|node| keys::KEEP_ENDED.of(node));
    let keep = keep.filter(|node| node.value() == Some(Value::Boolean(true)));
    let is_budget = |axis: &&Axis| {
        axis.table() == "stop" && BUDGET_KEYS.iter().any(|key| axis.path() == [*key])
    };
    let Some((keep, axis)) = keep.zip(axes.iter().find(is_budget)) else { return };
    let message = format!("`{}` is swept, and keep-ended leaves it out of the seeds", axis.key);
    let error = axis.origin.error(message, "a swept budget");
    let error = error.also(keep.origin, "leaves budgets out of the seeds").rule(
        "arms that differ in their budget alone would have the same seeds, and comparisons take \
        arms as independent",
    );
    out.push(error.help("remove keep-ended, or run one budget after the other"));
}

/// Reads [output].
pub(super) fn read_output(root: &Node, out: &mut Faults) -> Trace {
    let Some(node) = keys::OUTPUT.of(root) else { return Trace::None };
    if strict(node, &keys::OUTPUT_TABLE, out).is_none() {
        return Trace::None;
    }
    let trace = Trace::parse(&choice(node, &keys::TRACE, out)).unwrap_or(Trace::None);
    let Some(asked) =
        counts_of_operators(root).filter(|_| is_true(node, &keys::OPERATOR_COUNTS, out))
    else {
        return trace;
    };
    let counted = trace.with_operators();
    if counted.is_none() {
        let error = asked.error("there is no trace to count children in", "no `trace`");
        let error = error.rule(
            "`operators` in [output] adds columns to generations.parquet, which is written only \
            with a trace",
        );
        out.push(error.help("add trace = \"best\" to [output], or remove `operators`"));
    }
    counted.unwrap_or(trace)
}

/// Returns the place of the key that asks for counts of children by operators.
fn counts_of_operators(root: &Node) -> Option<Origin> {
    keys::OPERATOR_COUNTS.of(keys::OUTPUT.of(root)?).map(|node| node.origin)
}

/// Returns the diagnostic of counts of children by operators if no arm has such children.
pub(super) fn nothing_counted(
    drafts: &[ArmDraft],
    trace: Trace,
    root: &Node,
) -> Option<Diagnostic> {
    let has_children = |draft: &ArmDraft| draft.settings.operators.algorithm.has_children();
    if drafts.is_empty() || !trace.has_operators() || drafts.iter().any(has_children) {
        return None;
    }
    let error = counts_of_operators(root)?.error(
        "no operator set has children that could be counted",
        "counts children by crossover and mutation",
    );
    let error = error.rule(
        "an evolutionary algorithm has such children (without the key `algorithm`), and so have \
        islands, cellular and deterministic-crowding",
    );
    Some(error.help("add such an operator set, or remove `operators` from [output]"))
}
