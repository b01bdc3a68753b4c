//! Parameters for people: one line each, with type, range, default and doc.

use crate::problem::parameter::{Fallback, Parameter};

/// Characters up to which kinds are padded; a longer one, such as many choices, pushes its own doc
/// aside.
const WIDEST_KIND: usize = 44;

/// "  n  = 8  an integer in 1..=65535  Queens." for each parameter, aligned, a line each.
#[must_use]
pub(crate) fn parameter_lines(parameters: &[Parameter]) -> String {
    let cells: Vec<[String; 3]> = parameters
        .iter()
        .map(|one| [one.key.to_string(), fallback(one), one.kind.to_string()])
        .collect();
    let width =
        |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (keys, fallbacks, kinds) = (width(0), width(1), width(2));
    let kinds = kinds.min(WIDEST_KIND);
    let mut text = String::new();
    for ([key, fallback, kind], parameter) in cells.iter().zip(parameters) {
        let line =
            format!("  {key:keys$}  {fallback:fallbacks$}  {kind:kinds$}  {}", parameter.doc);
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
