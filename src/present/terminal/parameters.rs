//! Parameters for people: with type, range, default and doc.

use crate::present::report::hanging;
use crate::problem::parameter::{Fallback, Parameter};
use console::measure_text_width as columns_of;

/// Characters up to which kinds are padded; a longer one, such as many choices, pushes its own doc
/// aside.
const WIDEST_KIND: usize = 44;

/// Least number of columns for kind and doc next to a key.
const LEAST: usize = 24;
const INDENT: &str = "  ";
/// Between two columns.
const GAP: &str = "  ";

/// "  n  = 8  an integer from 1 to 65535  Queens." for each parameter, aligned, in lines of at most
/// `width` columns. Where not all have room on a line, the doc stands below the kind.
#[must_use]
pub(crate) fn parameter_lines(parameters: &[Parameter], width: usize) -> String {
    let cells: Vec<[String; 3]> = parameters
        .iter()
        .map(|one| [one.key.to_string(), fallback(one), one.kind.to_string()])
        .collect();
    let widest =
        |column: usize| cells.iter().map(|row| columns_of(&row[column])).max().unwrap_or(0);
    let (keys, fallbacks, kinds) = (widest(0), widest(1), widest(2).min(WIDEST_KIND));
    let padded = |text: &str, to: usize| {
        format!("{text}{}", " ".repeat(to.saturating_sub(columns_of(text))))
    };
    let lines = cells.iter().zip(parameters).map(|([key, fallback, kind], parameter)| {
        let (key, fallback) = (padded(key, keys), padded(fallback, fallbacks));
        let line = format!(
            "{INDENT}{key}{GAP}{fallback}{GAP}{}{GAP}{}",
            padded(kind, kinds),
            parameter.doc
        );
        line.trim_end().to_owned()
    });
    let lines: Vec<String> = lines.collect();
    if lines.iter().all(|line| columns_of(line) <= width) {
        return lines.iter().map(|line| format!("{line}\n")).collect();
    }
    let mut text = String::new();
    for ([key, fallback, kind], parameter) in cells.iter().zip(parameters) {
        let left =
            format!("{INDENT}{}{GAP}{}{GAP}", padded(key, keys), padded(fallback, fallbacks));
        let (first, rest) = if columns_of(&left) + LEAST <= width {
            (hanging(&left, kind, width), " ".repeat(columns_of(&left)))
        } else {
            let rest = INDENT.repeat(3);
            let first = hanging(&format!("{INDENT}{key}{GAP}"), fallback, width);
            (first + &hanging(&rest, kind, width), rest)
        };
        text.push_str(&first);
        text.push_str(&hanging(&rest, &parameter.doc, width));
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
