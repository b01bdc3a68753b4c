//! The document tree: TOML values that know where they were written.

use super::diagnostic::{Diagnostic, Sources};
use crate::parameter::Value;
use toml::de::{DeTable, DeValue};

/// Where something was written: a source and bytes of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub source: usize,
    pub start: usize,
    pub end: usize,
}

/// A value and where it was written.
#[derive(Clone, Debug)]
pub struct Node {
    pub shape: Shape,
    pub origin: Origin,
}

#[derive(Clone, Debug)]
pub enum Shape {
    Text(String),
    Integer(i64),
    Real(f64),
    Boolean(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// A date or a time: no key takes one.
    Datetime,
}

/// A key and its value. A key stands once in its table.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub key_origin: Origin,
    pub value: Node,
}

impl Node {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self.shape {
            Shape::Text(_) => "a text",
            Shape::Integer(_) => "an integer",
            Shape::Real(_) => "a number",
            Shape::Boolean(_) => "true or false",
            Shape::List(_) => "a list",
            Shape::Table(_) => "a table",
            Shape::Datetime => "a date or time",
        }
    }

    /// As a parameter's value, if it is a single one.
    pub fn value(&self) -> Option<Value> {
        match &self.shape {
            Shape::Text(text) => Some(Value::Text(text.clone().into())),
            Shape::Integer(number) => Some(Value::Integer(*number)),
            Shape::Real(number) => Some(Value::Real(*number)),
            Shape::Boolean(truth) => Some(Value::Boolean(*truth)),
            Shape::List(_) | Shape::Table(_) | Shape::Datetime => None,
        }
    }

    /// The entry of a table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.shape {
            Shape::Table(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
            _ => None,
        }
    }

    /// Puts `value` at a dotted path, making tables on the way. A slot that is a bare name becomes a table of that kind;
    /// a list of tables takes the value in each. What is not a table gives way.
    pub fn put(&mut self, path: &[&str], key_origin: Origin, value: Node) {
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
            self.shape = Shape::Table(vec![Entry { key: "kind".into(), key_origin: self.origin, value: kind }]);
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

    /// The value as TOML on one line.
    pub fn to_toml(&self) -> String {
        match &self.shape {
            Shape::List(items) => {
                format!("[{}]", items.iter().map(Node::to_toml).collect::<Vec<_>>().join(", "))
            }
            Shape::Table(entries) => {
                let entries: Vec<String> =
                    entries.iter().map(|entry| format!("{} = {}", entry.key, entry.value.to_toml())).collect();
                format!("{{ {} }}", entries.join(", "))
            }
            _ => self.value().map_or_else(|| "a date".into(), |value| value.to_string()),
        }
    }
}

/// Reads a source's TOML; every syntax error that the parser finds becomes a diagnostic.
pub fn parse(sources: &Sources, source: usize, diagnostics: &mut Vec<Diagnostic>) -> Node {
    let text = sources.text(source);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let origin = Origin { source, start: span.start, end: span.end };
        let message = format!("not valid TOML: {}", error.message().lines().next().unwrap_or_default());
        diagnostics.push(Diagnostic::error(message, origin, "here").help("see https://toml.io for the format"));
    }
    let span = table.span();
    let origin = Origin { source, start: span.start, end: span.start };
    let shape = table_shape(table.get_ref(), source, diagnostics);
    Node { shape, origin }
}

/// Reads one value, such as `12` or `{ kind = "tournament" }`; what is not TOML is taken as a text. The value takes up
/// the source's text from `start` to its end.
pub fn parse_value(text: &str, source: usize, start: usize) -> Node {
    let written = &text[start..];
    let document = format!("x={written}");
    let whole = Origin { source, start, end: text.len() };
    match DeTable::parse(&document) {
        Ok(table) if table.get_ref().len() == 1 => {
            let mut ignored = Vec::new();
            // The document has two bytes before the value; an origin in it is `start - 2` off, never below 0 since the
            // value itself begins at 2.
            let value = table.get_ref().iter().next().map(|(_, value)| value.get_ref());
            let shape = value.map(|value| shape(value, source, &mut ignored));
            match shape {
                Some(shape) => {
                    let mut node = Node { shape, origin: whole };
                    flatten_origins(&mut node, whole);
                    node
                }
                None => Node { shape: Shape::Text(written.into()), origin: whole },
            }
        }
        _ => Node { shape: Shape::Text(written.into()), origin: whole },
    }
}

/// All parts of an override are shown as the whole override.
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

fn table_shape(table: &DeTable<'_>, source: usize, diagnostics: &mut Vec<Diagnostic>) -> Shape {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        let (key_span, span) = (key.span(), value.span());
        let origin = Origin { source, start: span.start, end: span.end };
        let key_origin = Origin { source, start: key_span.start, end: key_span.end };
        if let DeValue::Integer(number) = value.get_ref()
            && i64::from_str_radix(number.as_str(), number.radix()).is_err()
        {
            let message = format!("{} is too large", number.as_str());
            let rule = format!("an integer lies in {}..={}", i64::MIN, i64::MAX);
            diagnostics.push(Diagnostic::error(message, origin, "this integer").rule(rule));
        }
        let shape = shape(value.get_ref(), source, diagnostics);
        entries.push(Entry { key: key.get_ref().to_string(), key_origin, value: Node { shape, origin } });
    }
    entries.sort_by_key(|entry| entry.key_origin.start);
    Shape::Table(entries)
}

fn shape(value: &DeValue<'_>, source: usize, diagnostics: &mut Vec<Diagnostic>) -> Shape {
    match value {
        DeValue::String(text) => Shape::Text(text.to_string()),
        DeValue::Integer(number) => {
            Shape::Integer(i64::from_str_radix(number.as_str(), number.radix()).unwrap_or_default())
        }
        DeValue::Float(number) => Shape::Real(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(truth) => Shape::Boolean(*truth),
        DeValue::Datetime(_) => Shape::Datetime,
        DeValue::Array(items) => Shape::List(
            items
                .iter()
                .map(|item| {
                    let span = item.span();
                    let origin = Origin { source, start: span.start, end: span.end };
                    Node { shape: shape(item.get_ref(), source, diagnostics), origin }
                })
                .collect(),
        ),
        DeValue::Table(table) => table_shape(table, source, diagnostics),
    }
}
