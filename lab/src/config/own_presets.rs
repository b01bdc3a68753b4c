//! `presets`: operator sets of a user, which others name as they name those of the runner.

use super::diagnostic::Faults;
use super::extends::lead_plugin_from;
use super::fields::{check_keys, slip_for, table, wrong_type};
use super::keys;
use super::named_file::{Files, paths};
use super::node::{Node, Shape};
use super::parse::parse;
use super::set_name::check_name;
use super::source::Origin;
use std::collections::BTreeMap;
use std::path::Path;

const EXAMPLE: &str = "[[presets]] with name = \"mine\"";

/// Replaces the files that `presets` names by the presets in them. Returns whether any file is
/// named; `None` if a file cannot be used.
pub(super) fn lay_out(root: &mut Node, files: &mut Files<'_>) -> Option<bool> {
    let Some(wanted) = root.get_mut(keys::PRESETS.name) else { return Some(false) };
    if is_list_of_tables(wanted) {
        return Some(false);
    }
    if matches!(wanted.shape, Shape::Table(_)) {
        let help = "write its header with two brackets, [[presets]], once for each preset";
        let error = wrong_type(wanted, keys::PRESETS.name, &keys::PRESETS.form.to_string());
        return error.help(help).to(files.out);
    }
    let names = paths(wanted, &keys::PRESETS, "presets.toml", files.out)?;
    let (mut all, before) = (Vec::new(), files.out.len());
    for (name, origin) in names {
        all.extend(of_file(name, origin, files));
    }
    wanted.shape = Shape::List(all);
    (files.out.len() == before).then_some(true)
}

fn is_list_of_tables(node: &Node) -> bool {
    matches!(&node.shape, Shape::List(items)
        if items.first().is_some_and(|item| matches!(item.shape, Shape::Table(_))))
}

/// Returns the presets of a file that is named at `origin`; complains of what else is in it.
fn of_file(name: &str, origin: Origin, files: &mut Files<'_>) -> Vec<Node> {
    let path = files.config.with_file_name(name);
    let what = ("a file of presets", "the file of presets");
    let Some(text) = files.text(&path, what, origin) else { return Vec::new() };
    let source = files.sources.add_extended(&path, text);
    let (before, out) = (files.out.len(), &mut *files.out);
    let mut tree = parse(files.sources, source, out);
    if out.len() > before {
        return Vec::new();
    }
    check_keys(tree.entries().unwrap_or_default(), &[keys::PRESETS.name], "a file of presets", out);
    lead_plugin_from(Path::new(name).parent().unwrap_or(Path::new("")), &path, &mut tree);
    match tree.take(keys::PRESETS.name) {
        Some(Node { shape: Shape::List(presets), .. }) if !presets.is_empty() => presets,
        Some(other) => {
            out.push(wrong_type(&other, keys::PRESETS.name, "a list of tables").help(help()));
            Vec::new()
        }
        None if out.len() == before => {
            let message = format!("{}: it has no presets", path.display());
            out.push(origin.error(message, "the file of presets").help(help()));
            Vec::new()
        }
        None => Vec::new(),
    }
}

fn help() -> String {
    format!("write each as {EXAMPLE} and keys of an operator set")
}

/// Returns the presets of a document by their names, which differ from each other and from those
/// of the runner, `shipped`. Complains of what is wrong with any.
pub(super) fn read<'a>(
    root: &'a Node,
    shipped: &[&str],
    out: &mut Faults,
) -> BTreeMap<&'a str, &'a Node> {
    let mut own: BTreeMap<&str, &Node> = BTreeMap::new();
    let Some(node) = keys::PRESETS.of(root) else { return own };
    let Shape::List(presets) = &node.shape else { return own };
    for preset in presets {
        let Some(entries) = table(preset, "a preset", EXAMPLE, out) else { continue };
        let names = keys::OPERATOR_SET.names();
        check_keys(entries, &names, "a preset", out);
        let slip = || slip_for(entries, keys::SET_NAME.name, &names).map(|slip| &slip.value);
        let Some(at) = keys::SET_NAME.of(preset).or_else(slip) else {
            let error = preset.error("this preset has no name", "no `name`");
            out.push(error.help("name it, as in name = \"mine\""));
            continue;
        };
        check_name(preset, "a preset", out);
        let Some(name) = at.as_text() else { continue };
        if shipped.contains(&name) {
            let message = format!("`{name}` is the name of a preset of the runner");
            let error = at.error(message, "not a name for another");
            out.push(error.help("choose another, and name that one with preset = \"…\""));
        } else if let Some(first) = own.get(name).and_then(|first| keys::SET_NAME.of(first)) {
            let message = format!("two presets are called `{name}`");
            let error = at.error(message, "the second");
            out.push(error.also(first.origin, "the first").help("give one of them another name"));
        } else {
            own.insert(name, preset);
        }
    }
    own
}
