//! Parsing: from the text of a file or an option to its tree.

use super::diagnostic::{Diagnostic, Faults};
use super::node::{Entry, Node, Shape};
use super::source::{Origin, Sources};
use super::{slips, syntax};
use std::fmt::Display;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a source's TOML, as far as it can be read; every syntax error that the parser finds
/// becomes a diagnostic.
pub(super) fn parse(sources: &Sources, source: usize, out: &mut Faults) -> Node {
    let (table, errors) = DeTable::parse_recoverable(sources.text(source));
    let root = Node {
        shape: table_shape(table.get_ref(), source, out),
        origin: Origin { source, start: 0, end: 0 },
    };
    let slips = syntax::diagnostics(sources, source, &errors, &root);
    // A slip in a number is not also a number that is too large.
    let has_slip = |number: Origin| {
        let mut places = slips.iter().filter_map(|slip| slip.origin);
        let within = number.start..=number.end;
        places.any(|at| at.source == number.source && within.contains(&at.start))
    };
    out.retain(|one| !one.syntax || !one.origin.is_some_and(has_slip));
    out.extend(slips);
    root
}

/// Reads the value of a flag, as [`parse_value`] does. What begins as a table, a list or a text in
/// quotes and does not end as one is an error: a shell took its quotes, or part of it is missing.
pub(super) fn override_value(
    text: &str,
    source: usize,
    start: usize,
    out: &mut Faults,
) -> Option<Node> {
    let written = text[start..].trim();
    let (what, closing, example) = match written.chars().next() {
        Some('{') => ("a table", "}", "operators.mutation={ kind = \"swap\", rate = 0.5 }"),
        Some('[') => ("a list", "]", "sweep.problem.n=[6, 8]"),
        Some('"') => ("a string", "\"", "name=\"eight queens\""),
        Some('\'') => ("a string", "'", "name=\"eight queens\""),
        _ => {
            let node = parse_value(text, source, start);
            if node.as_text().is_some_and(is_whole_number) {
                let error = slips::leading_zero(node.origin, written);
                return error.unwrap_or_else(|| too_large(node.origin, written)).to(out);
            }
            return Some(node);
        }
    };
    let document = format!("x={written}");
    if DeTable::parse(&document).is_ok_and(|table| table.get_ref().len() == 1) {
        return Some(parse_value(text, source, start));
    }
    let origin = Origin { source, start, end: text.len() };
    let open = !written.ends_with(closing) || written.len() == 1;
    let label = if open { format!("no closing {closing}") } else { "not valid TOML".to_owned() };
    let error =
        origin.error(format!("`{written}` begins like {what} but is not a valid one"), label);
    let error = error.rule(
        "the value is TOML, in which texts are in quotes; a shell removes quotes and splits at \
        spaces",
    );
    error.help(format!("put the whole assignment in single quotes: --set '{example}'")).to(out)
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

fn table_shape(table: &DeTable<'_>, source: usize, out: &mut Faults) -> Shape {
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

/// Returns whether a word is written as a whole number.
fn is_whole_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the complaint about an integer that no key can have.
fn too_large(origin: Origin, number: impl Display) -> Diagnostic {
    let (least, greatest) = (i64::MIN, u64::MAX);
    let error = origin.error(format!("{number} is not a 64-bit integer"), "too large");
    let error = error.rule(format!("an integer must be from {least} to {greatest}"));
    error.help("choose one closer to 0").of_syntax()
}

fn shape(value: &DeValue<'_>, origin: Origin, out: &mut Faults) -> Shape {
    match value {
        DeValue::String(text) => Shape::Text(text.to_string()),
        DeValue::Integer(number) => {
            if let Ok(integer) = i64::from_str_radix(number.as_str(), number.radix()) {
                return Shape::Integer(integer);
            }
            if let Ok(large) = u64::from_str_radix(number.as_str(), number.radix()) {
                return Shape::Large(large);
            }
            let written = number.to_string();
            out.push(match matches!(written.as_str(), "0x" | "0o" | "0b") {
                true => slips::not_of_base(origin, &written, &written),
                false => too_large(origin, written),
            });
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
