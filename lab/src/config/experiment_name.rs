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
    let allowed = |c: char| c.is_alphanumeric() || " -_.+,=@".contains(c);
    let good = |name: &str| {
        (1..=100).contains(&name.len())
            && !name.starts_with(['.', ' '])
            && !name.ends_with([' ', '.'])
            && name.chars().all(allowed)
            && !MARKS.iter().any(|(mark, _)| name.contains(mark))
    };
    match root.get("name") {
        Some(node) => {
            let name = text(node, "name", out)?;
            if !good(name) {
                let marked = MARKS.iter().find(|(mark, _)| name.contains(mark));
                let label = match name {
                    "" => "empty",
                    _ if name.len() > 100 => "longer than 100 bytes",
                    _ if name.contains(['/', '\\']) => "contains a path separator",
                    _ if name.starts_with(['.', ' ']) => "begins with a dot or a space",
                    _ if name.ends_with(['.', ' ']) => "ends with a dot or a space",
                    _ => marked.map_or("contains a character that is not allowed", |(_, is)| is),
                };
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
            if !good(stem) {
                let message =
                    format!("{}: the file's name is not a valid folder name", path.display());
                return Diagnostic::general(message)
                    .rule(rule)
                    .help("add a name to the file: name = \"…\"")
                    .to(out);
            }
            Some(stem.to_string())
        }
    }
}
