//! Operator sets as a config gives them: named, with a preset laid under where one is asked for.

use super::diagnostic::{Diagnostic, Faults};
use super::fields::{entries, is_meant, is_misspelt, text, wrong_type};
use super::keys;
use super::layer::{Layer, lay};
use super::node::{Entry, Node, Shape};
use super::own_presets;
use super::parse::parse_shipped;
use super::set_name::{check_name, set_name};
use super::source::{Origin, Sources};
use crate::words::listed;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The operator sets that ship with the runner, as TOML tables by name.
const PRESETS: &str = include_str!("presets.toml");
/// Maximum number of presets over each other.
const LONGEST_CHAIN: usize = 32;

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
    inherited: Option<Inherited>,
    /// Whether a preset or an algorithm is unknown, so that nothing is said of missing keys.
    unfinished: bool,
}

/// Part of a table that comes from its preset.
#[derive(Clone, Debug)]
struct Inherited {
    /// Place that asks for the preset.
    asked: Origin,
    /// Places of the keys and values of the preset.
    places: BTreeSet<Origin>,
}

impl SetTable {
    /// Removes reports of missing keys that an unknown preset may provide.
    pub(super) fn forgive_absence(&self, diagnostics: &mut Faults, from: usize) {
        if self.unfinished {
            let mut own = diagnostics.split_off(from);
            own.retain(|one| !one.absence);
            diagnostics.append(&mut own);
        }
    }

    /// Adds to each diagnostic inside a preset the place that asks for the preset.
    pub(super) fn trace_preset(&self, diagnostics: &mut [Diagnostic]) {
        let Some(Inherited { asked, places }) = &self.inherited else { return };
        for one in diagnostics {
            if one.origin.is_some_and(|origin| places.contains(&origin))
                && one.also.iter().all(|(at, _)| at != asked)
            {
                one.also.push((
                    *asked,
                    format!("operator set `{}` inherits it from this preset", self.name),
                ));
            }
        }
    }
}

/// Returns the operator sets of a document, presets laid under, names unique; and the presets of
/// the document that none of them uses.
pub(super) fn operator_sets(
    root: &Node,
    presets: &Presets,
    out: &mut Faults,
) -> (Vec<SetTable>, Vec<SetTable>) {
    let Some(node) = keys::OPERATORS.of(root) else {
        if is_misspelt(root, &keys::OPERATORS) {
            return (Vec::new(), Vec::new());
        }
        let error = root.error("this experiment has no operator set", "no table [[operators]]");
        let error =
            error.rule("an operator set defines how to search; each makes an arm").of_absence();
        out.push(error.help("add a table [[operators]], for example with preset = \"simple-ga\""));
        return (Vec::new(), Vec::new());
    };
    let Shape::List(tables) = &node.shape else {
        let help = "write its header with two brackets, [[operators]], once for each operator set";
        out.push(wrong_type(node, "operators", "a list of tables").help(help));
        return (Vec::new(), Vec::new());
    };
    if tables.is_empty() {
        let error = node.error("the list of operator sets is empty", "nothing to run");
        out.push(error.help("add a table [[operators]], for example with preset = \"simple-ga\""));
    }
    let (known, laid_presets) = Known::of(root, presets, out);
    let unused = known.unused(tables);
    let mut sets: Vec<SetTable> = Vec::new();
    let mut names: BTreeMap<String, Origin> = BTreeMap::new();
    for (place, node) in tables.iter().enumerate() {
        if entries(node, &keys::OPERATOR_SET, out).is_none() {
            continue;
        }
        let laid = known.lay(node, &mut Vec::new(), out);
        let name = set_name(node, place);
        let origin = keys::SET_NAME.of(node).map_or(node.origin, |name| name.origin);
        check_name(node, "an operator set", out);
        if let Some(first) = names.get(&name) {
            let error =
                origin.error(format!("two operator sets are called `{name}`"), "the second");
            let error = error
                .also(*first, "the first")
                .rule("the name of an operator set identifies its arms in the tables");
            out.push(error.help("give one of them another name: name = \"…\""));
        }
        names.entry(name.clone()).or_insert(origin);
        sets.push(SetTable { name, origin, ..laid });
    }
    (sets, laid_presets.into_iter().filter(|one| unused.contains(&&*one.name)).collect())
}

/// Presets of the runner, and those of a document.
struct Known<'a> {
    shipped: &'a Presets,
    own: BTreeMap<&'a str, &'a Node>,
}

impl<'a> Known<'a> {
    /// Returns the presets that a document may name, and its own over theirs; complains of what is
    /// wrong with its own.
    fn of(root: &'a Node, presets: &'a Presets, out: &mut Faults) -> (Self, Vec<SetTable>) {
        let shipped = if keys::PRESETS.of(root).is_some() { presets.entries() } else { &[] };
        let names: Vec<&str> = shipped.iter().map(|preset| preset.key.as_str()).collect();
        let own = own_presets::read(root, &names, out);
        let known = Known { shipped: presets, own };
        let mut all = Vec::with_capacity(known.own.len());
        for (name, preset) in &known.own {
            let mut laid = known.lay(preset, &mut vec![name], out);
            laid.unfinished |= drop_unknown(&mut laid.node);
            all.push(SetTable { name: (*name).to_owned(), ..laid });
        }
        (known, all)
    }

    /// Returns the names of the document's own presets that no operator set is over.
    fn unused(&self, sets: &[Node]) -> BTreeSet<&'a str> {
        let mut unused: BTreeSet<&str> = self.own.keys().copied().collect();
        for set in sets {
            let mut over = set;
            while let Some(asked) = keys::PRESET.of(over).and_then(Node::as_text)
                && unused.remove(asked)
                && let Some(preset) = self.own.get(asked)
            {
                over = preset;
            }
        }
        unused
    }

    /// Returns the table with its preset's keys where it lacks them. `chain` has the presets that
    /// led to it.
    fn lay(&self, over: &'a Node, chain: &mut Vec<&'a str>, out: &mut Faults) -> SetTable {
        let (name, origin) = (String::new(), over.origin);
        let alone = |unfinished| {
            let node = over.clone();
            SetTable { name: String::new(), origin, node, inherited: None, unfinished }
        };
        let Some(wanted) = keys::PRESET.of(over) else { return alone(may_lack(over)) };
        let Some(asked) = text(wanted, "preset", out) else { return alone(true) };
        let shipped = || self.shipped.entries().iter().find(|preset| preset.key == asked);
        let (mut node, mut unfinished) = match self.own.get(asked) {
            Some(_) if chain.contains(&asked) || chain.len() >= LONGEST_CHAIN => {
                out.push(endless(chain, asked, wanted.origin));
                return alone(true);
            }
            Some(own) => {
                chain.push(asked);
                let laid = self.lay(own, chain, out);
                chain.pop();
                (laid.node, laid.unfinished)
            }
            None => match shipped() {
                Some(preset) => (preset.value.clone(), false),
                None => {
                    out.push(self.unknown(asked, wanted.origin));
                    return alone(true);
                }
            },
        };
        for key in keys::NAMING {
            _ = node.take(key.name);
        }
        unfinished |= drop_unknown(&mut node);
        let mut places = BTreeSet::new();
        add_places(&node, &mut places);
        lay(&mut node, over.clone(), Layer::OperatorSet);
        let inherited = Some(Inherited { asked: wanted.origin, places });
        SetTable { name, origin, node, inherited, unfinished }
    }

    /// Returns the error for an unknown preset.
    fn unknown(&self, name: &str, origin: Origin) -> Diagnostic {
        let shipped = self.shipped.entries().iter().map(|preset| preset.key.as_str());
        let names: Vec<&str> = shipped.chain(self.own.keys().copied()).collect();
        let message = format!("there is no preset called `{name}`");
        let error = origin
            .error(message, "unknown")
            .rule(format!("the presets are {}", listed(&names, "and")));
        error.help_nearest(name, names, "`runner operators` describes each")
    }
}

/// Removes unknown keys of a preset, which are complained of already; whether it has any.
fn drop_unknown(preset: &mut Node) -> bool {
    let Some(entries) = preset.entries_mut() else { return false };
    let before = entries.len();
    entries.retain(|entry| keys::OPERATOR_SET.has(&entry.key));
    entries.len() < before
}

/// Returns whether keys that an operator set lacks follow from a misspelt `preset` or `algorithm`.
fn may_lack(set: &Node) -> bool {
    let (entries, names) = (set.entries().unwrap_or_default(), keys::OPERATOR_SET.names());
    let among = [&keys::PRESET, &keys::ALGORITHM];
    among.into_iter().any(|key| is_meant(entries, key.name, &names))
}

/// Returns the error for presets that form a cycle or too long a chain.
fn endless(chain: &[&str], asked: &str, origin: Origin) -> Diagnostic {
    let Some(start) = chain.iter().position(|name| *name == asked) else {
        let message = format!("more than {LONGEST_CHAIN} presets name each other");
        let error = origin.error(message, "this one is too many");
        return error.help("name a preset that is nearer to the last one");
    };
    let names: Vec<&str> = chain[start..].iter().copied().chain([asked]).collect();
    let message = format!("the preset `{asked}` is over itself: {}", names.join(" over "));
    let error = origin.error(message, "this closes the circle");
    error.help("remove `preset` from one of these presets")
}

/// Adds the places of the keys and values in a tree.
fn add_places(node: &Node, places: &mut BTreeSet<Origin>) {
    places.insert(node.origin);
    match &node.shape {
        Shape::Table(entries) => entries.iter().for_each(|entry| {
            places.insert(entry.key_origin);
            add_places(&entry.value, places);
        }),
        Shape::List(items) => items.iter().for_each(|item| add_places(item, places)),
        _ => {}
    }
}
