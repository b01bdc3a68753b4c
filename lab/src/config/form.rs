//! The form of an experiment: its keys, the registry's operators and the presets as JSON, for
//! user interfaces. Derived from the definitions that the parser uses.

use super::keys::{self, Form, Key};
use super::locate::text_as_json;
use super::presets::preset_texts;
use super::schema::value_as_json;
use crate::operators::Domain;
use crate::operators::operator::{Operator, Slot};
use crate::problem::parameter::{Fallback, Kind, Parameter};
use crate::problem::{DeclaredOperator, Encoding};
use crate::search::algorithm::PopulationKey;
use crate::search::algorithms::ALGORITHMS;
use crate::search::registry::{operators, plugin_parameters};
use serde_json::{Value as Json, json};

/// Keys of `[stop]` that a form offers: the others need a word of explanation.
const STOP: [&Key; 5] =
    [&keys::FITNESS, &keys::GENERATIONS, &keys::EVALUATIONS, &keys::STAGNATION, &keys::ON_SUCCESS];

/// Returns the form without the problems: `set`, `mix`, `stop` and `top` are lists of fields,
/// `slots` are operators with their fields, and `presets` are the operator sets that ship.
#[must_use]
pub fn form() -> Json {
    let fields = |keys: &[&Key]| keys.iter().filter_map(|key| field(key)).collect::<Vec<_>>();
    json!({
        "set": fields(&[&keys::POPULATION]),
        "mix": fields(keys::MIX_TABLE.keys),
        "stop": fields(&STOP),
        "top": fields(&[&keys::SEED, &keys::REPEATS]),
        "slots": Slot::ALL.map(slot),
        "presets": preset_texts().iter().map(|(name, text)| preset(name, text)).collect::<Vec<_>>(),
    })
}

/// Returns the operators of a plugin that go with the problems of any plugin, as those of the
/// runner are: `library` and `operator` are what a config names.
#[must_use]
pub fn foreign_operators(library: &str, declared: &[DeclaredOperator]) -> Vec<(Slot, Json)> {
    let of_slot = |one: &DeclaredOperator| {
        let slot = Slot::parse(one.kind.as_str())?;
        Some((slot, foreign_operator(library, slot, one)))
    };
    declared.iter().filter_map(of_slot).collect()
}

fn foreign_operator(library: &str, slot: Slot, declared: &DeclaredOperator) -> Json {
    let shared = plugin_parameters(slot).unwrap_or_default();
    let source = if declared.source.is_empty() { "-" } else { &declared.source };
    let words = [&declared.name, &declared.summary, source];
    let parameters = declared.parameters.iter().chain(shared);
    let mut shown = described(words, declared.encodings(), parameters);
    shown["library"] = json!(library);
    shown["operator"] = json!(declared.name);
    shown
}

/// Returns what is shown of any operator. `words` are its name, its summary and its source.
fn described<'a>(
    [name, summary, source]: [&str; 3],
    encodings: &[Encoding],
    parameters: impl Iterator<Item = &'a Parameter>,
) -> Json {
    json!({
        "name": name,
        "summary": summary,
        "source": source,
        "encodings": encodings.iter().map(|one| one.as_str()).collect::<Vec<_>>(),
        "parameters": parameters.map(parameter_field).collect::<Vec<_>>(),
    })
}

/// Returns a parameter as a field: its type, range or words, its default or how that is worked out.
#[must_use]
pub fn parameter_field(parameter: &Parameter) -> Json {
    let Parameter { key, kind, fallback, doc, .. } = parameter;
    let mut field = of_kind(key, kind, fallback, doc);
    field["varies"] = json!(parameter.varies);
    field
}

fn field(key: &Key) -> Option<Json> {
    match &key.form {
        Form::Value(kind) | Form::ValueOrTable(kind, _) => {
            Some(of_kind(key.name, kind, &key.fallback, key.doc))
        }
        Form::Unsigned => {
            let kind = Kind::Integer { low: 0, high: i64::MAX };
            let mut field = of_kind(key.name, &kind, &key.fallback, key.doc);
            field["high"] = json!(u64::MAX);
            Some(field)
        }
        _ => None,
    }
}

fn of_kind(key: &str, kind: &Kind, fallback: &Fallback, doc: &str) -> Json {
    let (name, low, high, words) = match kind {
        Kind::Integer { low, high } => ("integer", json!(low), json!(high), Json::Null),
        Kind::Real { low, high, .. } => ("real", json!(low), json!(high), Json::Null),
        Kind::Boolean => ("boolean", Json::Null, Json::Null, Json::Null),
        Kind::Choice(words) => ("choice", Json::Null, Json::Null, json!(words)),
        Kind::Text => ("text", Json::Null, Json::Null, Json::Null),
        Kind::File => ("file", Json::Null, Json::Null, Json::Null),
    };
    let (default, derived) = match fallback {
        Fallback::Value(value) => (value_as_json(value), Json::Null),
        Fallback::Derived(words) => (Json::Null, json!(words)),
        Fallback::Required => (Json::Null, Json::Null),
    };
    json!({
        "key": key, "type": name, "low": low, "high": high, "words": words, "default": default,
        "derived": derived, "required": matches!(fallback, Fallback::Required), "doc": doc,
    })
}

fn slot(slot: Slot) -> Json {
    let key = keys::OPERATOR_SET.find(slot.as_str());
    let derived = key.and_then(|key| match &key.fallback {
        Fallback::Derived(words) => Some((*words).to_owned()),
        Fallback::Value(value) => Some(value.to_string().trim_matches('"').to_owned()),
        Fallback::Required => None,
    });
    json!({
        "slot": slot.as_str(),
        "doc": key.map_or("", |key| key.doc),
        "derived": derived,
        "operators": operators(slot).into_iter().map(|one| operator(slot, one)).collect::<Vec<_>>(),
    })
}

fn operator(slot: Slot, operator: &Operator) -> Json {
    let words = [operator.name, operator.summary, operator.source];
    let mut shown = described(words, operator.domain.encodings(), operator.parameters.iter());
    shown["plugin"] = json!(matches!(operator.domain, Domain::Plugin));
    if slot == Slot::Algorithm
        && let Some(entry) = ALGORITHMS.find(operator.name)
    {
        shown["population"] = json!(entry.make.population != PopulationKey::Unused);
        shown["slots"] = entry.make.slots.iter().map(|slot| json!(slot.as_str())).collect();
    }
    shown
}

/// Returns a preset: its comment as words, its table as JSON.
fn preset(name: &str, text: &str) -> Json {
    let words: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix('#')).collect();
    let words = words.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let table = text_as_json(text).map(|mut all| all[name].take()).unwrap_or_default();
    json!({ "name": name, "doc": words, "table": table })
}
