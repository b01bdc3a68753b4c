//! Fields: reading a table strictly, every complaint collected.

use super::diagnostic::{Diagnostic, Faults};
use super::keys::{self, Key, Table};
use super::node::{Entry, Node, Shape};
use super::other_names::ours;
use crate::problem::Library;
use crate::problem::parameter::{Kind, Parameter, Value};
use crate::search::registry::all;
use crate::words::{listed, nearest, nearest_key};
use std::borrow::Cow;

/// Complaints about all keys of a table that are not among the allowed ones. `of` names the table
/// in messages.
pub(super) fn check_keys(entries: &[Entry], allowed: &[&str], of: &str, out: &mut Faults) {
    for entry in entries.iter().filter(|entry| !allowed.contains(&entry.key.as_str())) {
        let key = &entry.key;
        let mut error = entry
            .key_origin
            .error(format!("unknown key `{key}` in {of}"), format!("not a key of {of}"));
        error = match allowed {
            [] => error.rule(format!("{of} has no keys")),
            [one] => error.rule(format!("the only key of {of} is {one}")),
            _ => error.rule(format!("the keys of {of} are {}", listed(allowed, "and"))),
        };
        let near = meant(key, allowed);
        let parameter = of.starts_with("the problem") || of == "a range";
        let elsewhere = || {
            ours(key).filter(|_| near.is_none()).and_then(|key| help_for_wrong_table(key, false))
        };
        // `experiment` in place of `experiments` belongs in no other table.
        let number = |near: &&str| {
            near.strip_suffix('s') == Some(key) || key.strip_suffix('s') == Some(*near)
        };
        let help = near
            .filter(number)
            .map(|near| format!("did you mean `{near}`?"))
            .or_else(|| of_slot(key, of))
            .or_else(|| of_suite(key, of))
            .or_else(|| help_for_wrong_table(key, !parameter));
        error.stray = (help.is_none() && !parameter).then(|| key.clone());
        let help =
            help.or_else(|| near.map(|near| format!("did you mean `{near}`?"))).or_else(elsewhere);
        out.push(match help {
            Some(help) => error.help(help),
            None => error.help("remove it"),
        });
    }
}

/// Returns whether an unknown key of a table is a slip for `key`. The slip is then the only
/// complaint, and `key` is not also reported as missing.
pub(super) fn is_meant(entries: &[Entry], key: &str, allowed: &[&str]) -> bool {
    slip_for(entries, key, allowed).is_some()
}

/// Returns the entry of a table whose unknown key is a slip for `key`.
pub(super) fn slip_for<'a>(entries: &'a [Entry], key: &str, allowed: &[&str]) -> Option<&'a Entry> {
    let mut unknown = entries.iter().filter(|entry| !allowed.contains(&entry.key.as_str()));
    unknown.find(|entry| meant(&entry.key, allowed) == Some(key))
}

/// Returns whether a key of the top of a file is missing there because of a slip for it.
pub(super) fn is_misspelt(root: &Node, key: &Key) -> bool {
    is_meant(root.entries().unwrap_or_default(), key.name, &keys::TOP.names())
}

/// Returns whether a key is neither one of the table nor a slip for one, and belongs in no other
/// table of an experiment.
pub(super) fn is_unlike(key: &str, table: &Table) -> bool {
    let names = table.names();
    !names.contains(&key)
        && meant(key, &names).is_none()
        && help_for_wrong_table(key, true).is_none()
}

/// Returns the key that an unknown key means: by the name in another tool, else by its letters.
fn meant<'a>(key: &str, allowed: &[&'a str]) -> Option<&'a str> {
    let of_others = ours(key).and_then(|ours| {
        let counts_trials = ours == keys::REPEATS.name || ours == keys::EVALUATIONS.name;
        let is_meant = |one: &str| one == ours || one == keys::TUNE_BUDGET.name && counts_trials;
        allowed.iter().copied().find(|one| is_meant(one))
    });
    of_others.or_else(|| nearest_key(key, allowed))
}

/// Says of unknown keys that are parameters of the problem where they belong.
pub(super) fn place_parameters(library: &Library, out: &mut Faults) {
    for one in out {
        let has = |key: &String| library.parameters().iter().any(|own| own.key == *key);
        if let Some(key) = one.stray.take().filter(has) {
            one.help = Some(format!(
                "`{key}` is a parameter of the problem: it belongs in {}",
                keys::PROBLEM_TABLE.header
            ));
        }
    }
}

/// Returns whether a message of a plugin names a parameter.
pub(super) fn names_parameter(message: &str, key: &str) -> bool {
    message.contains(&format!("`{key}`"))
}

/// Returns help for a key that another operator of the same slot has; `None` if there is none. `of`
/// names the operator, such as "selection `tournament`".
fn of_slot(key: &str, of: &str) -> Option<String> {
    let wanted = of.split(' ').next()?;
    let has = |parameters: &[Parameter]| parameters.iter().any(|one| one.key == key);
    let (slot, owner) = all().find(|(slot, one)| slot.as_str() == wanted && has(one.parameters))?;
    let name = owner.name;
    Some(format!(
        "`{key}` is a parameter of another operator, as in {slot} = {{ kind = \"{name}\", {key} = \
        … }}"
    ))
}

/// Returns help for a key in a suite's file that belongs elsewhere; `None` if there is none.
fn of_suite(key: &str, of: &str) -> Option<String> {
    match of {
        of if of == keys::SUITE_TOP.name && keys::SUITE_TABLE.has(key) => {
            Some(format!("`{key}` belongs in {}", keys::SUITE_TABLE.header))
        }
        of if of == keys::SUITE_TOP.name || of == keys::SUITE_TABLE.name => {
            help_for_wrong_table(key, false)?;
            Some(format!("`{key}` belongs in an experiment file, which `experiments` names"))
        }
        _ => None,
    }
}

/// Returns help for a key in the wrong table, with the table in which it belongs; `None` if the key
/// is unknown.
fn help_for_wrong_table(key: &str, in_operators: bool) -> Option<String> {
    let tables = [
        &keys::TOP,
        &keys::PROBLEM_TABLE,
        &keys::OUTPUT_TABLE,
        &keys::STOP_TABLE,
        &keys::START_TABLE,
        &keys::OPERATOR_SET,
        &keys::REPEATS_TABLE,
        &keys::MIX_TABLE,
        &keys::SHARING_TABLE,
        &keys::RESTARTS_TABLE,
        &keys::TUNE_TABLE,
        &keys::NOISE_TABLE,
    ];
    let is_table = keys::TOP.find(key).is_some_and(|key| key.form.is_table());
    let holds = |table: &&&Table| table.has(key) && !is_table;
    let table = match tables.iter().find(holds) {
        Some(table) => table.header,
        None if !in_operators => return None,
        None => {
            let (slot, owner) = all().find(|(_, operator)| {
                operator.parameters.iter().any(|parameter| parameter.key == key)
            })?;
            let name = owner.name;
            return Some(format!(
                "`{key}` is a parameter of an operator, as in {slot} = {{ kind = \"{name}\", {key} \
                = … }}"
            ));
        }
    };
    let place = if table.starts_with("the top") { "at" } else { "in" };
    Some(format!("`{key}` belongs {place} {table}"))
}

/// Returns the entries of a table, which has the keys of its definition only.
pub(super) fn strict<'a>(
    node: &'a Node,
    definition: &Table,
    out: &mut Faults,
) -> Option<&'a [Entry]> {
    let entries = entries(node, definition, out)?;
    check_keys(entries, &definition.names(), definition.name, out);
    Some(entries)
}

/// Returns the entries of a table, whatever its keys.
pub(super) fn entries<'a>(
    node: &'a Node,
    definition: &Table,
    out: &mut Faults,
) -> Option<&'a [Entry]> {
    table(node, definition.key, definition.example, out)
}

/// Returns the entries of a node that has to be a table.
pub(super) fn table<'a>(
    node: &'a Node,
    name: &str,
    example: &str,
    out: &mut Faults,
) -> Option<&'a [Entry]> {
    if let Shape::Table(entries) = &node.shape {
        return Some(entries);
    }
    wrong_type(node, name, "a table").help(format!("write it as {example}")).to(out)
}

/// Returns the complaint about a value of the wrong type.
pub(super) fn wrong_type(node: &Node, name: &str, wanted: &str) -> Diagnostic {
    node.error(format!("`{name}` must be {wanted}"), format!("this is {}", node.kind()))
}

/// Returns a value, if it is no date and no number that is not finite: no key takes one.
pub(super) fn takeable<'a>(node: &'a Node, name: &str, out: &mut Faults) -> Option<&'a Node> {
    match node.shape {
        Shape::Datetime => {}
        Shape::Real(number) if !number.is_finite() => {}
        _ => return Some(node),
    }
    let error = wrong_type(node, name, "a finite number, a text in quotes, true or false");
    let error = error.rule("no key takes a date, or a number that is not finite");
    error.help("write a value of the key").to(out)
}

/// Returns the value, checked against a kind. Whole numbers become real numbers if the kind asks
/// for them.
pub(super) fn value(node: &Node, name: &str, kind: &Kind, out: &mut Faults) -> Option<Value> {
    if let (Shape::Large(number), Kind::Integer { high, .. }) = (&node.shape, kind) {
        let error = node.error(format!("`{name}` = {number} is not allowed"), "out of range");
        return error
            .rule(format!("`{name}` must be {kind}"))
            .help(format!("lower it to at most {high}"))
            .to(out);
    }
    let Some(value) = node.value() else {
        return wrong_type(node, name, &kind.to_string()).help(example(kind)).to(out);
    };
    match kind.check(&value) {
        Ok(value) => Some(value),
        Err(rule) => {
            let same_type = matches!(
                (kind, &value),
                (Kind::Integer { .. }, Value::Integer(_))
                    | (Kind::Real { .. }, Value::Real(_) | Value::Integer(_))
                    | (Kind::Choice(_), Value::Text(_))
            );
            let mut error = if same_type {
                node.error(format!("`{name}` = {value} is not allowed"), "out of range")
                    .rule(format!("`{name}` {rule}"))
            } else {
                wrong_type(node, name, &kind.to_string())
            };
            if let (Kind::Choice(words), Value::Text(word)) = (kind, &value) {
                error.label = "not an allowed value".into();
                if let Some(near) = nearest(word, words.iter().map(AsRef::as_ref)) {
                    error = error.help(format!("did you mean \"{near}\"?"));
                }
            }
            out.push(match way_out(kind, &value) {
                Some(help) if error.help.is_none() => error.help(help),
                _ => error,
            });
            None
        }
    }
}

/// Returns the correction of a value that does not fit; `None` if no correction is obvious.
fn way_out(kind: &Kind, value: &Value) -> Option<String> {
    match (kind, value) {
        (Kind::Integer { .. } | Kind::Real { .. }, Value::Text(text))
            if text.parse::<f64>().is_ok_and(f64::is_finite) =>
        {
            Some(format!("write it without quotes: {text}"))
        }
        (Kind::Integer { low, high }, Value::Real(number)) => {
            let whole = number.round();
            let near = whole.abs() < 1e15 && (*low as f64..=*high as f64).contains(&whole);
            Some(match number.fract() == 0.0 {
                _ if !near => example(kind),
                true => format!("write a whole number without a point or an exponent: {whole}"),
                false => format!("round it to {whole}"),
            })
        }
        (Kind::Integer { .. } | Kind::Real { .. }, Value::Text(_) | Value::Boolean(_)) => {
            Some(example(kind))
        }
        (Kind::Integer { low, .. }, Value::Integer(number)) if number < low => {
            Some(format!("raise it to at least {low}"))
        }
        (Kind::Integer { high, .. }, Value::Integer(_)) => {
            Some(format!("lower it to at most {high}"))
        }
        (Kind::Real { .. }, Value::Real(number)) if !number.is_finite() => {
            Some("give a finite number".to_owned())
        }
        (Kind::Real { low, low_open: true, .. }, _) if number_of(value) <= *low => {
            Some(format!("raise it above {low}"))
        }
        (Kind::Real { low, .. }, _) if number_of(value) < *low => {
            Some(format!("raise it to at least {low}"))
        }
        (Kind::Real { high, high_open: true, .. }, _) if number_of(value) >= *high => {
            Some(format!("lower it below {high}"))
        }
        (Kind::Real { high, .. }, _) if number_of(value) > *high => {
            Some(format!("lower it to at most {high}"))
        }
        (Kind::Boolean, Value::Text(text)) if text == "true" || text == "false" => {
            Some(format!("write it without quotes: {text}"))
        }
        (Kind::Choice(words), Value::Text(_)) => {
            words.first().map(|word| format!("choose one, such as \"{word}\""))
        }
        (Kind::Choice(_) | Kind::Boolean | Kind::Text | Kind::File, _) => Some(example(kind)),
        _ => None,
    }
}

/// Returns a value of the kind, as advice.
fn example(kind: &Kind) -> String {
    match kind {
        Kind::Integer { low, high } => {
            format!("write a whole number, such as {}", 10.clamp(*low, *high))
        }
        Kind::Real { low, high, low_open, high_open } => {
            let number = 0.5_f64.clamp(*low, *high);
            let open = *low_open && number <= *low || *high_open && number >= *high;
            let number = match (low.is_finite(), high.is_finite()) {
                _ if !open => number,
                (true, true) => low.midpoint(*high),
                (true, false) => low + 1.0,
                (false, _) => high - 1.0,
            };
            format!("write a number, such as {number}")
        }
        Kind::Boolean => "write true or false".to_string(),
        Kind::Choice(words) => {
            format!(
                "write a string in quotes, such as \"{}\"",
                words.first().map_or("", |word| word.as_ref())
            )
        }
        Kind::Text => "write a string in quotes".to_string(),
        Kind::File => "write the path of a file in quotes".to_string(),
    }
}

fn number_of(value: &Value) -> f64 {
    match value {
        Value::Integer(number) => *number as f64,
        Value::Real(number) => *number,
        Value::Boolean(_) | Value::Text(_) | Value::File(_) => f64::NAN,
    }
}

/// Returns an integer of 64 bits without sign.
pub(super) fn unsigned(node: &Node, name: &str, out: &mut Faults) -> Option<u64> {
    match node.shape {
        Shape::Large(number) => Some(number),
        Shape::Integer(number) if number >= 0 => Some(number as u64),
        Shape::Integer(number) => {
            let error = node.error(format!("`{name}` = {number} is not allowed"), "out of range");
            let error = error.rule(format!("`{name}` must be {}", keys::Form::Unsigned));
            error.help("raise it to at least 0").to(out)
        }
        _ => {
            let error = wrong_type(node, name, &keys::Form::Unsigned.to_string());
            let quoted = matches!(&node.shape, Shape::Text(text) if text.parse::<u64>().is_ok());
            error
                .help(if quoted {
                    "write it without quotes"
                } else {
                    "write a whole number, such as 2026"
                })
                .to(out)
        }
    }
}

/// Returns a text.
pub(super) fn text<'a>(node: &'a Node, name: &str, out: &mut Faults) -> Option<&'a str> {
    if let Shape::Text(text) = &node.shape {
        return Some(text);
    }
    let error = wrong_type(node, name, "a string in quotes");
    out.push(match node.value() {
        Some(value) => error.help(format!("put it in quotes: \"{value}\"")),
        None => error.help("write a string in quotes"),
    });
    None
}

/// Returns the value of a key: the one that its table has, else its default.
pub(super) fn given(table: &Node, key: &Key, out: &mut Faults) -> Option<Value> {
    match key.of(table) {
        Some(node) => value(node, key.name, key.kind(), out),
        None => key.default(),
    }
}

/// Returns the number of a key: the one that its table has, else its default.
pub(super) fn given_number(table: &Node, key: &Key, out: &mut Faults) -> Option<f64> {
    match given(table, key, out) {
        Some(Value::Real(number)) => Some(number),
        _ => None,
    }
}

/// Returns the count of a key: the one that its table has, else its default.
pub(super) fn given_count(table: &Node, key: &Key, out: &mut Faults) -> Option<u64> {
    match given(table, key, out) {
        Some(Value::Integer(count)) => u64::try_from(count).ok(),
        _ => None,
    }
}

/// Returns whether a key is true: in its table, else by default.
pub(super) fn is_true(table: &Node, key: &Key, out: &mut Faults) -> bool {
    given(table, key, out) == Some(Value::Boolean(true))
}

/// Returns the word of a key: the one that its table has, else its default.
pub(super) fn choice(table: &Node, key: &Key, out: &mut Faults) -> Cow<'static, str> {
    match given(table, key, out) {
        Some(Value::Text(word)) => word,
        _ => key.default_choice().into(),
    }
}
