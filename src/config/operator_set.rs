//! Operator sets: from a table of a config to an [`OperatorSet`], every rule checked.

use super::diagnostic::Diagnostic;
use super::fields::{check_keys, given_count, given_number, is_meant, table, value};
use super::keys;
use super::node::{Entry, Node, Shape};
use super::slot::{self, Chosen, Rate};
use crate::operators::build::{self, Complaint, Context, Draft};
use crate::operators::registry::{self, Slot, listed};
use crate::operators::{Algorithm, Evolutionary, Mix, OperatorSet, Scaling};
use crate::problem::Description;
use crate::problem::parameter::{Kind, Value};

/// Genomes a generation where an algorithm without a population of its own goes through many.
const BATCH: usize = 100;

/// An operator set as it was written: all that can be said without a problem is said.
#[derive(Debug)]
pub struct Written<'a> {
    name: &'a str,
    algorithm: Option<Chosen<'a>>,
    population: Option<usize>,
    mix: Option<Mix>,
    mixed: bool,
    scaling: Option<Chosen<'a>>,
    selection: Option<Chosen<'a>>,
    crossover: Option<Chosen<'a>>,
    mutation: Option<Chosen<'a>>,
    replacement: Option<Chosen<'a>>,
    /// Nothing was wrong so far.
    good: bool,
}

/// Reads an operator set's table.
pub fn read<'a>(name: &'a str, node: &'a Node, out: &mut Vec<Diagnostic>) -> Option<Written<'a>> {
    let entries = table(node, "operators", "[[operators]]", out)?;
    let before = out.len();
    check_keys(entries, &keys::OPERATOR_SET.names(), keys::OPERATOR_SET.name, out);
    let algorithm = match keys::ALGORITHM.of(node) {
        Some(at) => slot::read(Slot::Algorithm, at, Rate::Own, out),
        None => Some(Chosen::by_default(Slot::Algorithm, keys::ALGORITHM.default_word(), node)),
    };
    // Of an unknown algorithm nothing is known: what it takes is not complained of.
    let kind = algorithm.as_ref().map_or("", Chosen::name);
    let evolutionary = kind == "evolutionary";
    refuse_idle(kind, entries, out);
    let mut mix = None;
    let mixed = keys::MIX.of(node).is_some();
    if let Some(at) = keys::MIX.of(node).filter(|_| evolutionary) {
        mix = read_mix(at, node, out);
    }
    let rate = match kind {
        "simulated-annealing" => Rate::Proposals,
        _ if mixed => Rate::Mix,
        _ => Rate::Own,
    };
    let mut choose = |slot: Slot, key: &keys::Key| match (key.of(node), key.default_word()) {
        (Some(at), _) => slot::read(slot, at, rate, out),
        (None, "") => None,
        (None, name) => Some(Chosen::by_default(slot, name, node)),
    };
    let scaling = choose(Slot::Scaling, &keys::SCALING);
    let selection = choose(Slot::Selection, &keys::SELECTION);
    let crossover = choose(Slot::Crossover, &keys::CROSSOVER);
    let mutation = choose(Slot::Mutation, &keys::MUTATION);
    let replacement = choose(Slot::Replacement, &keys::REPLACEMENT);
    let lone = crossover.is_none()
        && replacement
            .as_ref()
            .is_some_and(|replacement| matches!(replacement.name(), "plus" | "comma"));
    let population = match kind {
        "evolutionary" => population(node, entries, name, lone, out),
        "random-search" | "exhaustive" => match keys::POPULATION.of(node) {
            Some(_) => given_count(node, &keys::POPULATION, out)
                .and_then(|size| usize::try_from(size).ok()),
            None => Some(BATCH),
        },
        _ => Some(1),
    };
    if evolutionary {
        demand(name, node, entries, out);
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
        good,
    })
}

/// The keys that mean something to an algorithm, besides name and preset; none: all.
fn heeded(algorithm: &str) -> Option<&'static [&'static str]> {
    match algorithm {
        "random-search" | "exhaustive" => Some(&["algorithm", "population"]),
        "hill-climbing" => Some(&["algorithm"]),
        "simulated-annealing" => Some(&["algorithm", "mutation"]),
        _ => None,
    }
}

/// Complains of keys that an algorithm does not heed.
fn refuse_idle(algorithm: &str, entries: &[Entry], out: &mut Vec<Diagnostic>) {
    let Some(heeded) = heeded(algorithm) else { return };
    let means = keys::OPERATOR_SET.swept();
    let idle = |entry: &&Entry| {
        means.contains(&entry.key.as_str()) && !heeded.contains(&entry.key.as_str())
    };
    for entry in entries.iter().filter(idle) {
        let message = format!("`{}` means nothing to {algorithm}", entry.key);
        let error = Diagnostic::error(message, entry.key_origin, "not heeded");
        let error = error.rule(match heeded {
            [_, also] => format!("besides its own parameters {algorithm} takes {also}"),
            _ => format!("{algorithm} takes its own parameters alone"),
        });
        out.push(error.help("remove it, or choose the algorithm \"evolutionary\""));
    }
}

impl Written<'_> {
    /// The operator set for a problem. Every slot is built even if another cannot be: all
    /// complaints come at once.
    pub fn build(&self, problem: &Description, out: &mut Vec<Diagnostic>) -> Option<OperatorSet> {
        let before = out.len();
        let algorithm = self.algorithm.as_ref()?;
        if algorithm.name() != "evolutionary" {
            return self.build_other(algorithm, problem, out);
        }
        let slots =
            [&self.scaling, &self.selection, &self.crossover, &self.mutation, &self.replacement];
        slots.into_iter().flatten().for_each(|chosen| chosen.fit(problem, out));
        let context = Context { population: self.population?, problem };
        let scaling = settle(self.scaling.as_ref(), out, |draft| build::scaling(draft, context));
        // Where a scaling was asked for and is wrong, that complaint is there already.
        let weights = scaling.as_ref().map_or(Scaling::Reciprocal, |(scaling, _)| *scaling);
        let selection =
            settle(self.selection.as_ref(), out, |draft| build::selection(draft, weights, context));
        let crossover = settle(self.crossover.as_ref(), out, |draft| {
            build::crossover(draft, self.mixed, context)
        });
        let mutation = settle(self.mutation.as_ref(), out, |draft| {
            Ok(build::mutation(draft, self.mixed, context))
        });
        let replacement =
            settle(self.replacement.as_ref(), out, |draft| build::replacement(draft, context));
        if !self.good || out.len() > before {
            return None;
        }
        let (scaling, selection, replacement) = (scaling?, selection?, replacement?);
        let (crossover, crossover_setting) = crossover.unzip();
        let (mutation, mutation_setting) = mutation.unzip();
        let settings = [
            ("scaling", Some(scaling.1)),
            ("selection", Some(selection.1)),
            ("crossover", crossover_setting),
            ("mutation", mutation_setting),
            ("replacement", Some(replacement.1)),
        ];
        let algorithm = Algorithm::Evolutionary(Evolutionary {
            population: context.population,
            scaling: scaling.0,
            selection: selection.0,
            mix: self.mix,
            crossover,
            mutation,
            replacement: replacement.0,
        });
        let settings =
            settings.into_iter().filter_map(|(slot, setting)| Some((slot, setting?))).collect();
        Some(OperatorSet { name: self.name.to_string(), algorithm, settings })
    }

    /// An algorithm other than the evolutionary one.
    fn build_other(
        &self,
        algorithm: &Chosen<'_>,
        problem: &Description,
        out: &mut Vec<Diagnostic>,
    ) -> Option<OperatorSet> {
        let before = out.len();
        let proposes = algorithm.name() == "simulated-annealing";
        let mutation = self.mutation.as_ref().filter(|_| proposes);
        algorithm.fit(problem, out);
        mutation.inspect(|chosen| chosen.fit(problem, out));
        if out.len() > before {
            return None;
        }
        let context = Context { population: self.population?, problem };
        let mutation = settle(mutation, out, |draft| Ok(build::mutation(draft, true, context)));
        let kind = mutation.as_ref().map(|(mutation, _)| mutation.kind);
        let made = settle(Some(algorithm), out, |draft| build::algorithm(draft, kind, context));
        if !self.good || out.len() > before {
            return None;
        }
        let (algorithm, setting) = made?;
        let mut settings = vec![("algorithm", setting)];
        settings.extend(mutation.map(|(_, setting)| ("mutation", setting)));
        Some(OperatorSet { name: self.name.to_string(), algorithm, settings })
    }
}

/// Builds a slot, if something fitting was chosen for it.
fn settle<T>(
    chosen: Option<&Chosen<'_>>,
    out: &mut Vec<Diagnostic>,
    build: impl FnOnce(Draft) -> Result<T, Complaint>,
) -> Option<T> {
    let chosen = chosen?;
    build(chosen.draft.clone()?).map_err(|complaint| out.push(chosen.complain(complaint))).ok()
}

/// Complaints about what an operator set cannot do without.
fn demand(name: &str, node: &Node, entries: &[Entry], out: &mut Vec<Diagnostic>) {
    let names = keys::OPERATOR_SET.names();
    let meant = |key| is_meant(entries, key, &names);
    if node.get("selection").is_none() && !meant("selection") {
        let names: Vec<&str> = registry::entries(Slot::Selection).map(|entry| entry.name).collect();
        let error = Diagnostic::error(
            format!("operator set `{name}` has no selection"),
            node.origin,
            "in this table",
        );
        let error =
            error.rule(format!("the selections are {}", listed(&names, "and"))).of_absence();
        out.push(error.help("add one, such as selection = \"tournament\""));
    }
    let there = |key| node.get(key).is_some() || meant(key);
    if !there("mix") && !there("crossover") && !there("mutation") {
        let message = format!("operator set `{name}` varies nothing");
        let error =
            Diagnostic::error(message, node.origin, "neither crossover nor mutation in this table");
        let error = error.rule("children that are copies find nothing new").of_absence();
        out.push(
            error.help("add a mutation, such as mutation = \"reset\", or a crossover, or both"),
        );
    }
}

/// `lone`: a population of 1 makes sense, as in (1 + lambda).
fn population(
    node: &Node,
    entries: &[Entry],
    name: &str,
    lone: bool,
    out: &mut Vec<Diagnostic>,
) -> Option<usize> {
    if node.get("population").is_none()
        && is_meant(entries, "population", &keys::OPERATOR_SET.names())
    {
        return None;
    }
    let Some(at) = node.get("population") else {
        let error = Diagnostic::error(
            format!("operator set `{name}` has no population"),
            node.origin,
            "in this table",
        )
        .of_absence();
        out.push(
            error
                .rule("a population has at least 2 individuals")
                .help("add one, such as population = 100"),
        );
        return None;
    };
    let error = match at.shape {
        Shape::Integer(0) => Diagnostic::error(
            "a population of 0 has nobody in it",
            at.origin,
            "no \
            individual",
        )
        .rule("it must be at least 2"),
        Shape::Integer(1) if lone => return Some(1),
        Shape::Integer(1) => Diagnostic::error(
            "a population of 1 has nobody to select from",
            at.origin,
            "one \
                individual",
        )
        .rule(
            "it must be at least 2, so that selection has a choice; 1 goes with mutation alone \
                and the replacement plus or comma",
        ),
        _ => {
            let Kind::Integer { high, .. } = *keys::POPULATION.kind() else { return None };
            return match value(at, keys::POPULATION.name, &Kind::Integer { low: 2, high }, out) {
                Some(Value::Integer(size)) => usize::try_from(size).ok(),
                _ => None,
            };
        }
    };
    out.push(error.help("choose more, such as population = 100"));
    None
}

/// The shares of a mix, and the rules that tie it to the slots.
fn read_mix(mix: &Node, set: &Node, out: &mut Vec<Diagnostic>) -> Option<Mix> {
    let example = "mix = { clone = 0.30, crossover = 0.69, mutate = 0.01 }";
    let entries = table(mix, "mix", example, out)?;
    check_keys(entries, &keys::MIX_TABLE.names(), keys::MIX_TABLE.name, out);
    let mut read = |key: &keys::Key| match (key.of(mix), key.default()) {
        (None, Some(Value::Real(usual))) => Some(usual),
        _ => given_number(mix, key, out),
    };
    let (clone, crossover, mutate) =
        (read(&keys::CLONE), read(&keys::MIX_CROSSOVER), read(&keys::MUTATE));
    let (clone, crossover, mutate) = (clone?, crossover?, mutate?);
    let sum = clone + crossover + mutate;
    let known = entries.iter().all(|entry| keys::MIX_TABLE.has(&entry.key));
    if known && (sum - 1.0).abs() > 1e-9 {
        let shown = format!("{sum:.6}");
        let shown = shown.trim_end_matches('0').trim_end_matches('.');
        let error = Diagnostic::error(
            format!("the shares of this mix sum to {shown}"),
            mix.origin,
            "not 1",
        );
        let off = if sum < 1.0 { "raise" } else { "lower" };
        out.push(
            error
                .rule("exactly one operation happens at each step, so the shares must sum to 1")
                .help(format!(
                    "{off} one of them by {}",
                    format!("{:.6}", (1.0 - sum).abs()).trim_end_matches('0')
                )),
        );
    }
    for (key, amount, slot) in
        [("crossover", crossover, "crossover"), ("mutate", mutate, "mutation")]
    {
        if amount > 0.0 && set.get(slot).is_none() {
            let at = mix.get(key).map_or(mix.origin, |node| node.origin);
            let error = Diagnostic::error(
                format!("this mix asks for {slot}, and the operator set has none"),
                at,
                "more than 0",
            )
            .rule("an operation with a share above 0 needs its operator");
            let example = if slot == "crossover" { "one-point" } else { "reset" };
            out.push(
                error.help(format!("add one, such as {slot} = \"{example}\", or make the share 0")),
            );
        }
    }
    Some(Mix { clone, crossover, mutate })
}
