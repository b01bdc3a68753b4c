//! From a setting as the user wrote it to one with every value there: defaults from the registry, derived values from the
//! rest of the arm.

use super::Setting;
use super::registry::{Entry, Slot, find};
use crate::parameter::{Fallback, Value};
use crate::problem::Description;
use std::borrow::Cow;
use std::fmt;

/// What an operator's rules and derived values depend on.
#[derive(Clone, Copy, Debug)]
pub struct Context<'arm> {
    /// Individuals in the population; at least 2.
    pub population: usize,
    /// Whether a mix chooses the operations: then crossover and mutation have no rate.
    pub mixed: bool,
    pub problem: &'arm Description,
}

/// Why an operator cannot be used as it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The parameter whose value is to blame; none: the operator itself, its `kind`.
    pub key: Option<&'static str>,
    /// What is wrong, with the value and the rule: a sentence without a full stop.
    pub message: String,
    /// The way out, likewise.
    pub help: String,
}

impl Complaint {
    /// About the value of a parameter.
    pub(super) fn of(key: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Complaint { key: Some(key), message: message.into(), help: help.into() }
    }

    /// About the operator.
    pub(super) fn on_kind(message: impl Into<String>, help: impl Into<String>) -> Self {
        Complaint { key: None, message: message.into(), help: help.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}; {}", self.message, self.help)
    }
}

impl std::error::Error for Complaint {}

/// A setting on its way to completion. Parameters are asked for in the registry's order, each once, and what they turn
/// out to be is noted.
///
/// Names, types and ranges are those of the registry: guaranteed by the config, which checks them against the
/// parameter's kind, else a bug there.
pub(super) struct Settled<'arm> {
    pub entry: &'static Entry,
    given: &'arm Setting,
    values: Vec<(&'static str, Value)>,
}

impl<'arm> Settled<'arm> {
    pub fn new(slot: Slot, given: &'arm Setting) -> Self {
        let entry = find(slot, given.kind).expect("the kind of a setting is a name of the registry");
        Settled { entry, given, values: Vec::with_capacity(entry.parameters.len()) }
    }

    /// What the user set, if anything.
    pub fn given(&self, key: &str) -> Option<&'arm Value> {
        self.given.values.iter().find(|(other, _)| *other == key).map(|(_, value)| value)
    }

    /// What the user set, else the registry's default; none where that is derived.
    fn look_up(&self, key: &str) -> Option<Value> {
        let parameter = self.entry.parameters.iter().find(|parameter| parameter.key == key);
        let parameter = parameter.expect("a builder asks for parameters of its own operator");
        self.given(key).cloned().or_else(|| match &parameter.fallback {
            Fallback::Value(value) => Some(value.clone()),
            Fallback::Derived(_) | Fallback::Required => None,
        })
    }

    /// Notes a value that the builder worked out, or keeps.
    pub fn note(&mut self, key: &'static str, value: Value) {
        self.values.push((key, value));
    }

    /// A number; `derived` where neither user nor registry has one.
    pub fn real(&mut self, key: &'static str, derived: Option<f64>) -> Option<f64> {
        let number = match self.look_up(key) {
            None => derived?,
            Some(value) => number(key, &value),
        };
        self.note(key, Value::Real(number));
        Some(number)
    }

    /// A whole number; `derived` where neither user nor registry has one.
    pub fn count(&mut self, key: &'static str, derived: Option<usize>) -> Option<usize> {
        let count = match self.look_up(key) {
            None => derived?,
            Some(value) => whole(key, &value),
        };
        self.note(key, Value::Integer(count as i64));
        Some(count)
    }

    /// One word of a choice.
    pub fn word(&mut self, key: &'static str) -> Option<Cow<'static, str>> {
        let value = self.look_up(key)?;
        self.note(key, value.clone());
        match value {
            Value::Text(word) => Some(word),
            other => unreachable!("`{key}` is a word, guaranteed by the config, not {other}"),
        }
    }

    /// The setting, complete.
    pub fn finish(self) -> Setting {
        Setting { kind: self.entry.name, values: self.values }
    }
}

/// A number; a whole one will do.
pub(super) fn number(key: &str, value: &Value) -> f64 {
    match value {
        Value::Real(number) => *number,
        Value::Integer(number) => *number as f64,
        other => unreachable!("`{key}` is a number, guaranteed by the config, not {other}"),
    }
}

/// A whole number that is not negative, as the registry's ranges have it.
pub(super) fn whole(key: &str, value: &Value) -> usize {
    match value {
        Value::Integer(number) => {
            usize::try_from(*number).expect("counts are not negative, guaranteed by their ranges")
        }
        other => unreachable!("`{key}` is a whole number, guaranteed by the config, not {other}"),
    }
}
