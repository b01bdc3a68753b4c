//! Syntax: errors of the TOML parser, as diagnostics for people.

use super::diagnostic::Diagnostic;
use super::node::{Node, Shape};
use super::slips;
use super::source::{Origin, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use toml::de::Error;

/// One diagnostic for each syntax error of a source. `tree` is what the parser recovered.
pub(super) fn diagnostics(
    sources: &Sources,
    source: usize,
    errors: &[Error],
    tree: &Node,
) -> Vec<Diagnostic> {
    let text = sources.text(source);
    let places = Places::of(tree);
    let (errors, unclosed) = match unclosed(text, errors) {
        Some((before, at)) => (&errors[..before], Some(at)),
        None => (errors, None),
    };
    let lists = repeated_headers(text, errors);
    let of_list = |error: &&Error| {
        let start = error.span().map_or(0, |span| span.start);
        lists.iter().any(|list| list.start < start && start < list.end)
    };
    let found = errors.iter().filter(|error| !of_list(error));
    let mut found: Vec<Diagnostic> =
        found.map(|error| diagnostic(text, source, error, &places)).collect();
    // The parser complains several times of one slip.
    found.dedup();
    let unclosed = unclosed.map(|(what, mark, end)| {
        let origin = Origin { source, start: end, end };
        let message = format!("{what} without its closing {mark}");
        let error = origin.error(message, "expected here");
        Diagnostic { to_the_end: true, ..error.help(format!("close it with {mark}")) }
    });
    found.into_iter().chain(unclosed).map(Diagnostic::of_syntax).collect()
}

/// Keys of lists of tables.
const LISTS: [&str; 2] = ["operators", "sweep"];

/// Returns whether an error is that of a header such as `[operators]` which the file has twice.
fn is_repeated_header(text: &str, error: &Error) -> bool {
    let span = error.span().unwrap_or(0..0);
    error.message().starts_with("duplicate key")
        && LISTS.contains(&&text[span.clone()])
        && text[..span.start].ends_with('[')
}

/// Returns the tables below headers such as `[operators]` which the file has twice. The parser
/// takes their keys for keys of the first table.
fn repeated_headers(text: &str, errors: &[Error]) -> Vec<Range<usize>> {
    let headers = errors.iter().filter(|error| is_repeated_header(text, error));
    let spans = headers.filter_map(Error::span);
    let end = |start: usize| text[start..].find("\n[").map_or(text.len(), |length| start + length);
    spans.map(|span| span.start..end(span.start)).collect()
}

/// Kind of a thing that is not closed, its closing mark, and the place of the missing mark.
type Unclosed = (&'static str, char, usize);

/// Finds a table or an array in a line that is never closed, because the parser complains in every
/// following line. Returns the number of errors before it, and the thing that is not closed.
fn unclosed(text: &str, errors: &[Error]) -> Option<(usize, Unclosed)> {
    let starts = |error: &Error, with: &str| error.message().starts_with(with);
    let of_array =
        |error: &Error| starts(error, "unclosed array") && !starts(error, "unclosed array table");
    let last = errors.last()?;
    if !starts(last, "unclosed inline table") && !of_array(last) {
        return None;
    }
    let of_table = |error: &Error| {
        let within = ["missing comma between key", "missing key for inline", "invalid inline"];
        starts(error, "unclosed inline") || within.iter().any(|with| starts(error, with))
    };
    let of_it =
        |error: &Error| of_table(error) || of_array(error) || starts(error, "missing comma");
    let before = errors.iter().position(of_it)?;
    let (what, mark) =
        if of_table(&errors[before]) { ("a table in braces", '}') } else { ("an array", ']') };
    let start = errors[before].span().map_or(text.len(), |span| span.start).min(text.len());
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    // Where it goes on in its own line, that line lacks something else.
    let before_it = if text[line..start].trim().is_empty() { line } else { start };
    Some((before, (what, mark, text[..before_it].trim_end().len())))
}

fn diagnostic(text: &str, source: usize, error: &Error, places: &Places<'_>) -> Diagnostic {
    let span = error.span().unwrap_or(0..0);
    let origin = Origin { source, start: span.start, end: span.end };
    let words = error.message().lines().next().unwrap_or_default();
    let (what, expected) = words.split_once(", expected ").unwrap_or((words, ""));
    let at = span.start.min(text.len());
    let slip = slips::in_line(text, source, at);
    if let Some(slip) = slip.filter(|_| what != "duplicate key") {
        return slip;
    }
    match what {
        "duplicate key" if is_repeated_header(text, error) => {
            let key = &text[span];
            origin
                .error(format!("a second table [{key}]"), "one pair of brackets")
                .rule("a list of tables has two pairs of brackets in each header")
                .help(format!("write [[{key}]], here and above"))
        }
        "duplicate key" => {
            let key = &text[span];
            let error = origin.error(format!("the key `{key}` occurs twice in its table"), "again");
            let first = places.before(key.trim_matches(['"', '\'']), origin);
            let error =
                first.into_iter().fold(error, |error, first| error.also(first, "first used here"));
            error.rule("a key has only one value").help("keep the intended one")
        }
        "string values must be quoted" if span.is_empty() => origin
            .error("a key without a value", "a value is missing here")
            .rule("in TOML, each key is followed by = and a value")
            .help("write a value, or remove the key"),
        _ if is_word(text, &span) => {
            let word = &text[span];
            let help = match word.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => "write true".to_string(),
                "false" | "no" | "off" => "write false".to_string(),
                _ => format!("write \"{word}\""),
            };
            origin
                .error(format!("a string without quotes: {word}"), "not in quotes")
                .rule("in TOML, texts are in quotes")
                .help(help)
        }
        _ if let Some(control) = control_at(text, at) => origin
            .error(format!("a control character: {control}"), "not allowed in TOML")
            .rule("in TOML, texts and comments have no control characters but tabs")
            .help("remove it"),
        "invalid basic string" if !expected.is_empty() => origin
            .error("a string without its closing quote", "expected \" before the end of the line")
            .rule("in TOML, texts are in quotes, on one line")
            .help("close it with \""),
        "missing escaped value" => origin
            .error("a backslash in quotes", "begins an escape")
            .rule("in TOML, a backslash in \" begins an escape such as \\n, and in ' it is itself")
            .help("write the text in single quotes: 'C:\\plugins'"),
        "unclosed table" | "unclosed array table" => origin
            .error("a table header without its closing bracket", "expected ]")
            .help("close it, as in [stop] or [[operators]]"),
        _ => slips::of_value(text, source, at).unwrap_or_else(|| {
            let label = match expected {
                "" | "nothing" => "not expected here".to_string(),
                expected => format!("expected {expected}"),
            };
            origin
                .error(format!("not valid TOML: {what}"), label)
                .help("https://toml.io describes the format")
        }),
    }
}

/// Returns the code of the control character at a place, if one is there.
fn control_at(text: &str, at: usize) -> Option<String> {
    let letter = text[at..].chars().next().filter(|letter| letter.is_ascii_control())?;
    (!"\t\r\n".contains(letter)).then(|| format!("U+{:04X}", u32::from(letter)))
}

/// Returns whether a span is a bare word where a value belongs.
fn is_word(text: &str, span: &Range<usize>) -> bool {
    text[span.clone()].starts_with(char::is_alphabetic)
        && text[..span.start].trim_end().ends_with(['=', '[', ','])
}

/// Lines of a source that could not be read. Diagnostics of the other lines are also shown, unless
/// they may follow from these lines.
#[derive(Debug)]
pub(super) struct Broken {
    source: usize,
    /// Byte ranges of whole lines, in order.
    lines: Vec<Range<usize>>,
    faults: BTreeSet<Diagnostic>,
    beyond_reading: bool,
}

impl Broken {
    /// Returns the lines that the parser complained of. `found` may also hold diagnostics of the
    /// document's own rules.
    pub(super) fn of(sources: &Sources, source: usize, found: &[Diagnostic]) -> Self {
        let text = sources.text(source);
        let faults: BTreeSet<Diagnostic> = found.iter().filter(|one| one.syntax).cloned().collect();
        let mut lines: Vec<Range<usize>> = faults
            .iter()
            .filter_map(|fault| fault.origin)
            .map(|origin| {
                let start = text[..origin.start.min(text.len())]
                    .rfind('\n')
                    .map_or(0, |newline| newline + 1);
                let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
                start..end
            })
            .collect();
        lines.sort_unstable_by_key(|line| line.start);
        lines.dedup();
        let header = |line: &Range<usize>| text[line.clone()].trim_start().starts_with('[');
        let to_the_end = faults.iter().any(|fault| fault.to_the_end);
        let beyond_reading = to_the_end || lines.iter().any(header);
        Broken { source, lines, faults, beyond_reading }
    }

    /// Returns whether a header is unreadable, so that the keys after it belong to no table.
    pub(super) fn beyond_reading(&self) -> bool {
        self.beyond_reading
    }

    pub(super) fn is_syntax(&self, one: &Diagnostic) -> bool {
        self.faults.contains(one)
    }

    /// Returns whether a complaint may follow from what could not be read.
    pub(super) fn hides(&self, one: &Diagnostic) -> bool {
        let on_line = |origin: Origin| {
            let before = self.lines.partition_point(|line| line.start <= origin.start);
            origin.source == self.source && before > 0 && origin.start <= self.lines[before - 1].end
        };
        !self.faults.is_empty() && (one.absence || one.origin.is_none_or(on_line))
    }
}

/// Places of each key of a tree, in order.
#[derive(Default)]
struct Places<'a>(BTreeMap<&'a str, Vec<Origin>>);

impl<'a> Places<'a> {
    fn of(tree: &'a Node) -> Self {
        let mut places = Places::default();
        places.add(tree);
        places.0.values_mut().for_each(|origins| origins.sort_unstable());
        places
    }

    fn add(&mut self, node: &'a Node) {
        match &node.shape {
            Shape::Table(entries) => entries.iter().for_each(|entry| {
                self.0.entry(&entry.key).or_default().push(entry.key_origin);
                self.add(&entry.value);
            }),
            Shape::List(items) => items.iter().for_each(|item| self.add(item)),
            _ => {}
        }
    }

    /// Returns the last place of a key of this name before `origin`.
    fn before(&self, key: &str, origin: Origin) -> Option<Origin> {
        let origins = self.0.get(key)?;
        origins[..origins.partition_point(|place| *place < origin)].last().copied()
    }
}
