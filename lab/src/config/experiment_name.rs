//! The name of an experiment, which is that of its results folder.

use super::diagnostic::{Diagnostic, Faults};
use super::fields::text;
use super::node::Node;
use std::path::Path;

/// Marks in the names of folders that belong to an experiment, with their meaning.
const MARKS: [(&str, &str); 3] = [
    (".shard-", "looks like a shard"),
    (".round-", "looks like a round"),
    (".submission", "looks like a submission"),
];

/// Returns the name of the experiment: a folder's name, so that nothing is written outside the
/// results.
pub(super) fn experiment_name(root: &Node, path: &Path, out: &mut Faults) -> Option<String> {
    let rule = "it names the results folder: 1 to 100 bytes of letters, digits, spaces and \
        -_.+,=@, with no dot or space at either end, and without .shard-, .round- and .submission, \
        which mark parts of an experiment";
    match root.get("name") {
        Some(node) => {
            let name = text(node, "name", out)?;
            if let Some(label) = fault(name) {
                let error =
                    node.error(format!("{} is not a valid folder name", node.to_toml()), label);
                return error
                    .rule(rule)
                    .help("choose another, such as name = \"eight-queens\"")
                    .to(out);
            }
            Some(name.to_string())
        }
        None => {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            if let Some(fault) = fault(stem) {
                let shown = path.display();
                let message =
                    format!("{shown}: the file's name is not a valid folder name: {fault}");
                return Diagnostic::general(message)
                    .rule(rule)
                    .help("add a name to the file: name = \"…\"")
                    .to(out);
            }
            Some(stem.to_string())
        }
    }
}

/// Returns why this is not the name of an experiment.
fn fault(name: &str) -> Option<String> {
    let other = |c: &char| !(c.is_alphanumeric() || " -_.+,=@".contains(*c));
    let marked = MARKS.iter().find(|(mark, _)| name.contains(mark));
    Some(match name {
        "" => "empty".to_owned(),
        _ if name.len() > 100 => "longer than 100 bytes".to_owned(),
        _ if name.contains(['/', '\\']) => "contains a path separator".to_owned(),
        _ if name.starts_with(['.', ' ']) => "begins with a dot or a space".to_owned(),
        _ if name.ends_with(['.', ' ']) => "ends with a dot or a space".to_owned(),
        _ => match (name.chars().find(other), marked) {
            (Some(character), _) => format!("contains {character:?}, which is not allowed"),
            (None, Some((_, is))) => (*is).to_owned(),
            (None, None) => return None,
        },
    })
}
