//! Parameters for readers, with type, range, default and description.

use crate::problem::parameter::{Fallback, Parameter};
use crate::report::hanging;
use console::measure_text_width as columns_of;

/// Maximum number of characters to which kinds are padded. A longer one, such as many choices,
/// moves only its own description.
const WIDEST_KIND: usize = 44;

/// Minimum number of columns for kind and description next to a key.
const LEAST: usize = 24;
const INDENT: &str = "  ";
/// Gap between two columns.
const GAP: &str = "  ";

/// Returns a line such as "  n  = 8  an integer from 1 to 65535  Queens." per parameter, aligned,
/// of at most `width` columns. If a line has no room for everything, the description is below the
/// kind.
pub fn parameter_lines(parameters: &[Parameter], width: usize) -> String {
    let cells: Vec<[String; 3]> =
        parameters.iter().map(|one| [one.key.to_string(), fallback(one), one.takes()]).collect();
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
