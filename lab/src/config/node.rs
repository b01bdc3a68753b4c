//! The document tree: TOML values that know where they were written.

use super::diagnostic::Diagnostic;
use super::source::Origin;
use crate::problem::parameter::Value;

/// A value and where it was written.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub shape: Shape,
    pub origin: Origin,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Text(String),
    Integer(i64),
    /// An integer beyond the 64 bits with sign, within those without.
    Large(u64),
    Real(f64),
    Boolean(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// A date or a time: no key takes one.
    Datetime,
}

/// A key and its value. A key occurs once in its table.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub key: String,
    pub key_origin: Origin,
    pub value: Node,
}

impl Node {
    /// Returns a table without entries.
    pub(super) fn empty_table(origin: Origin) -> Self {
        Node { shape: Shape::Table(Vec::new()), origin }
    }

    /// Gives the value, and all values and keys in it, one origin.
    pub(super) fn move_to(&mut self, origin: Origin) {
        self.origin = origin;
        match &mut self.shape {
            Shape::List(items) => items.iter_mut().for_each(|item| item.move_to(origin)),
            Shape::Table(entries) => entries.iter_mut().for_each(|entry| {
                entry.key_origin = origin;
                entry.value.move_to(origin);
            }),
            _ => {}
        }
    }

    /// Returns an error about the value, with the words under it.
    pub(super) fn error(&self, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        self.origin.error(message, label)
    }

    /// Returns the kind of the value, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.shape {
            Shape::Text(_) => "a string",
            Shape::Integer(_) | Shape::Large(_) => "an integer",
            Shape::Real(number) if number.is_finite() => "a decimal number",
            Shape::Real(_) => "not a finite number",
            Shape::Boolean(_) => "a boolean",
            Shape::List(_) => "a list",
            Shape::Table(_) => "a table",
            Shape::Datetime => "a date or time",
        }
    }

    /// Returns the value as a parameter's value, if it is a single one.
    pub(super) fn value(&self) -> Option<Value> {
        match &self.shape {
            Shape::Text(text) => Some(Value::Text(text.clone().into())),
            Shape::Integer(number) => Some(Value::Integer(*number)),
            Shape::Real(number) => Some(Value::Real(*number)),
            Shape::Boolean(truth) => Some(Value::Boolean(*truth)),
            Shape::Large(_) | Shape::List(_) | Shape::Table(_) | Shape::Datetime => None,
        }
    }

    /// Returns the entries of a table; `None` if it is no table.
    pub(super) fn entries(&self) -> Option<&[Entry]> {
        match &self.shape {
            Shape::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the entries of a table, to change them; `None` if it is no table.
    pub(super) fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.shape {
            Shape::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the value of a key in a table.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.entries()?.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// Returns the value of a key in a table, to change it.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let entries = self.entries_mut()?;
        entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value)
    }

    /// Takes the value of a key out of a table.
    pub(super) fn take(&mut self, key: &str) -> Option<Node> {
        let entries = self.entries_mut()?;
        let place = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(place).value)
    }

    /// Returns the text; `None` if it is no text.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.shape {
            Shape::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number; `None` if it is no number of 64 bits.
    pub(super) fn as_number(&self) -> Option<f64> {
        match self.shape {
            Shape::Integer(number) => Some(number as f64),
            Shape::Real(number) => Some(number),
            _ => None,
        }
    }

    /// Returns whether the two values are equal; 1 and 1.0 are.
    pub(super) fn is_like(&self, other: &Node) -> bool {
        match (&self.shape, &other.shape) {
            (Shape::Integer(whole), Shape::Real(number))
            | (Shape::Real(number), Shape::Integer(whole)) => {
                number.fract() == 0.0 && *number as i128 == i128::from(*whole)
            }
            (Shape::Real(one), Shape::Real(other)) => one.total_cmp(other).is_eq(),
            _ => self.to_toml() == other.to_toml(),
        }
    }

    /// Returns the value as TOML on one line.
    pub(super) fn to_toml(&self) -> String {
        match &self.shape {
            Shape::List(items) => {
                format!("[{}]", items.iter().map(Node::to_toml).collect::<Vec<_>>().join(", "))
            }
            Shape::Table(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|entry| format!("{} = {}", key_toml(&entry.key), entry.value.to_toml()))
                    .collect();
                format!("{{ {} }}", entries.join(", "))
            }
            Shape::Large(number) => number.to_string(),
            _ => self.value().map_or_else(|| "a date".into(), |value| value.to_string()),
        }
    }
}

/// Returns a key as TOML: in quotes where it needs them.
pub(super) fn key_toml(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !key.is_empty() && key.chars().all(bare) {
        true => key.to_owned(),
        false => Value::Text(key.to_owned().into()).to_string(),
    }
}
