//! Parameters for people: one line each, with type, range, default and doc.

use crate::parameter::{Fallback, Kind, Parameter};

/// "  n = 8   integer 1..=65535   Queens." for each parameter, aligned, a line each.
#[must_use]
pub fn lines(parameters: &[Parameter]) -> String {
    let cells: Vec<[String; 3]> = parameters.iter().map(|one| [one.key.to_string(), fallback(one), kind(one)]).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (keys, fallbacks, kinds) = (width(0), width(1), width(2));
    let mut text = String::new();
    for ([key, fallback, kind], parameter) in cells.iter().zip(parameters) {
        let line = format!("  {key:keys$}  {fallback:fallbacks$}  {kind:kinds$}  {}", parameter.doc);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn fallback(parameter: &Parameter) -> String {
    match &parameter.fallback {
        Fallback::Required => "(required)".into(),
        Fallback::Value(value) => format!("= {value}"),
        Fallback::Derived(words) => format!("= {words}"),
    }
}

fn kind(parameter: &Parameter) -> String {
    match &parameter.kind {
        Kind::Integer { low, high: i64::MAX } => format!("integer from {low}"),
        Kind::Integer { low, high } => format!("integer {low}..={high}"),
        Kind::Real { low, high, low_open, high_open } => {
            let (open, close) = (if *low_open { '(' } else { '[' }, if *high_open { ')' } else { ']' });
            match (low.is_infinite(), high.is_infinite()) {
                (true, true) => "number".into(),
                (false, true) => format!("number {} {low}", if *low_open { "above" } else { "from" }),
                (true, false) => format!("number {} {high}", if *high_open { "below" } else { "up to" }),
                (false, false) => format!("number in {open}{low}, {high}{close}"),
            }
        }
        Kind::Boolean => "true or false".into(),
        Kind::Choice(words) => words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | "),
        Kind::Text => "text".into(),
    }
}
