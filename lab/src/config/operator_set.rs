//! Operator sets: from a table of a config to an [`OperatorSet`], every rule checked.

use super::diagnostic::{Diagnostic, Faults};
use super::fields::{given_count, given_number, is_meant, strict, value};
use super::keys;
use super::node::{Entry, Node, Shape};
use super::operator_plugins::OperatorPlugins;
use super::slot::{self, Chosen, Rate};
use super::{duplicates, noise, restarts, sharing};
use crate::operators::build;
use crate::operators::crossover::CROSSOVERS;
use crate::operators::mutation::MUTATIONS;
use crate::operators::operator::Slot;
use crate::operators::registry::{Entry as Member, Family};
use crate::operators::replacement::REPLACEMENTS;
use crate::operators::scaling::SCALINGS;
use crate::operators::selection::SELECTIONS;
use crate::operators::values::{Complaint, Context, Make, Values};
use crate::operators::{
    CONSTRAINTS, Constraints, CrossoverKind, Mix, MutationKind, Replacement, Scaling, Schedules,
    Selection,
};
use crate::problem::parameter::{Kind, Value};
use crate::problem::section::Section;
use crate::problem::{PluginOperator, Problem};
use crate::search::algorithm::{BATCH, Parts, PopulationKey, Recipe};
use crate::search::algorithms::ALGORITHMS;
use crate::search::registry::{self};
use crate::search::{Duplicates, OperatorSet, PluginOperators, Resampling, Restarts, Sharing};
use crate::words::listed;
use std::iter;
use std::sync::Arc;

/// An operator set as it was written: all that can be said without a problem is said.
#[derive(Debug)]
pub(super) struct Written<'a> {
    name: &'a str,
    algorithm: Option<Chosen<'a, Recipe>>,
    population: Option<usize>,
    mix: Option<Mix>,
    mixed: bool,
    scaling: Option<Chosen<'a, Make<Scaling>>>,
    selection: Option<Chosen<'a, Make<Selection>>>,
    crossover: Option<Chosen<'a, Make<CrossoverKind>>>,
    mutation: Option<Chosen<'a, Make<MutationKind>>>,
    replacement: Option<Chosen<'a, Make<Replacement>>>,
    constraints: Option<Chosen<'a, Make<Constraints>>>,
    sharing: Option<Sharing>,
    restarts: Option<Restarts>,
    resampling: Option<Resampling>,
    duplicates: Duplicates,
    /// Table of the set.
    node: &'a Node,
    /// Whether nothing was wrong so far.
    good: bool,
}

/// Reads an operator set's table.
pub(super) fn read<'a>(
    name: &'a str,
    node: &'a Node,
    plugins: &mut OperatorPlugins<'_>,
    out: &mut Faults,
) -> Option<Written<'a>> {
    let before = out.len();
    let entries = strict(node, &keys::OPERATOR_SET, out)?;
    let algorithm = choose(&ALGORITHMS, &keys::ALGORITHM, node, Rate::Own, plugins, out);
    // The keys of an unknown algorithm are unknown, so none of them is reported.
    let recipe = algorithm.as_ref().map(|chosen| chosen.entry.make);
    let uses = |slot| recipe.is_some_and(|recipe| recipe.uses(slot));
    if let Some(algorithm) = &algorithm {
        refuse_idle(algorithm, entries, out);
    }
    let mut mix = None;
    let mixed = keys::MIX.of(node).is_some();
    if let Some(at) = keys::MIX.of(node).filter(|_| recipe.is_some_and(|recipe| recipe.uses_mix()))
    {
        mix = read_mix(at, node, plugins, out);
    }
    let rate = match recipe {
        Some(recipe) if recipe.mutates_always() => Rate::Proposals,
        _ if mixed => Rate::Mix,
        _ => Rate::Own,
    };
    let scaling = choose(&SCALINGS, &keys::SCALING, node, rate, plugins, out);
    let selection = choose(&SELECTIONS, &keys::SELECTION, node, rate, plugins, out);
    let crossover = choose(&CROSSOVERS, &keys::CROSSOVER, node, rate, plugins, out);
    let mutation = choose(&MUTATIONS, &keys::MUTATION, node, rate, plugins, out);
    let replacement = choose(&REPLACEMENTS, &keys::REPLACEMENT, node, rate, plugins, out);
    let constraints = choose(&CONSTRAINTS, &keys::CONSTRAINTS, node, rate, plugins, out);
    let lone = crossover.is_none()
        && replacement
            .as_ref()
            .is_some_and(|replacement| matches!(replacement.name(), "plus" | "comma"));
    let population = match recipe.map(|recipe| recipe.population) {
        Some(PopulationKey::Required) => population(node, entries, name, lone, out),
        Some(PopulationKey::Batch | PopulationKey::Learned) => match keys::POPULATION.of(node) {
            Some(_) => given_count(node, &keys::POPULATION, out)
                .and_then(|size| usize::try_from(size).ok()),
            None => Some(BATCH),
        },
        Some(PopulationKey::Unused) | None => Some(1),
    };
    let breeds = recipe.is_some_and(|recipe| recipe.breeds());
    let sharing = keys::SHARING.of(node).filter(|_| breeds);
    let sharing = sharing.and_then(|at| sharing::read(at, out));
    let has_runs = recipe.is_some_and(|recipe| recipe.has_runs());
    let restarts = keys::RESTARTS.of(node).filter(|_| has_runs);
    let restarts = restarts.and_then(|at| restarts::read(at, out));
    let resampling = keys::NOISE.of(node).and_then(|at| noise::read(at, out));
    let duplicates = duplicates::read(node, out);
    if uses(Slot::Selection) {
        require_keys(name, node, entries, plugins, out);
    }
    let good = out.len() == before;
    Some(Written {
        name,
        algorithm,
        population,
        mix,
        mixed: rate != Rate::Own,
        scaling,
        selection,
        crossover,
        mutation,
        replacement,
        constraints,
        sharing,
        restarts,
        resampling,
        duplicates,
        node,
        good,
    })
}

/// Returns the operator that a key names, else its default, if it has one.
fn choose<'a, M>(
    family: &'static Family<M>,
    key: &keys::Key,
    node: &'a Node,
    rate: Rate,
    plugins: &mut OperatorPlugins<'_>,
    out: &mut Faults,
) -> Option<Chosen<'a, M>> {
    match (key.of(node), key.default_choice()) {
        (Some(at), _) => slot::read(family, at, rate, plugins, out),
        (None, "") => None,
        (None, name) => Some(Chosen::by_default(family, name, node)),
    }
}

/// Returns the keys that an algorithm uses, without name and preset.
fn used_keys(recipe: &Recipe) -> Vec<&'static str> {
    let population = (recipe.population != PopulationKey::Unused).then_some("population");
    let slots = recipe.slots.iter().map(|slot| slot.as_str());
    let mix = recipe.uses_mix().then_some("mix");
    let sharing = recipe.breeds().then_some("sharing");
    let restarts = recipe.has_runs().then_some("restarts");
    let own = iter::once("algorithm").chain(population).chain(slots).chain(mix);
    own.chain(sharing).chain(restarts).chain([keys::NOISE.name, keys::DUPLICATES.name]).collect()
}

/// Reports keys that the algorithm ignores.
fn refuse_idle(chosen: &Chosen<'_, Recipe>, entries: &[Entry], out: &mut Faults) {
    let (used_keys, algorithm) = (used_keys(&chosen.entry.make), chosen.own_name());
    let means = keys::OPERATOR_SET.swept();
    let idle = |entry: &&Entry| {
        means.contains(&entry.key.as_str()) && !used_keys.contains(&entry.key.as_str())
    };
    for entry in entries.iter().filter(idle) {
        let message = format!("{algorithm} does not use `{}`", entry.key);
        let error = entry.key_origin.error(message, "not used");
        let error = error.rule(match used_keys.as_slice() {
            [_, also @ ..] if !also.is_empty() => format!(
                "besides its own parameters, {algorithm} takes only {}",
                listed(also, "and")
            ),
            _ => format!("{algorithm} takes only its own parameters"),
        });
        out.push(error.help("remove it, or choose the algorithm \"evolutionary\""));
    }
}

/// The slots of an operator set, built for a problem one after the other.
struct Slots<'a> {
    recipe: &'a Recipe,
    problem: &'a Problem,
    context: Context<'a>,
    /// Settings of the slots.
    sections: Vec<(Slot, Section)>,
    out: &'a mut Vec<Diagnostic>,
}

impl Slots<'_> {
    /// Returns the operator of a slot that the algorithm uses, and that of a plugin in its place.
    fn build<M, T>(
        &mut self,
        chosen: Option<&Chosen<'_, M>>,
        make: impl FnOnce(&Member<M>, Values, Context<'_>) -> Result<(T, Section), Complaint>,
    ) -> (Option<T>, Option<Arc<PluginOperator>>) {
        let Some(chosen) = chosen.filter(|chosen| self.recipe.uses(chosen.slot)) else {
            return (None, None);
        };
        chosen.fit(self.problem, self.out);
        let Some(((operator, section), plugin)) = chosen.settle(self.context, self.out, make)
        else {
            return (None, None);
        };
        self.sections.push((chosen.slot, section));
        (Some(operator), plugin)
    }
}

impl Written<'_> {
    /// Returns the operator set for a problem. Every slot is built even if another cannot be: all
    /// complaints come at once.
    pub(super) fn build(&self, problem: &Problem, out: &mut Faults) -> Option<OperatorSet> {
        let algorithm = self.algorithm.as_ref()?;
        let before = out.len();
        algorithm.fit(problem, out);
        if out.len() > before {
            return None;
        }
        let context = Context::new(self.population?, problem.description());
        let recipe = &algorithm.entry.make;
        let (parts, mut plugins, sections) = self.build_slots(recipe, (problem, context), out);
        // A call that the plugin lacks is reported once, not for every set that needs it.
        let lacks = [
            (Slot::Scaling, parts.scaling.is_none()),
            (Slot::Selection, parts.selection.is_none()),
            (Slot::Replacement, parts.replacement.is_none()),
        ];
        let lacks = lacks.iter().any(|(slot, lacking)| *lacking && recipe.uses(*slot));
        if !self.good || lacks || out.len() > before {
            return None;
        }
        if recipe.mutates_always()
            && let Some(mutation) = &self.mutation
            && parts.proposes().is_some_and(|kind| kind.self_adaptation().is_some())
        {
            return mutation.without_individuals(algorithm.name()).to(out);
        }
        let ((made, section), plugin) =
            algorithm.settle(context, out, |_, mut values, context| {
                let made = (recipe.make)(&mut values, &parts, context)?;
                Ok((made, values.section_in(context)))
            })?;
        plugins.algorithm = plugin;
        if let (Some(_), Some(at)) = (self.sharing, keys::SHARING.of(self.node)) {
            sharing::suit(parts.selection, self.name, at, out)?;
        }
        if let Some(at) = keys::RESTARTS.of(self.node) {
            restarts::suit(&*made, self.name, at, out)?;
        }
        if let (Some(rule), Some(at)) = (self.resampling, keys::NOISE.of(self.node)) {
            noise::suit((rule, problem), &*made, (self.name, at), out)?;
        }
        let breeds = recipe.breeds();
        duplicates::suit(self.duplicates, problem, breeds, (self.name, self.node), out)?;
        // The slots of the evolutionary algorithm say what it is.
        let own = made.as_evolutionary().is_none().then_some((Slot::Algorithm, section));
        let operators = own.into_iter().chain(sections);
        let name = self.name.to_string();
        let set = OperatorSet::new(name, made, parts.constraints, operators, parts.mix);
        let set = set.with_plugins(plugins).with_sharing(self.sharing);
        let set = set.with_restarts(self.restarts).with_resampling(self.resampling);
        Some(set.with_duplicates(self.duplicates))
    }

    /// Returns the parameters that change during a trial.
    fn schedules(&self) -> Schedules {
        let of_mutation = |key: &str| self.mutation.as_ref()?.schedule(key);
        Schedules {
            crossover_rate: self
                .crossover
                .as_ref()
                .and_then(|crossover| crossover.schedule("rate")),
            mutation_rate: of_mutation("rate"),
            gene_rate: of_mutation("gene-rate"),
            sigma: of_mutation("sigma"),
        }
    }

    /// Returns the operators of the slots that the algorithm uses, those of plugins, and the
    /// settings of both.
    fn build_slots(
        &self,
        recipe: &Recipe,
        (problem, context): (&Problem, Context<'_>),
        out: &mut Faults,
    ) -> (Parts, PluginOperators, Vec<(Slot, Section)>) {
        let mut slots = Slots { recipe, problem, context, sections: Vec::new(), out };
        let (scaling, _) = slots.build(self.scaling.as_ref(), Member::build);
        // If the requested scaling is wrong, that is reported already.
        let weights = scaling.unwrap_or(Scaling::Reciprocal);
        let (selection, of_selection) = slots
            .build(self.selection.as_ref(), |entry, values, context| {
                build::selection(entry, values, weights, context)
            });
        let (crossover, of_crossover) = slots
            .build(self.crossover.as_ref(), |entry, values, context| {
                build::crossover(entry, values, self.mixed, context)
            });
        let (mutation, of_mutation) = slots
            .build(self.mutation.as_ref(), |entry, values, context| {
                build::mutation(entry, values, self.mixed, context)
            });
        let (replacement, _) = slots.build(self.replacement.as_ref(), Member::build);
        let usual = || Chosen::by_default(&CONSTRAINTS, "feasibility-first", self.node);
        let usual = context.problem.has_violations.then(usual);
        let chosen = self.constraints.as_ref().or(usual.as_ref());
        let (constraints, _) = slots.build(chosen, Member::build);
        let (mix, schedules) = (self.mix, self.schedules());
        let parts = Parts {
            scaling,
            selection,
            mix,
            crossover,
            mutation,
            replacement,
            constraints,
            sharing: self.sharing,
            schedules,
        };
        let plugins = PluginOperators {
            selection: of_selection,
            crossover: of_crossover,
            mutation: of_mutation,
            algorithm: None,
        };
        (parts, plugins, slots.sections)
    }
}

/// Reports required keys that an operator set lacks.
fn require_keys(
    name: &str,
    node: &Node,
    entries: &[Entry],
    plugins: &OperatorPlugins<'_>,
    out: &mut Faults,
) {
    let names = keys::OPERATOR_SET.names();
    let there = |key: &keys::Key| key.of(node).is_some() || is_meant(entries, key.name, &names);
    if !there(&keys::SELECTION) {
        let names: Vec<&str> =
            registry::operators(Slot::Selection).iter().map(|one| one.name).collect();
        let error = node.error(format!("operator set `{name}` has no selection"), "in this table");
        let error =
            error.rule(format!("the selections are {}", listed(&names, "and"))).of_absence();
        out.push(error.help("add one, such as selection = \"tournament\""));
    }
    if ![&keys::MIX, &keys::CROSSOVER, &keys::MUTATION].into_iter().any(there) {
        let message = format!("operator set `{name}` has no variation");
        let error = node.error(message, "neither crossover nor mutation in this table");
        let error =
            error.rule("children that are copies of their parents cannot improve").of_absence();
        let example = slot::example(Slot::Mutation, plugins);
        out.push(error.help(format!(
            "add a mutation, such as mutation = \"{example}\", or a crossover, or both"
        )));
    }
}

/// Returns the population. `lone` means that a population of 1 makes sense, as in (1 + lambda).
fn population(
    node: &Node,
    entries: &[Entry],
    name: &str,
    lone: bool,
    out: &mut Faults,
) -> Option<usize> {
    let Some(at) = keys::POPULATION.of(node) else {
        if is_meant(entries, keys::POPULATION.name, &keys::OPERATOR_SET.names()) {
            return None;
        }
        let error = node
            .error(format!("operator set `{name}` has no population"), "in this table")
            .of_absence();
        return error
            .rule("a population has at least 2 individuals")
            .help("add one, such as population = 100")
            .to(out);
    };
    let error = match at.shape {
        Shape::Integer(0) => {
            at.error("a population of 0 is empty", "no individuals").rule("it must be at least 2")
        }
        Shape::Integer(1) if lone => return Some(1),
        Shape::Integer(1) => {
            let error = at
                .error("a population of 1 leaves no choice for selection", "only one individual")
                .rule(
                    "it must be at least 2, so that selection has a choice; 1 is allowed with \
                    mutation only and the replacement plus or comma",
                );
            if keys::REPLACEMENT.of(node).is_none() { error.of_absence() } else { error }
        }
        _ => {
            let Kind::Integer { high, .. } = *keys::POPULATION.kind() else { return None };
            return match value(at, keys::POPULATION.name, &Kind::Integer { low: 2, high }, out) {
                Some(Value::Integer(size)) => usize::try_from(size).ok(),
                _ => None,
            };
        }
    };
    error.help("choose a larger one, such as population = 100").to(out)
}

/// Returns the shares of a mix; checks that they fit the slots.
fn read_mix(
    mix: &Node,
    set: &Node,
    plugins: &OperatorPlugins<'_>,
    out: &mut Faults,
) -> Option<Mix> {
    let entries = strict(mix, &keys::MIX_TABLE, out)?;
    let [clone, crossover, mutate] =
        [&keys::CLONE, &keys::MIX_CROSSOVER, &keys::MUTATE].map(|key| given_number(mix, key, out));
    let (clone, crossover, mutate) = (clone?, crossover?, mutate?);
    let sum = clone + crossover + mutate;
    let known = entries.iter().all(|entry| keys::MIX_TABLE.has(&entry.key));
    if known && (sum - 1.0).abs() > 1e-9 {
        let shown = format!("{sum:.6}");
        let shown = shown.trim_end_matches('0').trim_end_matches('.');
        let error = mix.error(format!("the shares of this mix sum to {shown}"), "not 1");
        let off = if sum < 1.0 { "raise" } else { "lower" };
        out.push(
            error.rule("each step does exactly one operation, so the shares must sum to 1").help(
                format!(
                    "{off} one of them by {}",
                    format!("{:.6}", (1.0 - sum).abs()).trim_end_matches('0')
                ),
            ),
        );
    }
    for (key, amount, slot, operator) in [
        (&keys::MIX_CROSSOVER, crossover, &keys::CROSSOVER, Slot::Crossover),
        (&keys::MUTATE, mutate, &keys::MUTATION, Slot::Mutation),
    ] {
        if amount > 0.0 && slot.of(set).is_none() {
            let at = key.of(mix).map_or(mix.origin, |node| node.origin);
            let (slot, example) = (slot.name, slot::example(operator, plugins));
            let error = at
                .error(
                    format!("this mix includes {slot}, but the operator set has none"),
                    "above 0",
                )
                .rule("an operation with a share above 0 needs its operator");
            out.push(
                error.help(format!(
                    "add one, such as {slot} = \"{example}\", or set the share to 0"
                )),
            );
        }
    }
    Some(Mix { clone, crossover, mutate })
}
