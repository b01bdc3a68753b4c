//! Names of operator sets and presets.

use super::diagnostic::Faults;
use super::fields::text;
use super::keys::{self, Key};
use super::node::Node;

/// Returns an operator set's name: its own, else its preset's, else its number, from 1.
pub(super) fn set_name(table: &Node, place: usize) -> String {
    let given = |key: &Key| key.of(table)?.as_text().map(str::to_owned);
    given(&keys::SET_NAME)
        .or_else(|| given(&keys::PRESET))
        .unwrap_or_else(|| format!("operators-{}", place + 1))
}

/// Returns the names of operator sets.
pub(super) fn set_names(tables: &[Node]) -> Vec<String> {
    tables.iter().enumerate().map(|(place, table)| set_name(table, place)).collect()
}

/// Returns the place of the operator set that a path below `operators` begins with, and the rest of
/// the path; `None` if the path is one of all sets.
pub(super) fn of_one_set<'a>(below: &'a str, names: &[String]) -> Option<(usize, &'a str)> {
    let first = below.split('.').next().unwrap_or_default();
    if keys::OPERATOR_SET.has(first) {
        return None;
    }
    let rest = |name: &String| below.strip_prefix(name.as_str())?.strip_prefix('.');
    names.iter().enumerate().find_map(|(place, name)| Some((place, rest(name)?)))
}

/// Reports an invalid name of a table; `of` describes the table in messages.
pub(super) fn check_name(table: &Node, of: &str, out: &mut Faults) {
    let Some(node) = keys::SET_NAME.of(table) else { return };
    let Some(name) = text(node, "name", out) else { return };
    let label = match name {
        _ if name.trim().is_empty() => "empty",
        _ if name.len() > 100 => "longer than 100 bytes",
        _ if name.chars().any(char::is_control) => "contains a control character",
        _ if name.contains(is_invisible) => "contains an invisible character",
        _ if name.trim() != name => "begins or ends with a space",
        _ => return,
    };
    let error = node.error(format!("this is not a valid name for {of}"), label);
    out.push(
        error
            .rule(
                "a name has 1 to 100 bytes, no control or invisible characters, and no space at \
                either end",
            )
            .help("choose another, such as name = \"tournament\""),
    );
}

/// Returns whether a character is invisible or changes the text direction.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
    )
}
