//! Parameters: what a plugin or an operator lets its user set, and the values that they take.

use std::borrow::Cow;
use std::fmt;

/// A value that a user sets or that a default gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Integer(i64),
    Real(f64),
    Boolean(bool),
    Text(Cow<'static, str>),
}

impl fmt::Display for Value {
    /// Writes the value as TOML.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(out, "{value}"),
            Value::Real(value) => write!(out, "{}", toml::Value::Float(*value)),
            Value::Boolean(value) => write!(out, "{value}"),
            Value::Text(value) => write!(out, "{}", toml::Value::String(value.to_string())),
        }
    }
}

/// The type and the allowed range of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An integer in `low..=high`.
    Integer { low: i64, high: i64 },
    /// A number between `low` and `high`, each end excluded where its `open` flag is set.
    Real { low: f64, high: f64, low_open: bool, high_open: bool },
    Boolean,
    /// One of these words.
    Choice(Cow<'static, [Cow<'static, str>]>),
    Text,
}

/// What holds when the user sets nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Fallback {
    /// An error: the user must choose.
    Required,
    Value(Value),
    /// Worked out from the rest of the arm; the words say how ("1 / genome length").
    Derived(&'static str),
}

/// One parameter of a plugin or of an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub key: Cow<'static, str>,
    pub kind: Kind,
    pub fallback: Fallback,
    /// One sentence, with the unit where there is one.
    pub doc: Cow<'static, str>,
}
