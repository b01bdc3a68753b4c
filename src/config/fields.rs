//! Fields: reading a table strictly, every complaint collected.

use super::diagnostic::Diagnostic;
use super::node::{Entry, Node, Shape};
use crate::nearest::nearest;
use crate::operators::registry::listed;
use crate::parameter::{Kind, Value};

/// Complaints about all keys of a table that are not among the allowed ones. `of` names the table in messages.
pub fn check_keys(entries: &[Entry], allowed: &[&str], of: &str, out: &mut Vec<Diagnostic>) {
    for entry in entries.iter().filter(|entry| !allowed.contains(&entry.key.as_str())) {
        let mut error = Diagnostic::error(
            format!("unknown key `{}` in {of}", entry.key),
            entry.key_origin,
            format!("not a key of {of}"),
        );
        error = match allowed {
            [] => error.rule(format!("{of} takes no keys")),
            _ => error.rule(format!("the keys of {of} are {}", listed(allowed, "and"))),
        };
        if let Some(near) = nearest(&entry.key, allowed.iter().copied()) {
            error = error.help(format!("did you mean `{near}`?"));
        }
        out.push(error);
    }
}

/// The entries of a node that has to be a table.
pub fn table<'a>(node: &'a Node, name: &str, example: &str, out: &mut Vec<Diagnostic>) -> Option<&'a [Entry]> {
    if let Shape::Table(entries) = &node.shape {
        return Some(entries);
    }
    out.push(wrong_type(node, name, "a table").help(format!("write it as {example}")));
    None
}

/// The complaint about a value of the wrong type.
pub fn wrong_type(node: &Node, name: &str, wanted: &str) -> Diagnostic {
    Diagnostic::error(format!("`{name}` must be {wanted}"), node.origin, format!("this is {}", node.kind()))
}

/// The value, checked against a kind; whole numbers become numbers where those are asked for.
pub fn value(node: &Node, name: &str, kind: &Kind, out: &mut Vec<Diagnostic>) -> Option<Value> {
    let Some(value) = node.value() else {
        out.push(wrong_type(node, name, &kind.to_string()));
        return None;
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
                Diagnostic::error(format!("`{name}` = {value} is not allowed"), node.origin, "out of range")
                    .rule(format!("`{name}` {rule}"))
            } else {
                wrong_type(node, name, &kind.to_string())
            };
            if let (Kind::Choice(words), Value::Text(word)) = (kind, &value) {
                error.label = "not one of the words".into();
                if let Some(near) = nearest(word, words.iter().map(AsRef::as_ref)) {
                    error = error.help(format!("did you mean \"{near}\"?"));
                }
            }
            if let (Kind::Integer { .. } | Kind::Real { .. }, Value::Text(text)) = (kind, &value)
                && text.parse::<f64>().is_ok()
            {
                error = error.help(format!("write it without quotes: {text}"));
            }
            out.push(error);
            None
        }
    }
}

/// An integer in `low..=high`.
pub fn integer(node: &Node, name: &str, low: i64, high: i64, out: &mut Vec<Diagnostic>) -> Option<i64> {
    match value(node, name, &Kind::Integer { low, high }, out) {
        Some(Value::Integer(number)) => Some(number),
        _ => None,
    }
}

/// A number.
pub fn number(node: &Node, name: &str, kind: &Kind, out: &mut Vec<Diagnostic>) -> Option<f64> {
    match value(node, name, kind, out) {
        Some(Value::Real(number)) => Some(number),
        _ => None,
    }
}

/// A text.
pub fn text<'a>(node: &'a Node, name: &str, out: &mut Vec<Diagnostic>) -> Option<&'a str> {
    if let Shape::Text(text) = &node.shape {
        return Some(text);
    }
    out.push(wrong_type(node, name, "a text in quotes"));
    None
}
