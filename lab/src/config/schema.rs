//! The JSON Schema of an experiment file (draft 2020-12, json-schema.org), for editors: made of the
//! keys that the parser reads, the registry's operators and the parameters that plugins declare.

use super::keys::{self, Form, Key, Table};
use super::presets::preset_texts;
use super::repeats::RULES;
use super::{restarts, sweep_tables, swept_keys};
use crate::operators::operator::Slot;
use crate::problem::Library;
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::search::registry::{operators, plugin_parameters};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the schema. It allows any parameters of other plugins than these.
///
/// It is as strict as a file alone can be judged. Only `runner check` knows the rules that depend
/// on the problem's encoding, or on several keys at once.
#[must_use]
pub fn json_schema(plugins: &[Arc<Library>]) -> Json {
    let mut root = table(&keys::TOP, plugins);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("Experiment file of runner");
    let alone = json!({ "not": { "required": [keys::EXTENDS.name] } });
    root["allOf"] = json!([
        without_own_presets(),
        { "if": alone, "then": complete(&keys::TOP) },
    ]);
    let slots = Slot::ALL.map(|slot| (slot.as_str().to_owned(), operator(slot)));
    let mut definitions: Map<String, Json> = slots.into_iter().collect();
    definitions.insert("preset".to_owned(), preset(plugins));
    definitions.insert("range".to_owned(), range());
    // Its ends are numbers of any parameter.
    definitions.insert("schedule".to_owned(), table(&keys::SCHEDULE_TABLE, plugins));
    definitions.insert("swept".to_owned(), swept(plugins));
    definitions.insert("complete-sweep".to_owned(), complete_sweep());
    root["$defs"] = Json::Object(definitions);
    root
}

/// Returns the schema of a suite's file.
#[must_use]
pub fn suite_schema() -> Json {
    let mut root = table(&keys::SUITE_TOP, &[]);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("Suite of runner");
    root
}

/// Returns the schema of an object with the keys of a table and no others.
fn table(table: &Table, plugins: &[Arc<Library>]) -> Json {
    if table.header == keys::PROBLEM_TABLE.header {
        return problem(plugins);
    }
    if table.header == keys::SWEEP_TABLE.header {
        let one = json!({ "$ref": "#/$defs/swept" });
        // The tables of a list are laid over no others.
        let item = json!({ "allOf": [one, { "$ref": COMPLETE_SWEEP }] });
        let several = json!({ "type": "array", "minItems": 1, "items": item });
        return either([(json!({ "type": "object" }), one), (json!({ "type": "array" }), several)]);
    }
    // Its keys are paths of other keys.
    if table.keys.is_empty() {
        return json!({ "type": "object", "description": table.doc });
    }
    let properties: Map<String, Json> =
        table.keys.iter().map(|one| (one.name.to_owned(), key(one, plugins))).collect();
    let mut object = json!({
        "type": "object", "description": table.doc, "properties": properties,
        "additionalProperties": unknown(),
    });
    if let (Json::Object(object), false) = (&mut object, is_laid(table, &keys::TOP)) {
        object.append(&mut requirements(table));
    }
    object
}

/// Returns the table that a key has, or may have; `None` if it has a list of tables, or none.
fn below(key: &Key) -> Option<&'static Table> {
    match key.form {
        Form::Table(below) | Form::ValueOrTable(_, below) => Some(below),
        _ => None,
    }
}

/// Returns whether a table is one of those that `extends` lays over tables of other files: `top`,
/// and those below it. What such a table lacks may be in the other file.
fn is_laid(table: &Table, top: &Table) -> bool {
    table.header == top.header
        || top.keys.iter().filter_map(|key| below(key)).any(|top| is_laid(table, top))
}

/// Returns the rules on which keys a table must have.
fn requirements(table: &Table) -> Map<String, Json> {
    let mut rules = Map::new();
    let required = table.keys.iter().filter(|key| matches!(key.fallback, Fallback::Required));
    let required: Vec<&str> = required.map(|key| key.name).collect();
    // A preset may give what an operator set lacks.
    if !required.is_empty() && table.header != keys::OPERATOR_SET.header {
        rules.insert("required".to_owned(), json!(required));
    }
    if table.header == keys::REPEATS_TABLE.header {
        rules.insert("oneOf".to_owned(), one_of(&RULES));
    }
    if table.header == keys::RESTARTS_TABLE.header {
        rules.insert("oneOf".to_owned(), one_of(&restarts::RULES));
    }
    rules
}

/// Returns the rules on which keys a table and those below it must have, for a file that extends no
/// other.
fn complete(table: &Table) -> Json {
    let mut rules = requirements(table);
    let mut properties = Map::new();
    for key in table.keys {
        let Some(below) = below(key) else { continue };
        let rule = match below.header == keys::SWEEP_TABLE.header {
            true => json!({ "$ref": COMPLETE_SWEEP }),
            false => complete(below),
        };
        if rule != json!({}) {
            let rule = json!({ "if": { "type": "object" }, "then": rule });
            properties.insert(key.name.to_owned(), rule);
        }
    }
    if !properties.is_empty() {
        rules.insert("properties".to_owned(), Json::Object(properties));
    }
    Json::Object(rules)
}

/// Returns the rule that a table has exactly one of these keys.
fn one_of(keys: &[&Key]) -> Json {
    keys.iter().map(|key| json!({ "required": [key.name] })).collect()
}

/// Returns the schema of a key that a table does not know, which no value fits. Editors underline
/// the key alone; with `false` they underline the table.
fn unknown() -> Json {
    json!({ "const": "(this table has no key of this name)" })
}

/// Returns the schema of several forms, each with the condition that distinguishes it from the
/// others. An error is thus reported at its place, and not for the whole value. Editors look for
/// completions in `anyOf`, which always holds.
fn either(forms: impl IntoIterator<Item = (Json, Json)>) -> Json {
    let (mut any, mut types, mut all) = (Vec::new(), BTreeSet::new(), Vec::new());
    for (condition, form) in forms {
        types.extend(condition["type"].as_str().map(str::to_owned));
        all.push(json!({ "if": condition, "then": form }));
        any.push(form);
    }
    any.push(json!(true));
    json!({ "type": types, "anyOf": any, "allOf": all })
}

/// Returns the schema of all values of the type of a kind.
fn of_type(kind: &Kind) -> Json {
    json!({ "type": of_kind(kind)["type"] })
}

fn key(key: &Key, plugins: &[Arc<Library>]) -> Json {
    let mut schema = match &key.form {
        Form::Value(kind) => of_kind(kind),
        Form::Unsigned => json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }),
        Form::ValueOrTable(kind, below) => either([
            (of_type(kind), of_kind(kind)),
            (json!({ "type": "object" }), table(below, plugins)),
        ]),
        // In a list, because draft 7, which Taplo reads, allows nothing next to a reference.
        Form::Operator(slot) => {
            json!({ "allOf": [{ "$ref": format!("#/$defs/{}", slot.as_str()) }] })
        }
        Form::Paths => paths(text()),
        Form::PathsOrTables(_) => {
            let one = json!({ "$ref": "#/$defs/preset" });
            paths(either([(text(), text()), (json!({ "type": "object" }), one)]))
        }
        Form::List(_, kind) => json!({ "type": "array", "minItems": 1, "items": of_kind(kind) }),
        Form::TwoArms => {
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 })
        }
        Form::Table(below) => table(below, plugins),
        Form::Tables(below) => {
            // An empty list of a tuning replaces one that it extends.
            let least = u32::from(std::ptr::eq(key, &raw const keys::OPERATORS));
            json!({ "type": "array", "minItems": least, "items": table(below, plugins) })
        }
    };
    if std::ptr::eq(key, &raw const keys::PRESET) {
        // Editors look for completions in `anyOf`.
        schema["anyOf"] = json!([shipped_presets(), true]);
    }
    if [&raw const keys::NAME, &raw const keys::SUITE_NAME].contains(&std::ptr::from_ref(key)) {
        schema["pattern"] = json!(NAME);
        schema["maxLength"] = json!(100);
    }
    describe(&mut schema, key.doc, &key.fallback);
    schema
}

fn text() -> Json {
    json!({ "type": "string" })
}

/// Returns the schema of the path of a file, or of a list of `one`.
fn paths(one: Json) -> Json {
    let mut list = json!({ "type": "array", "minItems": 1, "uniqueItems": true });
    list["items"] = one;
    either([(text(), text()), (json!({ "type": "array" }), list)])
}

fn preset(plugins: &[Arc<Library>]) -> Json {
    let mut preset = table(&keys::PRESET_TABLE, plugins);
    preset["required"] = json!([keys::SET_NAME.name]);
    preset
}

/// Returns the schema of the name of a preset of the runner.
fn shipped_presets() -> Json {
    let names: Vec<String> = preset_texts().into_iter().map(|(name, _)| name).collect();
    json!({ "enum": names })
}

/// Returns the rule that a file without presets of its own, or of files that it extends, names
/// those of the runner.
fn without_own_presets() -> Json {
    let has = |key: &Key| json!({ "required": [key.name] });
    let others = json!({ "anyOf": [has(&keys::PRESETS), has(&keys::EXTENDS)] });
    let preset = json!({ "properties": { keys::PRESET.name: shipped_presets() } });
    let sets = json!({ "properties": { keys::OPERATORS.name: { "items": preset } } });
    json!({ "if": { "not": others }, "then": sets })
}

/// Pattern of an experiment's name, without the marks of its parts. Every character that is none of
/// the other ASCII characters counts as a letter, because not all validators know Unicode's
/// classes.
const NAME: &str = concat!(
    r##"^[^.\s!"#$%&'()*/:;<>?\[\\\]^`{|}~]"##,
    r##"([^!"#$%&'()*/:;<>?\[\\\]^`{|}~]*[^.\s!"#$%&'()*/:;<>?\[\\\]^`{|}~])?$"##,
);

/// Adds the text that editors show next to a key.
fn describe(schema: &mut Json, doc: &str, fallback: &Fallback) {
    match fallback {
        Fallback::Required => schema["description"] = json!(doc),
        Fallback::Derived(words) => {
            schema["description"] = json!(format!("{doc} Default: {words}."))
        }
        Fallback::Value(value) => {
            schema["description"] = json!(format!("{doc} Default: {value}."));
            schema["default"] = value_as_json(value);
        }
    }
}

/// Returns a value as JSON.
pub(super) fn value_as_json(value: &Value) -> Json {
    match value {
        Value::Integer(number) => json!(number),
        Value::Real(number) => json!(number),
        Value::Boolean(truth) => json!(truth),
        Value::Text(text) => json!(text),
        Value::File(file) => json!(file.named),
    }
}

fn of_kind(kind: &Kind) -> Json {
    match kind {
        Kind::Integer { low, high } => {
            let mut schema = json!({ "type": "integer" });
            if *low > i64::MIN {
                schema["minimum"] = json!(low);
            }
            if *high < i64::MAX {
                schema["maximum"] = json!(high);
            }
            schema
        }
        Kind::Real { low, high, low_open, high_open } => {
            let mut schema = json!({ "type": "number" });
            if low.is_finite() {
                schema[if *low_open { "exclusiveMinimum" } else { "minimum" }] = json!(low);
            }
            if high.is_finite() {
                schema[if *high_open { "exclusiveMaximum" } else { "maximum" }] = json!(high);
            }
            schema
        }
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "type": "string", "enum": words }),
        Kind::Text | Kind::File => json!({ "type": "string" }),
    }
}

fn parameter(parameter: &Parameter) -> Json {
    let mut schema = of_kind(&parameter.kind);
    if parameter.varies {
        let schedule = json!({ "$ref": "#/$defs/schedule" });
        let types = [&schema["type"], &json!("object")];
        schema = json!({
            "type": types, "if": { "type": "object" }, "then": schedule, "else": schema,
        });
    }
    describe(&mut schema, &parameter.doc, &parameter.fallback);
    schema
}

/// Returns the schema of an object whose key `which` says which other keys it may have: those of
/// the choice's parameters. Their docs are also given outside of the condition, where editors look
/// for completions.
fn chosen<'a>(
    which: &str,
    first: Json,
    choices: impl Iterator<Item = (&'a str, &'a [Parameter])>,
) -> Json {
    let mut all = Map::new();
    all.insert(which.to_owned(), first);
    let mut conditions = Vec::new();
    for (name, parameters) in choices {
        let mut own: Map<String, Json> =
            parameters.iter().map(|one| (one.key.to_string(), parameter(one))).collect();
        own.insert(which.to_owned(), json!(true));
        for one in parameters {
            let entry =
                all.entry(one.key.to_string()).or_insert_with(|| json!({ "description": "" }));
            let so_far = entry["description"].as_str().unwrap_or_default();
            let words = format!("{name}: {}", one.doc);
            let words = if so_far.is_empty() { words } else { format!("{so_far}\n\n{words}") };
            entry["description"] = json!(words);
        }
        let this = json!({ "properties": { which: { "const": name } }, "required": [which] });
        conditions.push(
            json!({ "if": this, "then": { "properties": own, "additionalProperties": unknown() } }),
        );
    }
    json!({ "type": "object", "properties": all, "allOf": conditions })
}

/// Returns the schema of an operator's name, or a table. `kind` may be missing where a preset gives
/// it.
fn operator(slot: Slot) -> Json {
    let operators = operators(slot);
    let names: Vec<&str> = operators.iter().map(|one| one.name).collect();
    let docs: Vec<&str> = operators.iter().map(|one| one.summary).collect();
    // Taplo, which editors use for TOML, shows these next to the names.
    let name =
        json!({ "type": "string", "enum": names, "x-taplo": { "docs": { "enumValues": docs } } });
    let choices = operators.iter().map(|one| (one.name, one.parameters));
    let of_runner = match plugin_parameters(slot) {
        Some(_) => json!({ "type": "object", "not": { "required": [keys::PLUGIN.name] } }),
        None => json!({ "type": "object" }),
    };
    let own = [(text(), name.clone()), (of_runner, chosen(keys::KIND, name, choices))];
    let of_plugins = plugin_parameters(slot).map(|parameters| {
        let named = json!({ "type": "object", "required": [keys::PLUGIN.name] });
        (named, of_plugin(parameters))
    });
    either(own.into_iter().chain(of_plugins))
}

/// Returns the schema of a table with `plugin`: what else is in it is up to the plugin.
fn of_plugin(parameters: &[Parameter]) -> Json {
    let mut properties: Map<String, Json> =
        parameters.iter().map(|one| (one.key.to_string(), parameter(one))).collect();
    // It names an operator of the runner.
    properties.insert(keys::KIND.to_owned(), json!(false));
    for one in keys::PLUGIN_OPERATOR.keys {
        let schema = json!({ "type": "string", "description": one.doc });
        properties.insert(one.name.to_owned(), schema);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": [keys::PLUGIN.name],
    })
}

fn problem(plugins: &[Arc<Library>]) -> Json {
    let mut plugin = key(&keys::PLUGIN, plugins);
    let known: Vec<&str> = plugins.iter().map(|library| library.name()).collect();
    plugin["examples"] = json!(known);
    let choices = plugins.iter().map(|library| (library.name(), library.parameters()));
    let mut schema = chosen(keys::PLUGIN.name, plugin, choices);
    schema["properties"][keys::INTERPRETER.name] = key(&keys::INTERPRETER, plugins);
    schema["description"] = json!(keys::PROBLEM_TABLE.doc);
    schema
}

/// Returns the schema of a range of numbers.
fn range() -> Json {
    let mut properties: Map<String, Json> = super::range::KEYS
        .iter()
        .map(|key| ((*key).to_owned(), json!({ "type": "number" })))
        .collect();
    let course = key(&keys::SCHEDULE_COURSE, &[]);
    properties.insert(super::spread::COURSE.to_owned(), course);
    json!({
        "type": "object",
        "description": "A range of numbers, both ends included. Without `step` and `factor`, a \
            `sample` takes values between the ends.",
        "properties": properties,
        "minProperties": 1,
        "not": { "required": ["step", "factor"] },
        "additionalProperties": unknown(),
    })
}

const COMPLETE_SWEEP: &str = "#/$defs/complete-sweep";

/// Returns the rule that the ranges of a sweep have two ends, and steps if there is no sample.
fn complete_sweep() -> Json {
    json!({
        "if": { "not": { "required": [keys::SAMPLE.name] } },
        "then": { "additionalProperties": complete_range(true, 3) },
        "else": { "additionalProperties": complete_range(false, 3) },
    })
}

/// Returns the rule that a range is complete, here or in tables of this depth. These have lists and
/// tables, and a range has numbers.
fn complete_range(stepped: bool, depth: usize) -> Json {
    let no_range = json!({ "additionalProperties": { "type": ["array", "object"] } });
    let mut range = json!({ "required": ["from", "to"] });
    if stepped {
        range["anyOf"] = json!([{ "required": ["step"] }, { "required": ["factor"] }]);
    }
    let mut rule = json!({ "if": { "type": "object", "not": no_range }, "then": range });
    if depth > 0 {
        rule["else"] = json!({ "additionalProperties": complete_range(stepped, depth - 1) });
    }
    rule
}

/// Lists of values, behind paths in quotes or in nested tables.
fn swept(plugins: &[Arc<Library>]) -> Json {
    let list = |items: Json| {
        let mut list = json!({ "type": "array", "minItems": 1, "uniqueItems": true });
        list["items"] = items;
        either([
            (json!({ "type": "array" }), list),
            (json!({ "type": "object" }), json!({ "$ref": "#/$defs/range" })),
        ])
    };
    let (mut flat, mut operators, mut stop) = (Map::new(), Map::new(), Map::new());
    for one in keys::STOP_TABLE.keys.iter().filter(|one| one.swept) {
        let values = list(key(one, plugins));
        flat.insert(format!("stop.{}", one.name), values.clone());
        stop.insert(one.name.to_owned(), values);
    }
    for one in keys::OPERATOR_SET.keys.iter().filter(|one| one.swept) {
        let values = list(key(one, plugins));
        flat.insert(format!("operators.{}", one.name), values.clone());
        let mut below = Map::new();
        for name in swept_keys::below_of(one.name).unwrap_or_default() {
            let values = list(json!(true));
            flat.insert(format!("operators.{}.{name}", one.name), values.clone());
            below.insert(name.to_owned(), values);
        }
        let nested =
            json!({ "type": "object", "properties": below, "additionalProperties": unknown() });
        // A range is a table with `from`.
        let is_table = json!({ "type": "object", "not": { "required": ["from"] } });
        let both = json!({
            "anyOf": [values, nested, true], "if": is_table, "then": nested, "else": values,
        });
        operators.insert(one.name.to_owned(), both);
    }
    let any = json!({ "type": "object", "additionalProperties": list(json!(true)) });
    let closed = |keys: Map<String, Json>| {
        let mut closed = json!({ "type": "object", "properties": keys });
        closed["additionalProperties"] = unknown();
        closed
    };
    let paths = || json!({ "type": "array", "minItems": 2, "items": { "type": "string" } });
    let of_rows = "A CSV or Parquet file, relative to this one: a column for each swept key, and \
        a combination in each row.";
    flat.insert(sweep_tables::FROM.into(), json!({ "type": "string", "description": of_rows }));
    flat.insert(
        sweep_tables::TOGETHER.into(),
        json!({
            "description": "Swept keys whose values go together, the first with the first.",
            "anyOf": [paths(), { "type": "array", "minItems": 1, "items": paths() }],
        }),
    );
    flat.insert(
        sweep_tables::EXCEPT.into(),
        json!({
            "type": "array",
            "description": "Combinations that are left out: swept keys with their values.",
            "items": { "type": "object", "minProperties": 1 },
        }),
    );
    for one in [&keys::SAMPLE, &keys::METHOD] {
        flat.insert(one.name.to_owned(), key(one, plugins));
    }
    flat.insert("problem".into(), any);
    // Without quotes, the key of one operator set is a table of its name.
    let mut operators = closed(operators);
    operators["additionalProperties"] = json!({ "type": "object" });
    flat.insert("operators".into(), operators);
    flat.insert("stop".into(), closed(stop));
    let parameters = json!({
        "^problem\\.[^.]+$": list(json!(true)),
        "^operators\\..+\\..+$": list(json!(true)),
    });
    json!({
        "type": "object",
        "description": keys::SWEEP_TABLE.doc,
        "properties": flat,
        "patternProperties": parameters,
        "additionalProperties": unknown(),
    })
}
