//! JSON Schema (draft 2020-12) as far as `runner schema` uses it: a validator for tests, written
//! after json-schema.org/draft/2020-12/json-schema-validation. A keyword that it does not know is a
//! panic, so that no rule of the schema goes untested.

use serde_json::Value;

/// Returns the schema with its definitions in place of the references to them.
pub(super) fn resolved(schema: &Value) -> Value {
    fn resolve(part: &Value, root: &Value) -> Value {
        match part {
            Value::Array(parts) => parts.iter().map(|part| resolve(part, root)).collect(),
            Value::Object(keywords) => match keywords.get("$ref") {
                Some(path) => {
                    let path = path.as_str().and_then(|path| path.strip_prefix('#'));
                    let found = root.pointer(path.expect("a path")).expect("a definition");
                    resolve(found, root)
                }
                None => {
                    let resolved =
                        |(key, part): (&String, &Value)| (key.clone(), resolve(part, root));
                    Value::Object(keywords.iter().map(resolved).collect())
                }
            },
            other => other.clone(),
        }
    }
    resolve(schema, schema)
}

/// Returns whether a value is valid by a schema without references.
pub(super) fn is_valid(schema: &Value, value: &Value) -> bool {
    let keywords = match schema {
        Value::Bool(all) => return *all,
        Value::Object(keywords) => keywords,
        other => panic!("no schema: {other}"),
    };
    keywords.iter().all(|(keyword, rule)| holds(keyword, rule, schema, value))
}

fn holds(keyword: &str, rule: &Value, schema: &Value, value: &Value) -> bool {
    let number = |value: &Value| value.as_f64().expect("a number");
    let bound =
        |keeps: &dyn Fn(f64, f64) -> bool| !value.is_number() || keeps(number(value), number(rule));
    let all_of = |rule: &Value| schemas(rule).iter().filter(|one| is_valid(one, value)).count();
    match keyword {
        "$schema" | "$defs" | "title" | "description" | "default" | "examples" | "x-taplo"
        | "then" | "else" => true,
        "type" if rule.is_array() => {
            schemas(rule).iter().any(|one| holds("type", one, schema, value))
        }
        "type" => match rule.as_str().expect("one type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "number" => value.is_number(),
            "integer" => {
                value.as_f64().is_some_and(|number| number.fract() == 0.0) && !value.is_f64()
            }
            other => panic!("an unknown type: {other}"),
        },
        "minimum" => bound(&|value, end| value >= end),
        "maximum" => bound(&|value, end| value <= end),
        "exclusiveMinimum" => bound(&|value, end| value > end),
        "exclusiveMaximum" => bound(&|value, end| value < end),
        "enum" => schemas(rule).contains(value),
        "const" => rule == value,
        "required" => {
            let there = |key: &Value| value.get(key.as_str().expect("a key")).is_some();
            !value.is_object() || schemas(rule).iter().all(there)
        }
        "properties" => keys(value)
            .all(|(key, below)| rule.get(key).is_none_or(|schema| is_valid(schema, below))),
        "patternProperties" => keys(value).all(|(key, below)| {
            keys(rule).all(|(pattern, schema)| !matches(pattern, key) || is_valid(schema, below))
        }),
        "additionalProperties" => keys(value).all(|(key, below)| {
            let known =
                schema.get("properties").is_some_and(|properties| properties.get(key).is_some());
            let patterns = schema.get("patternProperties").unwrap_or(&Value::Null);
            known
                || keys(patterns).any(|(pattern, _)| matches(pattern, key))
                || is_valid(rule, below)
        }),
        "items" => items(value).iter().all(|item| is_valid(rule, item)),
        "pattern" => value.as_str().is_none_or(|text| matches(rule.as_str().expect("text"), text)),
        "maxLength" => {
            value.as_str().is_none_or(|text| text.chars().count() as f64 <= number(rule))
        }
        "minItems" => !value.is_array() || items(value).len() as f64 >= number(rule),
        "minProperties" => !value.is_object() || keys(value).count() as f64 >= number(rule),
        "maxItems" => items(value).len() as f64 <= number(rule),
        "uniqueItems" => items(value)
            .iter()
            .enumerate()
            .all(|(place, item)| !items(value)[..place].contains(item)),
        "allOf" => all_of(rule) == schemas(rule).len(),
        "anyOf" => all_of(rule) > 0,
        "oneOf" => all_of(rule) == 1,
        "not" => !is_valid(rule, value),
        "if" => {
            let then = if is_valid(rule, value) { "then" } else { "else" };
            schema.get(then).is_none_or(|form| is_valid(form, value))
        }
        other => panic!("a keyword that this validator does not know: {other}"),
    }
}

fn schemas(rule: &Value) -> &[Value] {
    rule.as_array().expect("a list")
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn keys(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The patterns that the schema has.
fn matches(pattern: &str, key: &str) -> bool {
    match pattern {
        "^problem\\.[^.]+$" => {
            key.strip_prefix("problem.").is_some_and(|rest| !rest.is_empty() && !rest.contains('.'))
        }
        "^operators\\..+\\..+$" => {
            let rest = key.strip_prefix("operators.").and_then(|rest| rest.split_once('.'));
            rest.is_some_and(|(set, path)| !set.is_empty() && !path.is_empty())
        }
        // That of an experiment's name, whose characters are tested by an independent validator.
        name if name.starts_with("^[^.\\s") => {
            !key.is_empty() && !key.contains('/') && !key.starts_with('.') && !key.ends_with('.')
        }
        other => panic!("a pattern that this validator does not know: {other}"),
    }
}
