//! Sections: settings by key, as in a TOML table.

use super::parameter::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Settings by key, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section(Box<[(Key, Setting)]>);

/// Key of a setting.
pub type Key = Cow<'static, str>;

/// Single value, or a section of values with their own keys. A section is, for example, an operator
/// with its parameters or the shares of a mix.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// Single value.
    Value(Value),
    /// Values by key.
    Section(Section),
}

impl FromIterator<(Key, Setting)> for Section {
    fn from_iter<I: IntoIterator<Item = (Key, Setting)>>(settings: I) -> Self {
        Section(settings.into_iter().collect())
    }
}

impl FromIterator<(Key, Value)> for Section {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(values: I) -> Self {
        values.into_iter().map(|(key, value)| (key, Setting::Value(value))).collect()
    }
}

impl Section {
    /// Returns the setting of a key; `None` if there is none.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.iter().find(|(other, _)| *other == key).map(|(_, setting)| setting)
    }

    /// Returns the section with one more setting, at its end.
    #[must_use]
    pub fn with(&self, key: impl Into<Key>, setting: Setting) -> Self {
        self.0.iter().cloned().chain([(key.into(), setting)]).collect()
    }

    /// Returns the settings with their keys, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.0.iter().map(|(key, setting)| (key.as_ref(), setting))
    }

    /// Returns the keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(key, _)| key)
    }

    /// Adds every value to `out` as TOML, by its full key, such as `operators.mutation.rate`.
    pub fn flatten(&self, prefix: &str, out: &mut BTreeMap<String, String>) {
        for (key, setting) in self.iter() {
            let key = format!("{prefix}.{key}");
            match setting {
                Setting::Value(value) => _ = out.insert(key, value.to_string()),
                Setting::Section(section) => section.flatten(&key, out),
            }
        }
    }

    /// Parses the lines of a TOML table; `None` if they are not TOML or contain a value that is not
    /// a setting.
    #[must_use]
    pub fn parse(lines: &str) -> Option<Self> {
        Section::of(lines.parse::<toml::Table>().ok()?)
    }

    fn of(table: toml::Table) -> Option<Self> {
        let setting = |(key, value): (String, toml::Value)| {
            let setting = match value {
                toml::Value::String(text) => Setting::Value(Value::Text(text.into())),
                toml::Value::Integer(number) => Setting::Value(Value::Integer(number)),
                toml::Value::Float(number) => Setting::Value(Value::Real(number)),
                toml::Value::Boolean(truth) => Setting::Value(Value::Boolean(truth)),
                toml::Value::Table(table) => Setting::Section(Section::of(table)?),
                toml::Value::Array(_) | toml::Value::Datetime(_) => return None,
            };
            Some((Key::from(key), setting))
        };
        table.into_iter().map(setting).collect()
    }
}

impl fmt::Display for Section {
    /// Writes the section as lines of TOML.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|(key, setting)| writeln!(out, "{key} = {setting}"))
    }
}

impl Setting {
    /// Returns the number; `None` if the setting is not a number.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Setting::Value(Value::Real(number)) => Some(*number),
            Setting::Value(Value::Integer(number)) => Some(*number as f64),
            _ => None,
        }
    }

    /// Returns the text; `None` if the setting is not a text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Setting::Value(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the section; `None` if the setting is a single value.
    #[must_use]
    pub fn as_section(&self) -> Option<&Section> {
        match self {
            Setting::Section(section) => Some(section),
            Setting::Value(_) => None,
        }
    }
}

impl fmt::Display for Setting {
    /// Writes the setting as a TOML value on one line.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let section = match self {
            Setting::Value(value) => return value.fmt(out),
            Setting::Section(section) => section,
        };
        out.write_str("{ ")?;
        for (place, (key, setting)) in section.iter().enumerate() {
            let before = if place > 0 { ", " } else { "" };
            write!(out, "{before}{key} = {setting}")?;
        }
        out.write_str(" }")
    }
}
