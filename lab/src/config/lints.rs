//! Lints: settings that are allowed one by one and yet cannot mean what they say, such as a target
//! that no genome reaches.

use super::diagnostic::{Diagnostic, Faults};
use super::expand::Expanded;
use super::fields::value;
use super::keys::{self, Key};
use super::node::{Node, Shape};
use super::presets::SetTable;
use super::problem;
use super::repeats::Repeats;
use super::source::Origin;
use crate::operators::Selection;
use crate::operators::operator::Slot;
use crate::plan::settings::Pairing;
use crate::plan::stopping::StoppingCriterion;
use crate::plan::{Arm, ArmDraft, Plan};
use crate::problem::parameter::{Fallback, Parameter, Value};
use crate::problem::section::{Section, Setting};
use crate::search::registry::find;
use std::collections::{BTreeMap, BTreeSet};

/// A config and the drafts of its arms. The place of an arm determines the places of its settings,
/// so that no search is needed.
pub(super) struct Lints<'a> {
    pub config: &'a Expanded<'a>,
    pub drafts: &'a [ArmDraft],
}

impl Lints<'_> {
    /// Warns of impossible settings and of settings without effect. Runs before baselines exist.
    pub(super) fn complain(&self, out: &mut Faults) {
        self.targets(out);
        self.stagnation(out);
        self.childless(out);
        self.idle_operators(out);
        self.idle_scalings(out);
        self.unused_parameters(out);
        self.single_values(out);
        self.idle_axes(out);
    }

    /// Targets below the ideal, and those that every genome reaches.
    fn targets(&self, out: &mut Faults) {
        let written =
            keys::STOP.of(self.config.root).and_then(|stop| keys::FITNESS.of(stop)).is_some();
        if !written && !self.config.is_swept("stop.fitness") {
            return;
        }
        let mut beyond: BTreeMap<Origin, (f64, f64, usize)> = BTreeMap::new();
        let mut given: BTreeMap<Origin, (f64, f64)> = BTreeMap::new();
        for (place, draft) in self.drafts.iter().enumerate() {
            let (Some(target), Some(origin)) =
                (draft.settings.stop.target, self.config.origin_in_stop(&keys::FITNESS, place))
            else {
                continue;
            };
            let problem = draft.problem.description();
            if let Some(ideal) = problem.ideal.filter(|ideal| target < *ideal) {
                let (_, least, arms) = beyond.entry(origin).or_insert((target, ideal, 0));
                *least = least.min(ideal);
                *arms += 1;
            }
            let worst = problem.worst.filter(|worst| !problem.has_violations && target >= *worst);
            if let Some(worst) = worst {
                given.insert(origin, (target, worst));
            }
        }
        for (origin, (target, ideal, arms)) in beyond {
            let message = format!("no trial can reach `fitness` = {target}");
            let warning = origin.warning(message, "below the ideal");
            let of = match arms == self.drafts.len() {
                true => String::new(),
                false => format!("; this applies to {arms} of {} arms", self.drafts.len()),
            };
            let warning =
                warning.rule(format!("the lowest possible fitness of this problem is {ideal}{of}"));
            out.push(warning.help(format!(
                "raise it to at least {ideal}, or remove it: the default target is the ideal; to \
                continue after success, write on-success = \"continue\""
            )));
        }
        for (origin, (target, worst)) in given {
            let message = format!("every genome reaches `fitness` = {target}");
            let warning = origin.warning(message, "not below the worst fitness");
            let warning = warning.rule(format!(
                "the highest possible fitness of this problem is {worst}, so every trial succeeds \
                with its first genome"
            ));
            out.push(warning.help("lower it, or remove it: the default target is the ideal"));
        }
    }

    fn stagnation(&self, out: &mut Faults) {
        let mut told = BTreeSet::new();
        for (place, draft) in self.drafts.iter().enumerate() {
            let stop = &draft.settings.stop;
            let (Some(generations), Some(stagnation)) = (stop.generations, stop.stagnation) else {
                continue;
            };
            let Some(origin) = self
                .config
                .origin_in_stop(&keys::STAGNATION, place)
                .filter(|_| stagnation > generations)
            else {
                continue;
            };
            if told.insert((origin, generations)) {
                let message = format!("`stagnation` = {stagnation} never ends a trial");
                let warning = origin.warning(message, "exceeds the number of generations");
                let warning = warning.rule(format!(
                    "a trial ends after `generations` = {generations} at the latest"
                ));
                out.push(warning.help(format!("lower it below {generations}, or remove it")));
            }
        }
    }

    /// Budgets that the first population uses up.
    fn childless(&self, out: &mut Faults) {
        let mut told = BTreeSet::new();
        for (place, draft) in self.drafts.iter().enumerate() {
            let (stop, operators) = (&draft.settings.stop, &draft.settings.operators);
            let algorithm = &operators.algorithm;
            let population = algorithm.population_setting().filter(|_| algorithm.has_children());
            let Some(population) = population else { continue };
            let each = operators.resampling.evaluations as u64;
            let anew = operators.reevaluations(1).unwrap_or(0);
            // The first child comes after the initial population, and what is evaluated anew.
            let least = (population as u64).saturating_add(anew).saturating_add(1);
            let least = least.saturating_mul(each);
            let (key, budget, label) = match (stop.generations, stop.evaluations) {
                (Some(0), _) => (
                    &keys::GENERATIONS,
                    "0 generations".to_owned(),
                    "none after the initial population",
                ),
                (_, Some(evaluations)) if evaluations < least => (
                    &keys::EVALUATIONS,
                    format!("{evaluations} evaluations"),
                    match (each, anew) {
                        (1, 0) => "not more than the population",
                        (_, 0) => "not enough for the population and a child",
                        _ => "not enough for the population, once more anew, and a child",
                    },
                ),
                _ => continue,
            };
            let Some(origin) = self
                .config
                .origin_in_stop(key, place)
                .filter(|origin| told.insert((*origin, &operators.name)))
            else {
                continue;
            };
            let message =
                format!("operator set `{}` never makes a child: {budget}", operators.name);
            let mut warning = origin.warning(message, label);
            if let Some(at) = self.config.set(place).and_then(|set| keys::POPULATION.of(&set.node))
            {
                warning = warning.also(at.origin, "the initial population");
            }
            let warning = warning.rule(format!(
                "its initial population of {population} is evaluated before there are children"
            ));
            let raise = if key.name == keys::GENERATIONS.name { 1 } else { least };
            out.push(warning.help(format!(
                "raise `{}` to at least {raise}; to only draw genomes, choose algorithm = \
                \"random-search\"",
                key.name
            )));
        }
    }

    /// Reports operators that never change a genome.
    fn idle_operators(&self, out: &mut Faults) {
        const IDLE: [(&Key, &str, &str); 5] = [
            (&keys::CROSSOVER, "rate", "never crosses a pair"),
            (&keys::CROSSOVER, "swap", "exchanges no gene"),
            (&keys::MUTATION, "rate", "never mutates a child"),
            (&keys::MUTATION, "gene-rate", "changes no gene"),
            (&keys::MUTATION, "sigma", "adds nothing to a gene"),
        ];
        for set in self.config.sets {
            let before = out.len();
            for (slot, parameter, does) in IDLE {
                let Some(value) = slot.of(&set.node).and_then(|node| node.get(parameter)) else {
                    continue;
                };
                let nought = matches!(value.shape, Shape::Integer(0))
                    || matches!(value.shape, Shape::Real(0.0));
                if nought && !self.config.is_swept(&format!("operators.{}.{parameter}", slot.name))
                {
                    let message =
                        format!("the {} of operator set `{}` {does}", slot.name, set.name);
                    let warning = value.origin.warning(message, "0");
                    out.push(warning.help(format!(
                        "raise its `{parameter}` above 0, or remove the {}",
                        slot.name
                    )));
                }
            }
            self.without_share(set, out);
            set.trace_preset(&mut out[before..]);
        }
    }

    /// Operators that a mix has no share for.
    fn without_share(&self, set: &SetTable, out: &mut Faults) {
        let swept = self.config.axes.iter().any(|axis| axis.path.starts_with("operators.mix"));
        let Some(mix) = keys::MIX.of(&set.node).filter(|_| !swept) else { return };
        for (slot, share) in
            [(&keys::CROSSOVER, &keys::MIX_CROSSOVER), (&keys::MUTATION, &keys::MUTATE)]
        {
            let Some(node) = slot.of(&set.node) else { continue };
            let used = match share.of(mix).and_then(Node::value) {
                Some(Value::Real(share)) => share > 0.0,
                Some(Value::Integer(share)) => share > 0,
                _ => false,
            };
            if !used {
                let message = format!("operator set `{}` never uses its {}", set.name, slot.name);
                let warning = node.origin.warning(message, "has no share in the mix");
                let warning = warning
                    .rule("with a mix, the shares determine how often each operation happens");
                out.push(warning.help(format!(
                    "give the mix a share of `{}`, or remove the {}",
                    share.name, slot.name
                )));
            }
        }
    }

    /// Complains of scalings next to selections that look at fitness alone. A scaling that a preset
    /// brings along is not reported.
    fn idle_scalings(&self, out: &mut Faults) {
        let mut told = BTreeSet::new();
        for (place, draft) in self.drafts.iter().enumerate() {
            let Some(settings) = draft.settings.operators.algorithm.as_evolutionary() else {
                continue;
            };
            let weighs = matches!(settings.selection, Selection::Roulette | Selection::Sus);
            let Some(set) = self.config.set(place).filter(|_| !weighs) else { continue };
            let Some(node) = keys::SCALING
                .of(&set.node)
                .filter(|_| !self.config.is_swept("operators.selection"))
            else {
                continue;
            };
            let name = node.get("kind").unwrap_or(node);
            let is_none = matches!(&name.shape, Shape::Text(name) if name == "none");
            if is_none || node.origin.source != set.origin.source || !told.insert(set.origin) {
                continue;
            }
            let message = format!("operator set `{}` never uses its scaling", set.name);
            let warning = node.origin.warning(message, "not used by its selection");
            let warning = warning.rule(
                "only roulette and sus select by weight; the other selections compare fitness",
            );
            out.push(warning.help(format!(
                "remove it, or choose {} = \"roulette\" or \"sus\"",
                Slot::Selection
            )));
        }
    }

    /// Warns of parameters of algorithms that no arm uses, because of other settings. A value may
    /// stand there if it is the usual one.
    fn unused_parameters(&self, out: &mut Faults) {
        let mut given: BTreeMap<Origin, (bool, String, &Parameter)> = BTreeMap::new();
        for (place, draft) in self.drafts.iter().enumerate() {
            let operators = &draft.settings.operators;
            let Some(set) = self.config.set(place) else { continue };
            let Some(node) = keys::ALGORITHM.of(&set.node) else { continue };
            let kind = node.get(keys::KIND).and_then(Node::as_text);
            let Some(algorithm) = kind.and_then(|kind| find(Slot::Algorithm, kind)) else {
                continue;
            };
            let kept = match operators.section.get(Slot::Algorithm.as_str()) {
                Some(Setting::Section(kept)) if is_of(kept, algorithm.name) => kept,
                _ => continue,
            };
            for parameter in algorithm.parameters {
                let Some(value) = node.get(&parameter.key) else { continue };
                let is_used = kept.get(&parameter.key).is_some() || is_usual(value, parameter);
                let one = || (false, operators.name.clone(), parameter);
                given.entry(value.origin).or_insert_with(one).0 |= is_used;
            }
        }
        for (origin, (is_used, name, parameter)) in given {
            if !is_used {
                let message = format!("operator set `{name}` does not use `{}`", parameter.key);
                let warning = origin.warning(message, "not used");
                let warning = warning.rule(format!("`{}`: {}", parameter.key, parameter.doc));
                out.push(warning.help("remove it, or change the setting that it needs"));
            }
        }
    }

    /// Reports one-value sweeps that the file gives. An override leaves one on purpose, and so
    /// does a file over one that sweeps the key.
    fn single_values(&self, out: &mut Faults) {
        for axis in self.config.axes.iter().filter(|_| !self.config.extends) {
            let [value] = axis.values.as_slice() else { continue };
            if value.origin.source == axis.origin.source {
                let message = format!("the sweep of `{}` has one value", axis.key);
                let warning = value.origin.warning(message, "nothing to compare it with");
                let (table, path) = (axis.table(), axis.path().join("."));
                let header = if table == "operators" {
                    "[[operators]]".to_owned()
                } else {
                    format!("[{table}]")
                };
                out.push(warning.help(format!(
                    "list more values, or write {path} = {} in {header}",
                    value.to_toml()
                )));
            }
        }
    }

    /// Warns of swept keys that no arm has, because sweeps of single operator sets replace them.
    fn idle_axes(&self, out: &mut Faults) {
        for (place, axis) in self.config.axes.iter().enumerate() {
            let has =
                |draft: &ArmDraft| draft.settings.swept.get(place).is_some_and(Option::is_some);
            if !self.drafts.is_empty() && !self.drafts.iter().any(has) {
                let message = format!("the sweep of `{}` is not used", axis.key);
                let warning = axis.origin.warning(message, "in no arm");
                let warning = warning
                    .rule("a sweep of one operator set's key replaces that of the key of all sets");
                out.push(warning.help("remove it, or add an operator set that has it"));
            }
        }
    }
}

/// Returns the diagnostic of trials that cannot succeed, if there is a target in no arm. It is an
/// error if success decides how many trials there are.
pub(super) fn no_target(
    drafts: &[ArmDraft],
    repeats: Option<&Repeats>,
    root: &Node,
) -> Option<Diagnostic> {
    if drafts.iter().any(|draft| draft.settings.stop.target.is_some()) {
        return None;
    }
    if let Some(rule) = keys::REPEATS.of(root).filter(|_| repeats.is_some_and(Repeats::is_a_rule)) {
        let error = rule.error(
            "successes end the trials, and no trial can succeed: there is no target",
            "goes by successes",
        );
        let error = error.rule(
            "the problem does not state an ideal fitness, and [stop] has no `fitness`, so nothing \
            counts as success",
        );
        return Some(error.help(
            "add the fitness to reach to [stop], such as fitness = 0.001, or give a number of \
            trials, such as repeats = 100: arms are then compared by their fitness",
        ));
    }
    let at = keys::STOP.of(root).map_or(root.origin, |stop| stop.origin);
    let words = "no trial can succeed: there is no target";
    let warning = at.warning(words, "no `fitness` in this table");
    let warning =
        warning.rule("the problem does not state an ideal fitness, so nothing counts as success");
    Some(warning.help("add the fitness to reach, such as fitness = 0.001"))
}

/// Warns of trials that only the clock ends, because their results are not reproducible.
pub(super) fn by_time_alone(drafts: &[ArmDraft], root: &Node) -> Option<Diagnostic> {
    let some = drafts.iter().any(|draft| draft.settings.stop.is_by_time_alone());
    let at = keys::STOP.of(root).filter(|_| some)?;
    let at = keys::TRIAL_SECONDS.of(at).unwrap_or(at).origin;
    let message = "only `trial-seconds` ends trials, so results depend on the machine";
    let warning = at.warning(message, "the only budget");
    let warning = warning.rule(
        "how far a search gets in its time depends on the processor and on what else runs, so the \
        same config gives other tables each time",
    );
    Some(warning.help("for results that can be repeated, add evaluations = … to [stop]"))
}

/// Returns the diagnostic of a baseline that was asked for, and no arm has.
pub(super) fn no_baseline(drafts: &[ArmDraft], asked: Origin) -> Option<Diagnostic> {
    if drafts.is_empty() || drafts.iter().any(|draft| draft.baseline.is_some()) {
        return None;
    }
    let warning = asked.warning("no arm gets a baseline", "requests baselines");
    let warning = warning.rule(
        "the baseline is random search; random search and exhaustive search themselves get no \
        baseline",
    );
    Some(warning.help("remove `baseline`, or add a table [[operators]] with another search"))
}

/// Returns the diagnostic of pairing if no two arms have a problem in common.
pub(super) fn nothing_paired(
    drafts: &[ArmDraft],
    pairing: Pairing,
    root: &Node,
) -> Option<Diagnostic> {
    let mut problems = BTreeSet::new();
    let alone =
        drafts.iter().all(|draft| problems.insert(problem::identity(&draft.settings.parameters)));
    let node = keys::PAIRING
        .of(root)
        .filter(|_| alone && pairing == Pairing::Common && !drafts.is_empty())?;
    let warning = node.origin.warning("no two arms are paired", "requests paired trials");
    let warning = warning.rule(match drafts.len() {
        1 => "arms of the same problem share their initial populations, but here is one arm",
        _ => {
            "arms of the same problem share their initial populations, but here each arm has a \
            different problem"
        }
    });
    Some(warning.help("remove `pairing`, or add a table [[operators]] to compare with"))
}

/// Returns the error of pairing with an operator set whose trials begin with genomes of its own.
pub(super) fn unpairable(drafts: &[ArmDraft], pairing: Pairing, root: &Node) -> Option<Diagnostic> {
    let node = keys::PAIRING.of(root).filter(|_| pairing == Pairing::Common)?;
    let chooses = |draft: &&ArmDraft| draft.settings.operators.algorithm.chooses_start();
    let name = &drafts.iter().find(chooses)?.settings.operators.name;
    let message = format!("the operator set `{name}` cannot be paired");
    let error = node.origin.error(message, "requests the same first genomes in all arms");
    let error = error.rule("its algorithm is a plugin's, which asks for its own genomes");
    Some(error.help("remove `pairing`, or move this operator set to a file without it"))
}

/// Returns diagnostics of questions that trials can hardly or never answer.
pub(super) fn unanswerable(plan: &Plan, root: &Node) -> Vec<Diagnostic> {
    let (Some(stopping_rule), Some(node)) = (&plan.stopping_rule, keys::REPEATS.of(root)) else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    if let Some(at) = keys::CONFIDENCE.of(node).filter(|_| stopping_rule.confidence < 0.5) {
        let (confidence, likely) = (stopping_rule.confidence, 1.0 - stopping_rule.confidence);
        let message =
            format!("`confidence` = {confidence}: the answer is more likely wrong than right");
        let warning = at.origin.warning(message, "less than one half");
        let warning = warning.rule("it is the probability that the answer is right, as in 0.95");
        warnings.push(warning.help(format!("did you mean {likely}?")));
    }
    if let StoppingCriterion::Precision { half_width } = stopping_rule.criterion
        && let Some(at) = keys::MAX.of(node)
    {
        // The rates that are known soonest are those of no success and of nothing else.
        let narrowest = stopping_rule
            .interval(0, plan.repeats)
            .map_or(1.0, |interval| interval.high - interval.low);
        if narrowest > 2.0 * half_width {
            let message = format!(
                "`max` = {} trials are too few for `half-width` = {half_width}, whatever the \
                success rate",
                plan.repeats
            );
            let warning = at.origin.warning(message, "too few");
            let rule = format!(
                "the interval must be at most twice that wide, but after that many trials it is at \
                least {narrowest:.3} wide"
            );
            warnings.push(warning.rule(rule).help("raise `max`, or choose a larger `half-width`"));
        }
    }
    if let StoppingCriterion::Best { .. } = &stopping_rule.criterion
        && let Some(at) = keys::MAX.of(node)
        && stopping_rule.first_drop_out(plan.repeats).is_none()
    {
        let message = format!("`max` = {} trials are too few for an arm to drop out", plan.repeats);
        let warning = at.origin.warning(message, "too few");
        let rule = "even an arm that never succeeds, while all others always do, could not be told \
            from them";
        warnings.push(warning.rule(rule).help("raise `max`, or lower `confidence`"));
    }
    warnings
}

/// Returns the diagnostic of repeated trials of searches that draw no random numbers.
pub(super) fn all_the_same(plan: &Plan, sets: &[SetTable]) -> Option<Diagnostic> {
    let first = plan.arms.iter().find(|arm| arm.is_deterministic()).filter(|_| plan.repeats > 1)?;
    let is_set = |set: &&SetTable| set.name == first.settings.operators.name;
    let set = sets.iter().find(is_set).or(sets.first())?;
    let at = keys::ALGORITHM.of(&set.node)?.origin;
    let message = format!("all {} trials of an arm will be the same", plan.repeats);
    let all = plan.arms.iter().all(Arm::is_deterministic);
    let warning = at.warning(message, "is deterministic");
    let warning = warning
        .rule("exhaustive search goes through the genomes in a fixed order, whatever the seed");
    Some(warning.help(match all {
        true => "set repeats = 1",
        false => "run it in an experiment of its own, with repeats = 1",
    }))
}

/// Returns whether a value is the parameter's default.
fn is_usual(node: &Node, parameter: &Parameter) -> bool {
    let given = value(node, &parameter.key, &parameter.kind, &mut Vec::new());
    given.is_some_and(|given| parameter.fallback == Fallback::Value(given))
}

/// Returns whether a section is that of the operator with this name.
fn is_of(section: &Section, name: &str) -> bool {
    matches!(section.get("kind"), Some(Setting::Value(Value::Text(kind))) if kind == name)
}
