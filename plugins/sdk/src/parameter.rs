//! Parameters: what a plugin lets its user set, and the values it gets.

use crate::abi::{self, runner_parameter, runner_text, runner_value};
use std::ops::RangeInclusive;
use std::path::Path;

/// A parameter's declaration, made in a constant: a mistake in it (a default out of range) is a
/// compile error.
///
/// ```
/// use runner_plugin::{Parameter, words};
/// const PARAMETERS: &[Parameter] = &[
///     Parameter::integer("n", 1..=65535, "Number of queens.").default_integer(8),
///     Parameter::choice("encoding", words!["rows", "permutation"], "Encoding of a genome.")
///         .default_choice(0),
/// ];
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    // First: the table's `parameter_size` steps over the rest.
    pub(crate) raw: runner_parameter,
    key: &'static str,
}

const NO_VALUE: runner_value =
    runner_value { kind: 0, reserved: 0, integer: 0, real: 0.0, text: runner_text::EMPTY };

impl Parameter {
    const fn new(key: &'static str, doc: &'static str, kind: u32) -> Self {
        assert!(!key.is_empty(), "a parameter needs a key");
        Parameter {
            raw: runner_parameter {
                key: runner_text::new(key),
                doc: runner_text::new(doc),
                kind,
                flags: abi::RUNNER_REQUIRED,
                fallback: NO_VALUE,
                integer_low: 0,
                integer_high: 0,
                real_low: 0.0,
                real_high: 0.0,
                choices: std::ptr::null(),
                choice_count: 0,
            },
            key,
        }
    }

    /// An integer in `range`. Required unless a default follows.
    #[must_use]
    pub const fn integer(key: &'static str, range: RangeInclusive<i64>, doc: &'static str) -> Self {
        let mut parameter = Parameter::new(key, doc, abi::RUNNER_INTEGER);
        parameter.raw.integer_low = *range.start();
        parameter.raw.integer_high = *range.end();
        assert!(
            parameter.raw.integer_low <= parameter.raw.integer_high,
            "the parameter's range is empty"
        );
        parameter
    }

    /// A number in `range`, whose ends may be infinite. Required unless a default follows.
    #[must_use]
    pub const fn real(key: &'static str, range: RangeInclusive<f64>, doc: &'static str) -> Self {
        let mut parameter = Parameter::new(key, doc, abi::RUNNER_REAL);
        parameter.raw.real_low = *range.start();
        parameter.raw.real_high = *range.end();
        assert!(
            parameter.raw.real_low <= parameter.raw.real_high,
            "the parameter's range is empty"
        );
        parameter
    }

    /// `true` or `false`. Required unless a default follows.
    #[must_use]
    pub const fn boolean(key: &'static str, doc: &'static str) -> Self {
        Parameter::new(key, doc, abi::RUNNER_BOOLEAN)
    }

    /// One of `words` (see [`words!`](crate::words)). Required unless a default follows.
    #[must_use]
    pub const fn choice(key: &'static str, words: &'static [Word], doc: &'static str) -> Self {
        assert!(!words.is_empty(), "a choice needs words to choose from");
        let mut parameter = Parameter::new(key, doc, abi::RUNNER_CHOICE);
        // `Word` is a transparent `runner_text`.
        parameter.raw.choices = words.as_ptr().cast();
        parameter.raw.choice_count = words.len() as u64;
        parameter
    }

    /// Any text. Required unless a default follows.
    #[must_use]
    pub const fn text(key: &'static str, doc: &'static str) -> Self {
        Parameter::new(key, doc, abi::RUNNER_STRING)
    }

    /// Declares a file, whose path in the config is relative to the config. Required unless
    /// [`optional`](Self::optional) follows. The contents are the value: arms of equal contents are
    /// the same arm, wherever the file is.
    #[must_use]
    pub const fn file(key: &'static str, doc: &'static str) -> Self {
        Parameter::new(key, doc, abi::RUNNER_FILE)
    }

    /// Lets the user leave the file out, or write an empty text.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        assert!(self.raw.kind == abi::RUNNER_FILE, "only a file can be left out");
        self.raw.flags = 0;
        self.raw.fallback = runner_value { kind: abi::RUNNER_FILE, ..NO_VALUE };
        self
    }

    /// Sets the default of an integer; it must be within the range.
    #[must_use]
    pub const fn default_integer(mut self, value: i64) -> Self {
        assert!(
            self.raw.kind == abi::RUNNER_INTEGER,
            "only an integer parameter has an integer default"
        );
        assert!(
            self.raw.integer_low <= value && value <= self.raw.integer_high,
            "the default is out of range"
        );
        self.raw.flags = 0;
        self.raw.fallback = runner_value { kind: abi::RUNNER_INTEGER, integer: value, ..NO_VALUE };
        self
    }

    /// Sets the default of a real number; it must be within the range.
    #[must_use]
    pub const fn default_real(mut self, value: f64) -> Self {
        assert!(self.raw.kind == abi::RUNNER_REAL, "only a real parameter has a real default");
        assert!(
            self.raw.real_low <= value && value <= self.raw.real_high,
            "the default is out of range"
        );
        self.raw.flags = 0;
        self.raw.fallback = runner_value { kind: abi::RUNNER_REAL, real: value, ..NO_VALUE };
        self
    }

    /// Sets the default of a boolean.
    #[must_use]
    pub const fn default_boolean(mut self, value: bool) -> Self {
        assert!(
            self.raw.kind == abi::RUNNER_BOOLEAN,
            "only a boolean parameter has a boolean default"
        );
        self.raw.flags = 0;
        self.raw.fallback =
            runner_value { kind: abi::RUNNER_BOOLEAN, integer: value as i64, ..NO_VALUE };
        self
    }

    /// Sets the default to word number `index` of the choices, from 0.
    #[must_use]
    pub const fn default_choice(mut self, index: usize) -> Self {
        assert!(self.raw.kind == abi::RUNNER_CHOICE, "only a choice has a word as its default");
        assert!((index as u64) < self.raw.choice_count, "the default is none of the choices");
        self.raw.flags = 0;
        // The host takes the word from the index.
        self.raw.fallback =
            runner_value { kind: abi::RUNNER_CHOICE, integer: index as i64, ..NO_VALUE };
        self
    }

    /// Sets the default of a text.
    #[must_use]
    pub const fn default_text(mut self, value: &'static str) -> Self {
        assert!(self.raw.kind == abi::RUNNER_STRING, "only a text parameter has a text default");
        self.raw.flags = 0;
        self.raw.fallback =
            runner_value { kind: abi::RUNNER_STRING, text: runner_text::new(value), ..NO_VALUE };
        self
    }

    /// Declares that the parameter was added to a problem that already had arms. At its default,
    /// which is set before, it is not part of an arm's settings and fingerprint, so those arms keep
    /// theirs. Only for problems, not for operators.
    #[must_use]
    pub const fn added_later(mut self) -> Self {
        assert!(
            self.raw.flags & abi::RUNNER_REQUIRED == 0,
            "a parameter that is added later has a default"
        );
        self.raw.flags |= abi::RUNNER_LATER;
        self
    }
}

/// A word of a choice.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Word(runner_text);

impl Word {
    /// A word that a choice offers.
    #[must_use]
    pub const fn new(word: &'static str) -> Self {
        Word(runner_text::new(word))
    }
}

/// The words of a choice: `words!["rows", "permutation"]`.
#[macro_export]
macro_rules! words {
    ($($word:literal),+ $(,)?) => { const { &[$($crate::Word::new($word)),+] } };
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// True or false.
    Boolean(bool),
    /// A text, the word of a choice, or the path of a file.
    Text(String),
}

/// The values of an instance's parameters: one for each that the plugin declares, checked by the
/// host.
///
/// Asking for a key that the plugin does not declare, or for a type other than the declared one, is
/// a bug in the plugin: it panics, and the message is reported to the user.
#[derive(Clone, Debug)]
pub struct Parameters {
    declared: &'static [Parameter],
    values: Vec<Value>,
    /// Whether each value differs from its default.
    changed: Vec<bool>,
}

impl Parameters {
    /// Creates the values, in the order of the declarations. For tests; plugins need not call it.
    ///
    /// # Errors
    /// Returns an error if the numbers of values and declarations differ.
    pub fn new(declared: &'static [Parameter], values: Vec<Value>) -> Result<Self, String> {
        if values.len() != declared.len() {
            return Err(format!(
                "got {} parameter values for {} parameters",
                values.len(),
                declared.len()
            ));
        }
        let changed = vec![false; values.len()];
        Ok(Parameters { declared, values, changed })
    }

    /// States which values differ from their defaults.
    pub(crate) fn with_changes(self, changed: Vec<bool>) -> Self {
        Parameters { changed, ..self }
    }

    /// Checks that these parameters have their defaults, because other values would have no effect.
    /// `reason` says why, as in "with a file". Without this check, arms of a sweep could differ in
    /// name alone.
    ///
    /// # Errors
    /// Returns an error that names a parameter with another value.
    pub fn require_defaults(&self, keys: &[&str], reason: &str) -> Result<(), String> {
        let is_idle =
            |(parameter, changed): &(&Parameter, &bool)| **changed && keys.contains(&parameter.key);
        match self.declared.iter().zip(&self.changed).find(is_idle) {
            None => Ok(()),
            Some((Parameter { key, .. }, _)) => Err(format!(
                "`{key}` has no effect {reason}; remove it, or give it only where it has one"
            )),
        }
    }

    fn value(&self, key: &str) -> &Value {
        let place = self.declared.iter().position(|parameter| parameter.key == key);
        &self.values[place.unwrap_or_else(|| {
            panic!("the plugin asks for the parameter `{key}`, which it does not declare")
        })]
    }

    /// # Panics
    /// Panics if `key` is not a declared integer. The other getters panic likewise.
    #[must_use]
    pub fn integer(&self, key: &str) -> i64 {
        match self.value(key) {
            Value::Integer(value) => *value,
            other => panic!("the parameter `{key}` is {other:?}, not an integer"),
        }
    }

    /// The value of a real parameter.
    #[must_use]
    pub fn real(&self, key: &str) -> f64 {
        match self.value(key) {
            Value::Real(value) => *value,
            other => panic!("the parameter `{key}` is {other:?}, not a real"),
        }
    }

    /// The value of a boolean parameter.
    #[must_use]
    pub fn boolean(&self, key: &str) -> bool {
        match self.value(key) {
            Value::Boolean(value) => *value,
            other => panic!("the parameter `{key}` is {other:?}, not a boolean"),
        }
    }

    /// The absolute path of a file; `None` if the user names none.
    #[must_use]
    pub fn file(&self, key: &str) -> Option<&Path> {
        Some(self.text(key)).filter(|path| !path.is_empty()).map(Path::new)
    }

    /// A text, or the word of a choice.
    #[must_use]
    pub fn text(&self, key: &str) -> &str {
        match self.value(key) {
            Value::Text(value) => value,
            other => panic!("the parameter `{key}` is {other:?}, not a text"),
        }
    }
}
