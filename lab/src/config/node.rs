//! The document tree: TOML values that know where they were written.

use super::diagnostic::{Diagnostic, Sources};
use super::syntax;
use crate::problem::parameter::Value;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Span in a source: the source and bytes of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Number of the source text.
    pub source: usize,
    /// Byte at which the span begins.
    pub start: usize,
    /// Byte after the span.
    pub end: usize,
}

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

    /// Returns the entry of a key in a table.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match &self.shape {
            Shape::Table(entries) => {
                entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
            }
            _ => None,
        }
    }

    /// Puts `value` at a dotted path, making tables on the way. A slot that is a bare name becomes
    /// a table of that kind; a list of tables takes the value in each. What is not a table gives
    /// way.
    pub(super) fn put(&mut self, path: &[&str], key_origin: Origin, value: Node) {
        let [key, rest @ ..] = path else {
            *self = value;
            return;
        };
        if let Shape::List(tables) = &mut self.shape {
            tables.iter_mut().for_each(|table| table.put(path, key_origin, value.clone()));
            return;
        }
        if let Shape::Text(name) = &self.shape {
            let kind = Node { shape: Shape::Text(name.clone()), origin: self.origin };
            self.shape = Shape::Table(vec![Entry {
                key: "kind".into(),
                key_origin: self.origin,
                value: kind,
            }]);
        } else if !matches!(self.shape, Shape::Table(_)) {
            self.shape = Shape::Table(Vec::new());
        }
        let Shape::Table(entries) = &mut self.shape else { return };
        if let Some(entry) = entries.iter_mut().find(|entry| entry.key == *key) {
            entry.value.put(rest, key_origin, value);
        } else {
            let mut table = Node { shape: Shape::Table(Vec::new()), origin: value.origin };
            table.put(rest, key_origin, value);
            entries.push(Entry { key: (*key).to_string(), key_origin, value: table });
        }
    }

    /// Returns whether the two values are equal; 1 and 1.0 are.
    pub(super) fn is_like(&self, other: &Node) -> bool {
        let number = |node: &Node| match node.shape {
            Shape::Integer(number) => Some(number as f64),
            Shape::Real(number) => Some(number),
            _ => None,
        };
        match (number(self), number(other)) {
            (Some(one), Some(other)) => one.total_cmp(&other).is_eq(),
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

/// Reads a source's TOML, as far as it can be read; every syntax error that the parser finds
/// becomes a diagnostic.
pub(super) fn parse(sources: &Sources, source: usize, out: &mut Vec<Diagnostic>) -> Node {
    let (table, errors) = DeTable::parse_recoverable(sources.text(source));
    let root = Node {
        shape: table_shape(table.get_ref(), source, out),
        origin: Origin { source, start: 0, end: 0 },
    };
    out.extend(syntax::diagnostics(sources, source, &errors, &root));
    root
}

/// Reads the value of a flag, as [`parse_value`] does. What begins as a table, a list or a text in
/// quotes and does not end as one is an error: a shell took its quotes, or part of it is missing.
pub(super) fn override_value(
    text: &str,
    source: usize,
    start: usize,
    out: &mut Vec<Diagnostic>,
) -> Option<Node> {
    let written = text[start..].trim();
    let (what, closing, example) = match written.chars().next() {
        Some('{') => ("a table", "}", "operators.mutation={ kind = \"swap\", rate = 0.5 }"),
        Some('[') => ("a list", "]", "sweep.problem.n=[6, 8]"),
        Some('"') => ("a string", "\"", "name=\"eight queens\""),
        Some('\'') => ("a string", "'", "name=\"eight queens\""),
        _ => return Some(parse_value(text, source, start)),
    };
    let document = format!("x={written}");
    if DeTable::parse(&document).is_ok_and(|table| table.get_ref().len() == 1) {
        return Some(parse_value(text, source, start));
    }
    let origin = Origin { source, start, end: text.len() };
    let open = !written.ends_with(closing) || written.len() == 1;
    let label = if open { format!("no closing {closing}") } else { "not valid TOML".to_owned() };
    let error = Diagnostic::error(
        format!("`{written}` begins like {what} but is not a valid one"),
        origin,
        label,
    );
    let error = error.rule(
        "the value is TOML, in which texts are in quotes; a shell removes quotes and splits at \
        spaces",
    );
    out.push(error.help(format!("put the whole assignment in single quotes: --set '{example}'")));
    None
}

/// Reads one value, such as `12` or `{ kind = "tournament" }`; what is not TOML is taken as a text.
/// The value takes up the source's text from `start` to its end.
pub(super) fn parse_value(text: &str, source: usize, start: usize) -> Node {
    let written = &text[start..];
    let whole = Origin { source, start, end: text.len() };
    let document = format!("x={written}");
    // TOML's words for what no key takes as a number are words: a parameter may have them among its
    // choices.
    let word = matches!(written.trim().trim_start_matches(['+', '-']), "nan" | "inf");
    let parsed = DeTable::parse(&document).ok().filter(|table| table.get_ref().len() == 1 && !word);
    let value = parsed.as_ref().and_then(|table| table.get_ref().values().next());
    // An integer that is too large stays a text, and so the wrong type.
    let mut faults = Vec::new();
    let shape =
        value.map(|value| shape(value.get_ref(), whole, &mut faults)).filter(|_| faults.is_empty());
    let mut node =
        Node { shape: shape.unwrap_or_else(|| Shape::Text(written.trim().into())), origin: whole };
    flatten_origins(&mut node, whole);
    node
}

/// Gives all parts of an override the span of the whole override.
fn flatten_origins(node: &mut Node, origin: Origin) {
    node.origin = origin;
    match &mut node.shape {
        Shape::List(items) => items.iter_mut().for_each(|item| flatten_origins(item, origin)),
        Shape::Table(entries) => entries.iter_mut().for_each(|entry| {
            entry.key_origin = origin;
            flatten_origins(&mut entry.value, origin);
        }),
        _ => {}
    }
}

/// Reads a text that ships with the program, and so is valid.
pub(super) fn parse_shipped(text: &str, source: usize) -> Node {
    let table = DeTable::parse(text).expect("what ships is valid");
    let shape = table_shape(table.get_ref(), source, &mut Vec::new());
    Node { shape, origin: Origin { source, start: 0, end: 0 } }
}

fn table_shape(table: &DeTable<'_>, source: usize, out: &mut Vec<Diagnostic>) -> Shape {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| {
            let (key_origin, origin) = (at(source, key.span()), at(source, value.span()));
            let value = Node { shape: shape(value.get_ref(), origin, out), origin };
            Entry { key: key.get_ref().to_string(), key_origin, value }
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_origin.start);
    Shape::Table(entries)
}

fn at(source: usize, span: Range<usize>) -> Origin {
    Origin { source, start: span.start, end: span.end }
}

fn shape(value: &DeValue<'_>, origin: Origin, out: &mut Vec<Diagnostic>) -> Shape {
    match value {
        DeValue::String(text) => Shape::Text(text.to_string()),
        DeValue::Integer(number) => {
            if let Ok(integer) = i64::from_str_radix(number.as_str(), number.radix()) {
                return Shape::Integer(integer);
            }
            if let Ok(large) = u64::from_str_radix(number.as_str(), number.radix()) {
                return Shape::Large(large);
            }
            let (least, greatest) = (i64::MIN, u64::MAX);
            let error =
                Diagnostic::error(format!("{number} is not a 64-bit integer"), origin, "too large");
            let error = error.rule(format!("an integer must be from {least} to {greatest}"));
            out.push(error.help("choose one closer to 0").of_syntax());
            Shape::Integer(0)
        }
        DeValue::Float(number) => Shape::Real(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(truth) => Shape::Boolean(*truth),
        DeValue::Datetime(_) => Shape::Datetime,
        DeValue::Array(items) => {
            let item = |item: &Spanned<DeValue<'_>>| {
                let origin = at(origin.source, item.span());
                Node { shape: shape(item.get_ref(), origin, out), origin }
            };
            Shape::List(items.iter().map(item).collect())
        }
        DeValue::Table(table) => table_shape(table, origin.source, out),
    }
}
