//! Operator sets: from a table of a config to an [`OperatorSet`], every rule checked.

use super::diagnostic::Diagnostic;
use super::fields::{check_keys, integer, number, table, value, wrong_type};
use super::node::{Entry, Node, Shape};
use crate::nearest::nearest;
use crate::operators::build::{self, Complaint, Context, Draft};
use crate::operators::registry::{self, Entry as Operator, Slot, listed};
use crate::operators::{Mix, OperatorSet, Scaling, Setting};
use crate::parameter::{Fallback, Kind};
use crate::problem::Description;

/// The keys of an operator set.
pub const KEYS: [&str; 9] =
    ["name", "preset", "population", "scaling", "selection", "mix", "crossover", "mutation", "replacement"];

/// Largest population, in individuals.
const LARGEST: i64 = 10_000_000;

/// Reads an operator set. Without a problem's description (its plugin could not be used) all else is still checked.
pub fn read(name: &str, node: &Node, problem: Option<&Description>, out: &mut Vec<Diagnostic>) -> Option<OperatorSet> {
    let entries = table(node, "operators", "[[operators]]", out)?;
    let before = out.len();
    check_keys(entries, &KEYS, "an operator set", out);
    let population = population(node, name, out);
    let mix = node.get("mix").and_then(|mix| read_mix(mix, node, out));
    let mixed = node.get("mix").is_some();
    let slot = |slot: Slot, out: &mut Vec<Diagnostic>| {
        let node = node.get(slot.word())?;
        read_slot(slot, node, mixed, problem, out).map(|draft| (draft, node))
    };
    let none = || default_draft(Slot::Scaling, "none");
    let scaling_given = node.get("scaling").is_some();
    let scaling = slot(Slot::Scaling, out);
    let selection = slot(Slot::Selection, out);
    let crossover = slot(Slot::Crossover, out);
    let mutation = slot(Slot::Mutation, out);
    let replacement = slot(Slot::Replacement, out);
    if node.get("selection").is_none() {
        let names: Vec<&str> = registry::entries(Slot::Selection).map(|entry| entry.name).collect();
        let error = Diagnostic::error(format!("operator set `{name}` has no selection"), node.origin, "in this table");
        out.push(
            error
                .rule(format!("the selections are {}", listed(&names, "and")))
                .help("add one, such as selection = \"tournament\""),
        );
    }
    if !mixed && node.get("crossover").is_none() && node.get("mutation").is_none() {
        let message = format!("operator set `{name}` varies nothing");
        let error = Diagnostic::error(message, node.origin, "neither crossover nor mutation");
        out.push(error.help("add a mutation, such as mutation = \"reset\", or a crossover, or both"));
    }
    let (Some(population), Some(problem)) = (population, problem) else { return None };
    if out.len() > before {
        return None;
    }
    let context = Context { population, problem };
    let built = |result: Result<_, Complaint>, node: &Node, out: &mut Vec<Diagnostic>| match result {
        Ok(built) => Some(built),
        Err(complaint) => {
            out.push(complain(complaint, node));
            None
        }
    };
    let scaling = match scaling {
        Some((draft, node)) => built(build::scaling(draft, context), node, out)?,
        None if scaling_given => return None,
        None => (Scaling::None, none().1),
    };
    let (draft, at) = selection?;
    let selection = match build::selection(draft, scaling.0, context) {
        Ok(built) => built,
        Err(complaint) => {
            out.push(complain(complaint, at));
            return None;
        }
    };
    let crossover = match crossover {
        Some((draft, node)) => match build::crossover(draft, mixed, context) {
            Ok(built) => Some(built),
            Err(complaint) => {
                out.push(complain(complaint, node));
                return None;
            }
        },
        None => None,
    };
    let mutation = mutation.map(|(draft, _)| build::mutation(draft, mixed, context));
    let generational = || (default_draft(Slot::Replacement, "generational").0, node);
    let (draft, at) = replacement.unwrap_or_else(generational);
    let replacement = match build::replacement(draft, context) {
        Ok(built) => built,
        Err(complaint) => {
            out.push(complain(complaint, at));
            return None;
        }
    };
    let mut settings: Vec<(&'static str, Setting)> = vec![("scaling", scaling.1), ("selection", selection.1)];
    settings.extend(crossover.as_ref().map(|(_, setting)| ("crossover", setting.clone())));
    settings.extend(mutation.as_ref().map(|(_, setting)| ("mutation", setting.clone())));
    settings.push(("replacement", replacement.1));
    Some(OperatorSet {
        name: name.to_string(),
        population,
        scaling: scaling.0,
        selection: selection.0,
        mix,
        crossover: crossover.map(|(crossover, _)| crossover),
        mutation: mutation.map(|(mutation, _)| mutation),
        replacement: replacement.0,
        settings,
    })
}

fn default_draft(slot: Slot, name: &str) -> (Draft, Setting) {
    let entry = registry::find(slot, name).expect("the registry has its defaults");
    let setting = Setting { kind: entry.name, values: Vec::new() };
    (Draft { entry, values: vec![None; entry.parameters.len()] }, setting)
}

fn population(node: &Node, name: &str, out: &mut Vec<Diagnostic>) -> Option<usize> {
    let Some(at) = node.get("population") else {
        let error = Diagnostic::error(format!("operator set `{name}` has no population"), node.origin, "in this table");
        out.push(error.rule("a population has at least 2 individuals").help("add one, such as population = 100"));
        return None;
    };
    let error = match at.shape {
        Shape::Integer(0) => Diagnostic::error("a population of 0 has nobody in it", at.origin, "no individual")
            .rule("it must be at least 2"),
        Shape::Integer(1) => {
            Diagnostic::error("a population of 1 has nobody to select from", at.origin, "one individual")
                .rule("it must be at least 2, so that selection has a choice")
        }
        _ => return integer(at, "population", 2, LARGEST, out).and_then(|size| usize::try_from(size).ok()),
    };
    out.push(error.help("choose more, such as population = 100"));
    None
}

/// The shares of a mix, and the rules that tie it to the slots.
fn read_mix(mix: &Node, set: &Node, out: &mut Vec<Diagnostic>) -> Option<Mix> {
    let example = "mix = { clone = 0.30, crossover = 0.69, mutate = 0.01 }";
    let entries = table(mix, "mix", example, out)?;
    check_keys(entries, &["clone", "crossover", "mutate"], "a mix", out);
    let share = Kind::Real { low: 0.0, high: 1.0, low_open: false, high_open: false };
    let mut read = |key: &str| match mix.get(key) {
        Some(node) => number(node, key, &share, out),
        None => Some(0.0),
    };
    let (clone, crossover, mutate) = (read("clone"), read("crossover"), read("mutate"));
    let (clone, crossover, mutate) = (clone?, crossover?, mutate?);
    let sum = clone + crossover + mutate;
    if (sum - 1.0).abs() > 1e-9 {
        let shown = format!("{sum:.6}");
        let shown = shown.trim_end_matches('0').trim_end_matches('.');
        let error = Diagnostic::error(format!("the shares of this mix sum to {shown}"), mix.origin, "not 1");
        let off = if sum < 1.0 { "raise" } else { "lower" };
        out.push(
            error
                .rule("exactly one operation happens at each step, so the shares must sum to 1")
                .help(format!("{off} one of them by {}", format!("{:.6}", (1.0 - sum).abs()).trim_end_matches('0'))),
        );
    }
    for (key, amount, slot) in [("crossover", crossover, "crossover"), ("mutate", mutate, "mutation")] {
        if amount > 0.0 && set.get(slot).is_none() {
            let at = mix.get(key).map_or(mix.origin, |node| node.origin);
            let error = Diagnostic::error(
                format!("this mix asks for {slot}, and the operator set has none"),
                at,
                "more than 0",
            );
            let example = if slot == "crossover" { "one-point" } else { "reset" };
            out.push(error.help(format!("add one, such as {slot} = \"{example}\", or make the share 0")));
        }
    }
    Some(Mix { clone, crossover, mutate })
}

/// A slot's operator: a bare name, or a table with `kind` and parameters.
fn read_slot(
    slot: Slot,
    node: &Node,
    mixed: bool,
    problem: Option<&Description>,
    out: &mut Vec<Diagnostic>,
) -> Option<Draft> {
    let none: &[Entry] = &[];
    let (kind, entries) = match &node.shape {
        Shape::Text(_) => (node, none),
        Shape::Table(entries) => match node.get("kind") {
            Some(kind) => (kind, entries.as_slice()),
            None => {
                let error = Diagnostic::error(format!("this {slot} has no `kind`"), node.origin, "which one?");
                out.push(error.help(format!("name it: {slot} = {{ kind = \"{}\" }}", first(slot))));
                return None;
            }
        },
        _ => {
            let example = format!("{slot} = \"{}\" or {slot} = {{ kind = \"{}\" }}", first(slot), first(slot));
            out.push(
                wrong_type(node, slot.word(), "a name or a table with `kind`").help(format!("write it as {example}")),
            );
            return None;
        }
    };
    let Shape::Text(name) = &kind.shape else {
        out.push(wrong_type(kind, "kind", "a text in quotes"));
        return None;
    };
    let Some(entry) = registry::find(slot, name) else {
        out.push(unknown_operator(slot, name, kind));
        return None;
    };
    if let Some(Err(reason)) = problem.map(|problem| entry.fits(problem)) {
        let fitting =
            registry::entries(slot).filter(|entry| problem.is_some_and(|problem| entry.fits(problem).is_ok()));
        let fitting: Vec<&str> = fitting.map(|entry| entry.name).collect();
        let error =
            Diagnostic::error(format!("{slot} `{name}` does not fit this problem"), kind.origin, "does not fit");
        out.push(error.rule(reason).help(format!("those that fit: {}", listed(&fitting, "and"))));
        return None;
    }
    read_parameters(entry, entries, mixed, out)
}

fn read_parameters(
    entry: &'static Operator,
    entries: &[Entry],
    mixed: bool,
    out: &mut Vec<Diagnostic>,
) -> Option<Draft> {
    let before = out.len();
    let of = format!("{} `{}`", entry.slot, entry.name);
    let allowed: Vec<&str> =
        std::iter::once("kind").chain(entry.parameters.iter().map(|parameter| parameter.key.as_ref())).collect();
    check_keys(entries, &allowed, &of, out);
    let mut values = Vec::with_capacity(entry.parameters.len());
    for parameter in &entry.parameters {
        let given = entries.iter().find(|entry| entry.key == parameter.key);
        if let Some(given) = given
            && mixed
            && parameter.key == "rate"
        {
            let error = Diagnostic::error(format!("{of} has a rate beside a mix"), given.key_origin, "a rate");
            out.push(
                error
                    .rule("under a mix its shares say how often each operation happens")
                    .help("remove the rate, or the mix"),
            );
        }
        let fallback = || match &parameter.fallback {
            Fallback::Value(value) => Some(value.clone()),
            Fallback::Required | Fallback::Derived(_) => None,
        };
        values.push(match given {
            Some(given) => value(&given.value, &parameter.key, &parameter.kind, out),
            None => fallback(),
        });
    }
    (out.len() == before).then_some(Draft { entry, values })
}

fn first(slot: Slot) -> &'static str {
    match slot {
        Slot::Scaling => "rank",
        Slot::Selection => "tournament",
        Slot::Crossover => "one-point",
        Slot::Mutation => "reset",
        Slot::Replacement => "generational",
    }
}

fn unknown_operator(slot: Slot, name: &str, at: &Node) -> Diagnostic {
    let names: Vec<&str> = registry::entries(slot).map(|entry| entry.name).collect();
    let error = Diagnostic::error(format!("there is no {slot} called `{name}`"), at.origin, "unknown")
        .rule(format!("the {slot}s are {}", listed(&names, "and")));
    if let Some(near) = nearest(name, names.iter().copied()) {
        return error.help(format!("did you mean \"{near}\"?"));
    }
    let elsewhere = Slot::ALL.into_iter().find(|other| registry::find(*other, name).is_some());
    match elsewhere {
        Some(other) => error.help(format!("`{name}` is a {other}: write {other} = \"{name}\"")),
        None => error.help("`runner operators` lists each with its parameters"),
    }
}

/// Points a rule of several values at the one to blame.
fn complain(complaint: Complaint, node: &Node) -> Diagnostic {
    let at = complaint.key.and_then(|key| node.get(key)).unwrap_or(node);
    Diagnostic::error(complaint.message, at.origin, "here").help(complaint.help)
}
