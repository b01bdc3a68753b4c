//! Keys: every key of an experiment file with its type, range, default and meaning. The parser
//! takes them from here, and so do `runner schema` and docs/config.md: a key cannot be in one and
//! not in the others.

mod definitions;
mod suite;

pub(super) use definitions::*;
pub(super) use suite::*;

use super::node::Node;
use crate::operators::operator::Slot;
use crate::problem::parameter::{Fallback, Kind, Value};
use std::fmt;

/// The key of a slot's table that names the operator.
pub(super) const KIND: &str = "kind";

/// One key of a table.
#[derive(Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub form: Form,
    /// Value if the file does not give the key.
    pub fallback: Fallback,
    /// Meaning of the key, with the unit if there is one.
    pub doc: &'static str,
    /// The version that first had it.
    pub since: &'static str,
    /// Whether `[sweep]` may give it several values.
    pub swept: bool,
}

/// Allowed forms of a key's value.
#[derive(Debug)]
pub(super) enum Form {
    Value(Kind),
    /// An integer from 0 to 2^64 - 1.
    Unsigned,
    /// A number of trials, or a table with a stopping rule.
    ValueOrTable(Kind, &'static Table),
    /// The name of an operator, or a table with `kind` and its parameters.
    Operator(Slot),
    /// The path of a file, or a list of paths.
    Paths,
    /// The path of a file, a list of paths, or the tables themselves.
    PathsOrTables(&'static Table),
    /// A list of values of one kind, with their name in messages.
    List(&'static str, Kind),
    /// The labels of two arms.
    TwoArms,
    /// A separate table.
    Table(&'static Table),
    /// A list of tables.
    Tables(&'static Table),
}

/// A table of the file.
#[derive(Debug)]
pub(super) struct Table {
    /// Key that holds the table; empty for the top of the file.
    pub key: &'static str,
    /// Name in messages.
    pub name: &'static str,
    /// Text that a message suggests in place of a value that is no table.
    pub example: &'static str,
    /// Header in a file.
    pub header: &'static str,
    pub doc: &'static str,
    pub keys: &'static [&'static Key],
}

impl Table {
    /// Returns the names of its keys, in the order of the documentation.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub(super) fn find(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().copied().find(|key| key.name == name)
    }

    /// Returns the names of the keys that can be swept.
    pub(super) fn swept(&self) -> Vec<&'static str> {
        self.keys.iter().filter(|key| key.swept).map(|key| key.name).collect()
    }
}

impl Key {
    /// Returns the kind of a single value of the key.
    ///
    /// # Panics
    /// Panics if the key takes no single value, which is a bug here.
    pub(super) fn kind(&self) -> &Kind {
        match &self.form {
            Form::Value(kind) | Form::ValueOrTable(kind, _) => kind,
            other => panic!("`{}` must be {other}, not a single value", self.name),
        }
    }

    /// Returns the value in a table.
    pub(super) fn of<'a>(&self, table: &'a Node) -> Option<&'a Node> {
        table.get(self.name)
    }

    /// Returns the default, if it is a value.
    pub(super) fn default(&self) -> Option<Value> {
        match &self.fallback {
            Fallback::Value(value) => Some(value.clone()),
            Fallback::Required | Fallback::Derived(_) => None,
        }
    }

    /// Returns the default of a key that has a word for one.
    pub(super) fn default_choice(&self) -> &'static str {
        match &self.fallback {
            Fallback::Value(Value::Text(std::borrow::Cow::Borrowed(word))) => word,
            _ => "",
        }
    }
}

impl Form {
    /// Returns whether the value is a table, or tables, and nothing else.
    pub(super) fn is_table(&self) -> bool {
        matches!(self, Form::Table(_) | Form::Tables(_))
    }
}

impl fmt::Display for Form {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Value(kind) => kind.fmt(out),
            Form::Unsigned => write!(out, "an integer from 0 to {}", u64::MAX),
            Form::ValueOrTable(kind, _) => write!(out, "{kind}, or a table"),
            Form::Operator(_) => out.write_str("a name, or a table with `kind`"),
            Form::Paths => out.write_str("the path of a file, or a list of paths"),
            Form::PathsOrTables(_) => {
                out.write_str("the path of a file, a list of paths, or a list of tables")
            }
            Form::List(items, _) => write!(out, "a list of {items}"),
            Form::TwoArms => out.write_str("a list of two labels"),
            Form::Table(_) => out.write_str("a table"),
            Form::Tables(_) => out.write_str("a list of tables"),
        }
    }
}
