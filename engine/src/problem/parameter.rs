//! Parameters: settings that a plugin or an operator offers to its user, and their values.

use super::data_file::DataFile;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::{self, Write};

/// Value that a user sets or that a default provides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A finite number.
    Real(f64),
    /// True or false.
    Boolean(bool),
    /// Text, or a word of a choice. For a file, an empty text says that there is none.
    Text(Cow<'static, str>),
    /// File that was found and read.
    File(DataFile),
}

impl Value {
    /// Returns the value as tables keep it: a file is the text of its hash, since its path affects
    /// no result.
    #[must_use]
    pub fn resolved(&self) -> Value {
        match self {
            Value::File(file) => Value::Text(file.to_string().into()),
            other => other.clone(),
        }
    }

    /// Returns the value as a config has it: a file is the text of its path.
    #[must_use]
    pub fn written(&self) -> Value {
        match self {
            Value::File(file) => Value::Text(file.named.clone().into()),
            other => other.clone(),
        }
    }
}

impl fmt::Display for Value {
    /// Writes the value as TOML.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(out, "{value}"),
            Value::Real(value) if value.is_nan() => out.write_str("nan"),
            // The shortest digits that parse to the same number: 1.0, 0.1, 1e-7.
            Value::Real(value) => write!(out, "{value:?}"),
            Value::Boolean(value) => write!(out, "{value}"),
            Value::Text(value) => quote(value, out),
            Value::File(file) => quote(&file.to_string(), out),
        }
    }
}

/// Writes a text as a TOML basic string on one line. The format must not change, because
/// fingerprints cover it.
fn quote(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            control if control.is_control() => write!(out, "\\u{:04X}", u32::from(control))?,
            other => out.write_char(other)?,
        }
    }
    out.write_char('"')
}

/// Type and allowed range of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// An integer in `low..=high`.
    Integer {
        /// Minimum, inclusive.
        low: i64,
        /// Maximum, inclusive.
        high: i64,
    },
    /// A number between `low` and `high`, each end excluded where its `open` flag is set.
    Real {
        /// Lower end of the range.
        low: f64,
        /// Upper end of the range.
        high: f64,
        /// Whether `low` itself is excluded.
        low_open: bool,
        /// Whether `high` itself is excluded.
        high_open: bool,
    },
    /// True or false.
    Boolean,
    /// One of these words.
    Choice(Cow<'static, [Cow<'static, str>]>),
    /// Any text.
    Text,
    /// Path of a file. The plugin gets it as an absolute path; its contents are the value.
    File,
}

/// Default of a parameter that the user does not set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fallback {
    /// An error: the user must choose.
    Required,
    /// This value.
    Value(Value),
    /// Derived from the rest of the arm; the text states the rule ("1 / genome length").
    Derived(#[serde(skip)] &'static str),
}

/// Parameter of a plugin or of an operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Key in configs.
    pub key: Cow<'static, str>,
    /// Type and range.
    pub kind: Kind,
    /// Default when the user sets nothing.
    pub fallback: Fallback,
    /// Description in one sentence, with the unit if there is one.
    pub doc: Cow<'static, str>,
    /// Whether it was added to a problem that already had arms: [`Parameter::is_stated`].
    pub later: bool,
    /// Whether a schedule can take the place of a number: [`Parameter::varying`].
    #[serde(default)]
    pub varies: bool,
}

impl Parameter {
    /// Creates a parameter of the runner itself.
    #[must_use]
    pub const fn new(key: &'static str, kind: Kind, fallback: Fallback, doc: &'static str) -> Self {
        let (key, doc) = (Cow::Borrowed(key), Cow::Borrowed(doc));
        Parameter { key, kind, fallback, doc, later: false, varies: false }
    }

    /// Creates a parameter of the runner itself, whose number can follow a schedule.
    #[must_use]
    pub const fn varying(
        key: &'static str,
        kind: Kind,
        fallback: Fallback,
        doc: &'static str,
    ) -> Self {
        let (key, doc) = (Cow::Borrowed(key), Cow::Borrowed(doc));
        Parameter { key, kind, fallback, doc, later: false, varies: true }
    }

    /// Returns the values that the parameter takes, in words.
    #[must_use]
    pub fn takes(&self) -> String {
        let schedule = if self.varies { ", or a schedule" } else { "" };
        format!("{}{schedule}", self.kind)
    }

    /// Returns whether a value of the parameter is part of an arm's settings and fingerprint. A
    /// default that was added later is not, so that earlier arms keep theirs.
    #[must_use]
    pub fn is_stated(&self, value: &Value) -> bool {
        !self.later || self.fallback != Fallback::Value(value.clone())
    }
}

impl Fallback {
    /// Returns a default that is a real number.
    #[must_use]
    pub const fn real(value: f64) -> Self {
        Fallback::Value(Value::Real(value))
    }

    /// Returns a default that is an integer.
    #[must_use]
    pub const fn integer(value: i64) -> Self {
        Fallback::Value(Value::Integer(value))
    }

    /// Returns a default that is a text, such as a word of a choice.
    #[must_use]
    pub const fn text(value: &'static str) -> Self {
        Fallback::Value(Value::Text(Cow::Borrowed(value)))
    }
}

impl Kind {
    /// Returns the kind of a real number in `low..=high`.
    #[must_use]
    pub const fn real(low: f64, high: f64) -> Self {
        Kind::Real { low, high, low_open: false, high_open: false }
    }

    /// Returns the kind of a choice among these words.
    #[must_use]
    pub const fn choice(words: &'static [Cow<'static, str>]) -> Self {
        Kind::Choice(Cow::Borrowed(words))
    }

    /// Returns the value converted to this kind: an integer becomes a real number where one is
    /// expected.
    ///
    /// # Errors
    /// Returns the rule that the value breaks, as in "must be an integer from 1 to 8". The text
    /// follows the parameter's name in messages.
    pub fn check(&self, value: &Value) -> Result<Value, String> {
        match (self, value) {
            (Kind::Integer { low, high }, Value::Integer(number))
                if (low..=high).contains(&number) =>
            {
                Ok(value.clone())
            }
            // Adding 0 turns -0.0 into 0.0, so that both are the same setting.
            (Kind::Real { .. }, Value::Real(number)) if self.holds(*number) => {
                Ok(Value::Real(*number + 0.0))
            }
            (Kind::Real { .. }, Value::Integer(number)) if self.holds(*number as f64) => {
                Ok(Value::Real(*number as f64))
            }
            (Kind::Boolean, Value::Boolean(_))
            | (Kind::Text | Kind::File, Value::Text(_))
            | (Kind::File, Value::File(_)) => Ok(value.clone()),
            (Kind::Choice(words), Value::Text(word)) if words.iter().any(|one| one == word) => {
                Ok(value.clone())
            }
            _ => Err(format!("must be {self}")),
        }
    }

    fn holds(&self, number: f64) -> bool {
        let Kind::Real { low, high, low_open, high_open } = *self else { return false };
        let above = if low_open { number > low } else { number >= low };
        let below = if high_open { number < high } else { number <= high };
        number.is_finite() && above && below
    }
}

impl fmt::Display for Kind {
    /// Writes the kind in words, such as "an integer from 1 to 8", "a number above 0 and at most
    /// 1", "\"inner\" or \"any\"".
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Integer { low: i64::MIN, high: i64::MAX } => write!(out, "an integer"),
            Kind::Integer { low, high: i64::MAX } => write!(out, "an integer of at least {low}"),
            Kind::Integer { low, high } => write!(out, "an integer from {low} to {high}"),
            Kind::Real { low, high, low_open, high_open } => {
                let from = if *low_open { "above" } else { "of at least" };
                let to = if *high_open { "below" } else { "at most" };
                match (low.is_finite(), high.is_finite()) {
                    (false, false) => write!(out, "a number"),
                    (true, false) => write!(out, "a number {from} {low}"),
                    (false, true) if *high_open => write!(out, "a number below {high}"),
                    (false, true) => write!(out, "a number of at most {high}"),
                    (true, true) if !low_open && !high_open => {
                        write!(out, "a number from {low} to {high}")
                    }
                    (true, true) => write!(out, "a number {from} {low} and {to} {high}"),
                }
            }
            Kind::Boolean => write!(out, "true or false"),
            Kind::Choice(words) => {
                for (place, word) in words.iter().enumerate() {
                    let before = match place {
                        0 => "",
                        _ if place + 1 == words.len() => " or ",
                        _ => ", ",
                    };
                    write!(out, "{before}\"{word}\"")?;
                }
                Ok(())
            }
            Kind::Text => write!(out, "a string in quotes"),
            Kind::File => write!(out, "the path of a file in quotes"),
        }
    }
}
