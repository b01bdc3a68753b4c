//! Slots: the operator that a key of an operator set names, and its parameters.

use super::diagnostic::{Diagnostic, Faults};
use super::fields::{check_keys, value, wrong_type};
use super::keys;
use super::node::{Entry, Node, Shape};
use super::operator_plugins::{Foreign, OperatorPlugins};
use super::schedule;
use super::source::Origin;
use crate::operators::Schedule;
use crate::operators::operator::{Operator, Slot};
use crate::operators::registry::{Entry as Member, Family};
use crate::operators::values::{Complaint, Context, Values};
use crate::problem::parameter::Kind;
use crate::problem::{PluginOperator, Problem};
use crate::search::algorithm::Recipe;
use crate::search::algorithms::ALGORITHMS;
use crate::search::registry::{self};
use crate::words::{listed, nearest};
use std::borrow::Cow;
use std::sync::Arc;

/// Setting that decides how often an operator is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rate {
    /// The operator's own rate.
    Own,
    /// The shares of a mix.
    Mix,
    /// Simulated annealing: it makes every proposal.
    Proposals,
}

/// The operator chosen for a slot, made by an `M`.
#[derive(Debug)]
pub(super) struct Chosen<'a, M: 'static> {
    pub slot: Slot,
    pub entry: &'static Member<M>,
    /// `None` if a parameter is wrong, for which a diagnostic exists.
    pub values: Option<Values>,
    /// Operator of a plugin in whose place the entry is.
    foreign: Option<Foreign>,
    /// Value of the slot, or the operator set's table if it has no value for the slot.
    at: &'a Node,
    /// Source span of the operator's name.
    kind: Origin,
}

impl<'a, M> Chosen<'a, M> {
    /// Returns the operator that holds if an operator set does not choose one.
    pub(super) fn by_default(family: &Family<M>, name: &str, set: &'a Node) -> Self {
        let entry = family.find(name).expect("the registry has its defaults");
        let values = Some(Values::new(&entry.operator, |_| None));
        Chosen { slot: family.slot, entry, values, foreign: None, at: set, kind: set.origin }
    }

    /// Returns the operator's name.
    pub(super) fn name(&self) -> &'static str {
        self.entry.operator.name
    }

    /// Returns the operator's name; for an operator of a plugin, that which the plugin declares.
    pub(super) fn own_name(&self) -> &str {
        self.foreign.as_ref().map_or(self.name(), |foreign| &foreign.declared().name)
    }

    /// Returns the schedule of a parameter; `None` if it has none.
    pub(super) fn schedule(&self, key: &str) -> Option<Schedule> {
        self.values.as_ref()?.schedule(key)
    }

    /// Returns the diagnostic of a mutation whose individuals carry a strength, in an algorithm
    /// without a population to carry them.
    pub(super) fn without_individuals(&self, algorithm: &str) -> Diagnostic {
        let message = format!("{} `{}` does not go with {algorithm}", self.slot, self.name());
        let error = self.kind.error(message, "has nobody to inherit from");
        let error = error.rule("each individual of a population carries its strength to children");
        error.help("choose another mutation, or an algorithm that mutates a population")
    }

    /// Complains of an operator that does not fit the problem.
    pub(super) fn fit(&self, of: &Problem, out: &mut Faults) {
        let problem = of.description();
        if let Some(foreign) = &self.foreign {
            return foreign.fit(problem, self.kind, out);
        }
        let Err(reason) = self.entry.operator.fits(self.slot, problem) else { return };
        let (slot, name) = (self.slot, self.name());
        let all = registry::operators(slot).into_iter();
        let fitting: Vec<String> = all
            .filter(|operator| operator.fits(slot, problem).is_ok())
            .map(|operator| format!("\"{}\"", operator.name))
            .collect();
        let help = match fitting.as_slice() {
            [] => format!("leave out the {slot}: none fits this problem"),
            fitting => format!("choose one that fits: {}", listed(fitting, "or")),
        };
        let help = match encoding_for(&self.entry.operator, of) {
            Some((key, word)) => format!("set {key} = \"{word}\" in [problem], or {help}"),
            None => help,
        };
        let error =
            self.kind.error(format!("{slot} `{name}` does not fit this problem"), "does not fit");
        out.push(error.rule(reason).help(help));
    }

    /// Makes the operator, if its parameters are good. Also returns the operator of a plugin that
    /// the slot holds.
    pub(super) fn settle<T>(
        &self,
        context: Context<'_>,
        out: &mut Faults,
        make: impl FnOnce(&Member<M>, Values, Context<'_>) -> Result<T, Complaint>,
    ) -> Option<(T, Option<Arc<PluginOperator>>)> {
        let operator = match &self.foreign {
            Some(foreign) => Some(foreign.make(context.problem, self.kind, out)?),
            None => None,
        };
        let context = match &operator {
            Some(operator) => Context { operator: Some(operator), ..context },
            None => context,
        };
        let made = make(self.entry, self.values.clone()?, context);
        let made = made.map_err(|complaint| out.push(self.complain(complaint))).ok()?;
        Some((made, operator))
    }

    /// Returns the diagnostic of a rule of several values, placed at the value that breaks it.
    fn complain(&self, complaint: Complaint) -> Diagnostic {
        let blamed = complaint
            .key
            .and_then(|key| self.at.get(key).map(|node| (node.origin, format!("this {key}"))));
        let (origin, label) =
            blamed.unwrap_or_else(|| (self.at.origin, "conflicts with other settings".into()));
        origin.error(complaint.message, label).help(complaint.help)
    }
}

/// Returns a slot's operator: a bare name, or a table with `kind`, or with `plugin`, and
/// parameters.
pub(super) fn read<'a, M>(
    family: &'static Family<M>,
    node: &'a Node,
    rate: Rate,
    plugins: &mut OperatorPlugins<'_>,
    out: &mut Faults,
) -> Option<Chosen<'a, M>> {
    if let (Some(entry), Some(_)) = (&family.plugin, keys::PLUGIN.of(node)) {
        return read_foreign(family.slot, entry, node, rate, plugins, out);
    }
    let slot = family.slot;
    let none: &[Entry] = &[];
    let (kind, entries) = match &node.shape {
        Shape::Text(_) => (node, none),
        Shape::Table(entries) => match node.get(keys::KIND) {
            Some(kind) => (kind, entries.as_slice()),
            None => {
                let error = node.error(format!("this {slot} has no `kind`"), "which one?");
                let error = error
                    .rule(format!("`kind` names the {slot}; the other keys are its parameters"))
                    .of_absence();
                return error
                    .help(format!(
                        "name it, as in {slot} = {{ kind = \"{}\", … }}",
                        example(slot, plugins)
                    ))
                    .to(out);
            }
        },
        _ => {
            let first = example(slot, plugins);
            let example = format!("{slot} = \"{first}\" or {slot} = {{ kind = \"{first}\" }}");
            return wrong_type(node, slot.as_str(), "a name or a table with `kind`")
                .help(format!("write it as {example}"))
                .to(out);
        }
    };
    let Shape::Text(name) = &kind.shape else {
        return wrong_type(kind, keys::KIND, "a string in quotes")
            .help(format!("write a name, such as kind = \"{}\"", example(slot, plugins)))
            .to(out);
    };
    let Some(entry) = family.find(name) else {
        return unknown_operator(slot, name, kind).to(out);
    };
    let of = format!("{slot} `{}`", entry.operator.name);
    let before = out.len();
    let values = read_parameters(&of, &entry.operator, entries, (&[keys::KIND], rate), out);
    name_chooser(slot, (node.origin, kind.origin), entries, &mut out[before..]);
    Some(Chosen { slot, entry, values, foreign: None, at: node, kind: kind.origin })
}

/// Adds the place that chose an operator to the errors about its keys, if it is not in the same
/// table: a sweep may have replaced the name that the keys are written for.
fn name_chooser(
    slot: Slot,
    (table, kind): (Origin, Origin),
    keys: &[Entry],
    out: &mut [Diagnostic],
) {
    let is_same_source = kind.source == table.source;
    if is_same_source && (table.start..table.end).contains(&kind.start) {
        return;
    }
    for error in out {
        if keys.iter().any(|entry| error.origin == Some(entry.key_origin)) {
            error.also.push((kind, format!("this {slot} is chosen here")));
            if is_same_source {
                error.help = Some(format!(
                    "give each {slot} its own keys: sweep \"operators.{slot}\" with names and \
                    tables such as {{ kind = \"…\", … }}"
                ));
            }
        }
    }
}

/// Reads the operator of a plugin: a table with `plugin`. `entry` is in its place.
fn read_foreign<'a, M>(
    slot: Slot,
    entry: &'static Member<M>,
    node: &'a Node,
    rate: Rate,
    plugins: &mut OperatorPlugins<'_>,
    out: &mut Faults,
) -> Option<Chosen<'a, M>> {
    let Shape::Table(entries) = &node.shape else { return None };
    if let Some(kind) = entries.iter().find(|entry| entry.key == keys::KIND) {
        let message = format!("this {slot} has both `kind` and `plugin`");
        let error = kind.key_origin.error(message, "which one?");
        let error = error.rule("`kind` names an operator of the runner, `plugin` one of a plugin");
        return error.help("remove one of them").to(out);
    }
    let foreign = plugins.read(slot, node, out)?;
    let declared = foreign.declared();
    let of = format!("{slot} `{}`", declared.name);
    let own = declared.parameters.iter().map(|parameter| parameter.key.as_ref());
    let more: Vec<&str> = keys::PLUGIN_OPERATOR.names().into_iter().chain(own).collect();
    let values = read_parameters(&of, &entry.operator, entries, (&more, rate), out);
    let kind = keys::PLUGIN.of(node).map_or(node.origin, |plugin| plugin.origin);
    Some(Chosen { slot, entry, values, foreign: Some(foreign), at: node, kind })
}

/// Returns whether an operator is an algorithm that draws neighbours by a mutation.
fn draws_by_mutation(operator: &Operator) -> bool {
    let algorithm = ALGORITHMS.find(operator.name).map(|entry| &entry.make);
    let draws = |recipe: &Recipe| recipe.slots.contains(&Slot::Mutation);
    algorithm.is_some_and(draws) && !operator.parameters.iter().any(|one| one.key == "neighbors")
}

/// Returns the values of an operator's parameters. The keys `more` are also allowed.
fn read_parameters(
    of: &str,
    operator: &'static Operator,
    entries: &[Entry],
    (more, rate): (&[&str], Rate),
    out: &mut Faults,
) -> Option<Values> {
    let before = out.len();
    let own = operator.parameters.iter().map(|parameter| parameter.key.as_ref());
    let allowed: Vec<&str> = more.iter().copied().chain(own).collect();
    check_keys(entries, &allowed, of, out);
    if draws_by_mutation(operator)
        && let Some(entry) = entries.iter().find(|entry| entry.key == "neighbors")
        && let Some(error) =
            out[before..].iter_mut().find(|one| one.origin == Some(entry.key_origin))
    {
        let help = "its neighbours are those of a mutation: next to `algorithm`, write mutation = \
            \"inversion\" (2-opt), \"insert\" (or-opt) or \"swap\"";
        error.help = Some(help.to_owned());
    }
    let mut schedules = Vec::new();
    let values = Values::new(operator, |parameter| {
        let given = entries.iter().find(|entry| entry.key == parameter.key)?;
        if parameter.key == "rate" && rate != Rate::Own {
            let (beside, rule, help) = match rate {
                Rate::Mix | Rate::Own => (
                    "in addition to a mix",
                    "with a mix, the shares determine how often each operation happens",
                    "remove the rate, or the mix",
                ),
                Rate::Proposals => {
                    ("where it proposes the moves", "every move is a mutation", "remove the rate")
                }
            };
            let error = given.key_origin.error(format!("{of} has a rate {beside}"), "a rate");
            out.push(error.rule(rule).help(help));
        }
        if parameter.varies && given.value.entries().is_some() {
            if rate == Rate::Proposals {
                schedule::idle(&given.value, of, parameter, out);
                return None;
            }
            schedules.push((&parameter.key, schedule::read(&given.value, parameter, out)?));
            return None;
        }
        value(&given.value, &parameter.key, &parameter.kind, out)
    });
    let with = |values: Values, (key, schedule): (&Cow<'static, str>, Schedule)| {
        values.with_schedule(key, schedule)
    };
    let values = schedules.into_iter().fold(values, with);
    (out.len() == before).then_some(values)
}

/// Returns the choice of the problem's plugin that gives it an encoding which the operator works
/// on, by key and word.
fn encoding_for<'a>(operator: &Operator, problem: &'a Problem) -> Option<(&'a str, &'a str)> {
    let encodings = operator.domain.encodings();
    if encodings.contains(&problem.description().encoding) {
        return None;
    }
    let wanted = |word: &&str| encodings.iter().any(|encoding| encoding.as_str() == *word);
    problem.library().parameters().iter().find_map(|parameter| {
        let Kind::Choice(words) = &parameter.kind else { return None };
        Some((parameter.key.as_ref(), words.iter().map(AsRef::as_ref).find(wanted)?))
    })
}

/// Returns the name of an operator that fits the problem, as far as it is known, for advice.
pub(super) fn example(slot: Slot, plugins: &OperatorPlugins<'_>) -> &'static str {
    let usual = match slot {
        Slot::Algorithm => "hill-climbing",
        Slot::Scaling => "rank",
        Slot::Selection => "tournament",
        Slot::Crossover => "one-point",
        Slot::Mutation => "reset",
        Slot::Replacement => "generational",
        Slot::Constraints => "feasibility-first",
    };
    let all = registry::operators(slot);
    let fits = |one: &&Operator| {
        let problem = plugins.problem.as_ref();
        problem.is_none_or(|problem| one.fits(slot, problem.description()).is_ok())
    };
    let mut fitting = all.into_iter().filter(fits).map(|one| one.name);
    let first = fitting.next().unwrap_or(usual);
    if fitting.any(|name| name == usual) { usual } else { first }
}

fn unknown_operator(slot: Slot, name: &str, at: &Node) -> Diagnostic {
    let names: Vec<&str> = registry::operators(slot).iter().map(|one| one.name).collect();
    let error = at.error(format!("there is no {slot} called `{name}`"), "unknown").rule(format!(
        "the {}s are {}",
        slot.as_str().trim_end_matches('s'),
        listed(&names, "and")
    ));
    if let Some(near) = nearest(name, names.iter().copied()) {
        return error.help(format!("did you mean \"{near}\"?"));
    }
    let elsewhere = Slot::ALL.into_iter().find(|other| registry::find(*other, name).is_some());
    match elsewhere {
        Some(other) => error.help(format!("`{name}` is a {other}: write {other} = \"{name}\"")),
        None => error.help("`runner operators` lists each with its parameters"),
    }
}
