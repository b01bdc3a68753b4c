//! TOML files that a config names: their paths, and their text or the reason why there is none.

use super::config_file::nearest_file;
use super::diagnostic::{Diagnostic, Faults};
use super::fields::wrong_type;
use super::file_access::{FileAccess, NotOpened, Refusal};
use super::keys::Key;
use super::node::{Node, Shape};
use super::source::{Origin, Sources};
use crate::system::regular;
use std::path::Path;

/// Reader of the files that a config names.
pub(super) struct Files<'a> {
    /// Path of the config; the paths in it are relative to its folder.
    pub config: &'a Path,
    pub access: FileAccess,
    pub sources: &'a mut Sources,
    pub out: &'a mut Faults,
}

/// Returns the paths that a key names, each with its place: a text, or a list of texts that differ.
/// Complains of anything else; `example` is such a path.
pub(super) fn paths<'a>(
    wanted: &'a Node,
    key: &Key,
    example: &str,
    out: &mut Faults,
) -> Option<Vec<(&'a str, Origin)>> {
    let before = out.len();
    let nodes = match &wanted.shape {
        Shape::List(items) => items.as_slice(),
        _ => std::slice::from_ref(wanted),
    };
    if nodes.is_empty() {
        let message = format!("the list of `{}` is empty", key.name);
        let error = wanted.error(message, "names no file");
        out.push(error.help(format!("name a file, or remove `{}`", key.name)));
    }
    let mut names: Vec<(&str, Origin)> = Vec::new();
    for node in nodes {
        let Shape::Text(name) = &node.shape else {
            let error = wrong_type(node, key.name, &key.form.to_string());
            out.push(error.help(format!("write {} = \"{example}\"", key.name)));
            continue;
        };
        if name.is_empty() {
            let error = node.error(format!("`{}` names an empty path", key.name), "no file");
            out.push(error.help(format!("name a file, or remove `{}`", key.name)));
        }
        if let Some((_, first)) = names.iter().find(|(other, _)| other == name) {
            let message = format!("`{}` names {name} twice", key.name);
            let error = node.error(message, "again");
            out.push(error.also(*first, "first used here").help("name each file once"));
        }
        names.push((name, node.origin));
    }
    (out.len() == before).then_some(names)
}

/// Prefixes the paths that a key has in its value with `folder`.
pub(super) fn lead_from(folder: &Path, value: &mut Node) {
    match &mut value.shape {
        Shape::Text(text) => *text = folder.join(&*text).display().to_string(),
        Shape::List(items) => items.iter_mut().for_each(|item| lead_from(folder, item)),
        _ => {}
    }
}

impl Files<'_> {
    /// Returns the text of the file at a path that is named at `origin`; complains if it cannot be
    /// read, or may not be. Messages call the file `what`, and write `label` under its name.
    pub(super) fn text(
        &mut self,
        path: &Path,
        (what, label): (&str, &str),
        origin: Origin,
    ) -> Option<String> {
        let error = |words: String| origin.error(format!("{}: {words}", path.display()), label);
        let text = |file| regular::text(&file, regular::MOST_OF_CONFIG).map_err(NotOpened::System);
        match self.access.open(path).and_then(text) {
            Ok(text) => Some(text),
            Err(NotOpened::Refused(Refusal { who, help })) => {
                error(format!("{who} cannot read {what}")).help(help).to(self.out)
            }
            Err(NotOpened::System(fault)) => unreadable(path, &fault, error).to(self.out),
        }
    }
}

fn unreadable(
    path: &Path,
    fault: &std::io::Error,
    error: impl Fn(String) -> Diagnostic,
) -> Diagnostic {
    let near = match fault.kind() {
        std::io::ErrorKind::NotFound => nearest_file(path),
        _ => None,
    };
    let why = match fault.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::InvalidData => "it is not UTF-8".to_owned(),
        _ => fault.to_string(),
    };
    error(format!("cannot be read: {why}"))
        .rule("the path is relative to the file that says it")
        .help(match near {
            Some(near) => format!("did you mean {near}?"),
            None => "check the path and its permissions".to_owned(),
        })
}
