//! Operator sets as a config gives them: named, with a preset laid under where one is asked for.

use super::diagnostic::Diagnostic;
use super::fields::{entries, text, wrong_type};
use super::keys::{self, Key};
use super::layer::{Layer, lay};
use super::node::{Entry, Node, Shape};
use super::parse::parse_shipped;
use super::source::{Origin, Sources};
use crate::operators::operator::listed;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// The operator sets that ship with the runner, as TOML tables by name.
const PRESETS: &str = include_str!("presets.toml");

/// The presets that ship, read once one is asked for.
#[derive(Debug)]
pub(super) struct Presets {
    /// Name and table.
    entries: OnceCell<Vec<Entry>>,
    source: usize,
}

impl Presets {
    /// Adds the presets as a separate source.
    pub(super) fn of(sources: &mut Sources) -> Self {
        let source = sources.add("the runner's presets", PRESETS);
        Presets { entries: OnceCell::new(), source }
    }

    fn entries(&self) -> &[Entry] {
        self.entries.get_or_init(|| match parse_shipped(PRESETS, self.source).shape {
            Shape::Table(entries) => entries,
            _ => Vec::new(),
        })
    }

    /// Returns the place at which a diagnostic is sorted. A diagnostic that points into a preset is
    /// sorted at the place that asks for the preset.
    pub(super) fn place(&self, one: &Diagnostic) -> Option<Origin> {
        match one.also.first() {
            Some((asked, _)) if one.origin.is_some_and(|origin| origin.source == self.source) => {
                Some(*asked)
            }
            _ => one.origin,
        }
    }
}

/// Returns the presets as their text, comment and all, by name.
#[must_use]
pub fn preset_texts() -> Vec<(String, String)> {
    let blocks = PRESETS.split("\n\n").map(str::trim).filter(|block| block.contains("\n["));
    let name = |block: &str| {
        block.lines().find_map(|line| line.strip_prefix('[')?.strip_suffix(']').map(str::to_string))
    };
    blocks.filter_map(|block| name(block).map(|name| (name, block.to_string()))).collect()
}

/// An operator set's table, with its name settled and its preset laid under.
#[derive(Clone, Debug)]
pub(super) struct SetTable {
    pub name: String,
    /// Span of the name, or of the table's header if the table has no name.
    pub origin: Origin,
    pub node: Node,
    /// Place that asks for the preset, and the presets' source.
    preset: Option<(Origin, usize)>,
    /// Whether the preset is unknown, so that missing keys may be in it.
    unfinished: bool,
}

impl SetTable {
    /// Takes out complaints of what an unknown preset may have given.
    pub(super) fn forgive_absence(&self, diagnostics: &mut Vec<Diagnostic>, from: usize) {
        if self.unfinished {
            let mut own = diagnostics.split_off(from);
            own.retain(|one| !one.absence);
            diagnostics.append(&mut own);
        }
    }

    /// Adds to what points into a preset where that preset is asked for.
    pub(super) fn trace_preset(&self, diagnostics: &mut [Diagnostic]) {
        let Some((asked, source)) = self.preset else { return };
        for one in diagnostics {
            if one.origin.is_some_and(|origin| origin.source == source)
                && one.also.iter().all(|(at, _)| *at != asked)
            {
                one.also.push((
                    asked,
                    format!("operator set `{}` inherits it from this preset", self.name),
                ));
            }
        }
    }
}

/// Returns an operator set's name: its own, else its preset's, else its number, from 1.
fn set_name(table: &Node, place: usize) -> String {
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

/// Returns the operator sets of a document, presets laid under, names unique.
pub(super) fn operator_sets(
    root: &Node,
    presets: &Presets,
    out: &mut Vec<Diagnostic>,
) -> Vec<SetTable> {
    let Some(node) = keys::OPERATORS.of(root) else {
        let error = Diagnostic::error(
            "this experiment has no operator set",
            root.origin,
            "no table [[operators]]",
        );
        let error =
            error.rule("an operator set defines how to search; each makes an arm").of_absence();
        out.push(error.help("add a table [[operators]], for example with preset = \"simple-ga\""));
        return Vec::new();
    };
    let Shape::List(tables) = &node.shape else {
        let help = "write its header with two brackets, [[operators]], once for each operator set";
        out.push(wrong_type(node, "operators", "a list of tables").help(help));
        return Vec::new();
    };
    if tables.is_empty() {
        let error =
            Diagnostic::error("the list of operator sets is empty", node.origin, "nothing to run");
        out.push(error.help("add a table [[operators]], for example with preset = \"simple-ga\""));
    }
    let mut sets: Vec<SetTable> = Vec::new();
    let mut names: BTreeMap<String, Origin> = BTreeMap::new();
    for (place, node) in tables.iter().enumerate() {
        if entries(node, &keys::OPERATOR_SET, out).is_none() {
            continue;
        }
        let (laid, preset) = lay_preset(node, presets, out);
        let name = set_name(node, place);
        let origin = keys::SET_NAME.of(node).map_or(node.origin, |name| name.origin);
        check_name(node, out);
        if let Some(first) = names.get(&name) {
            let error = Diagnostic::error(
                format!("two operator sets are called `{name}`"),
                origin,
                "the second",
            );
            let error = error
                .also(*first, "the first")
                .rule("the name of an operator set identifies its arms in the tables");
            out.push(error.help("give one of them another name: name = \"…\""));
        }
        names.entry(name.clone()).or_insert(origin);
        let unfinished = preset.is_none() && keys::PRESET.of(node).is_some();
        sets.push(SetTable { name, origin, node: laid, preset, unfinished });
    }
    sets
}

fn check_name(table: &Node, out: &mut Vec<Diagnostic>) {
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
    let error =
        Diagnostic::error("this is not a valid name for an operator set", node.origin, label);
    out.push(
        error
            .rule(
                "a name has 1 to 100 bytes, no control or invisible characters, and no space at \
                either end",
            )
            .help("choose another, such as name = \"tournament\""),
    );
}

/// Characters that take no room or turn the direction of writing: two names could look the same.
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

/// Returns the table, with its preset's keys where it lacks them, and the place that asks for the
/// preset.
fn lay_preset(
    node: &Node,
    presets: &Presets,
    out: &mut Vec<Diagnostic>,
) -> (Node, Option<(Origin, usize)>) {
    let Some(wanted) = keys::PRESET.of(node) else { return (node.clone(), None) };
    let Some(name) = text(wanted, "preset", out) else { return (node.clone(), None) };
    let Some(preset) = presets.entries().iter().find(|preset| preset.key == name) else {
        let names: Vec<&str> = presets.entries().iter().map(|preset| preset.key.as_str()).collect();
        let message = format!("there is no preset called `{name}`");
        let error = Diagnostic::error(message, wanted.origin, "unknown")
            .rule(format!("the presets are {}", listed(&names, "and")));
        out.push(error.help_nearest(name, names, "`runner operators` describes each"));
        return (node.clone(), None);
    };
    let mut laid = preset.value.clone();
    lay(&mut laid, node.clone(), Layer::OperatorSet);
    (laid, Some((wanted.origin, presets.source)))
}
