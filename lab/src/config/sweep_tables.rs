//! The tables [sweep] as entries by their dotted keys, however the file writes them.

use super::keys;
use super::node::{Entry, Node, Shape};
use super::range;
use super::source::Origin;

/// The key that names a table of combinations.
pub(super) const FROM: &str = "from";
/// The key that lists keys whose values go together, and the one that leaves combinations out.
pub(super) const TOGETHER: &str = "together";
pub(super) const EXCEPT: &str = "except";

/// Returns the keys of a sweep that say which combinations there are, and are no swept keys.
pub(super) fn rules() -> [&'static str; 4] {
    [TOGETHER, EXCEPT, keys::SAMPLE.name, keys::METHOD.name]
}

/// Returns whether a key of a sweep is no swept key, but says which combinations there are.
pub(super) fn is_rule(key: &str) -> bool {
    rules().contains(&key)
}

/// Returns the tables of a document's sweeps: of [sweep], or of every [[sweep]].
pub(super) fn sweeps(root: &Node) -> &[Node] {
    match keys::SWEEP.of(root) {
        Some(Node { shape: Shape::List(tables), .. }) if !tables.is_empty() => tables,
        sweep => sweep.map(std::slice::from_ref).unwrap_or_default(),
    }
}

/// Returns the entries of each sweep.
pub(super) fn entries(root: &mut Node) -> Vec<&mut Vec<Entry>> {
    let Some(sweep) = root.get_mut(keys::SWEEP.name) else { return Vec::new() };
    let tables = match sweep {
        Node { shape: Shape::List(tables), .. } => tables.as_mut_slice(),
        sweep => std::slice::from_mut(sweep),
    };
    tables.iter_mut().filter_map(Node::entries_mut).collect()
}

/// Flattens the tables that a dotted key without quotes makes below [sweep]. A key such as
/// `problem.n` then has the meaning of a quoted key.
pub(super) fn flatten(root: &mut Node) {
    entries(root).into_iter().for_each(flatten_all);
}

/// Flattens the entries of one sweep, and of the rules in it that leave combinations out.
fn flatten_all(nested: &mut Vec<Entry>) {
    for entry in nested.iter_mut() {
        if let (EXCEPT, Shape::List(rules)) = (&*entry.key, &mut entry.value.shape) {
            rules.iter_mut().filter_map(Node::entries_mut).for_each(flatten_all);
        }
    }
    flatten_paths(nested, &range::is_range);
}

/// Flattens the tables that a dotted key without quotes makes. `is_value` returns whether the
/// entries of a table are a value of a key.
pub(super) fn flatten_paths(nested: &mut Vec<Entry>, is_value: &impl Fn(&[Entry]) -> bool) {
    let mut flat = Vec::new();
    let written = |entry: &Entry| entry.key_origin.start;
    let before = nested.len();
    for entry in std::mem::take(nested) {
        flatten_one(written(&entry), entry, is_value, &mut flat);
    }
    // TOML puts dotted keys with the same first part together. The order is that of the file, as it
    // is with quotes.
    let is_nested = flat.len() > before;
    let source = |entry: &(usize, Entry)| entry.1.key_origin.source;
    if is_nested && flat.windows(2).all(|two| source(&two[0]) == source(&two[1])) {
        flat.sort_by_key(|(start, _)| *start);
    }
    *nested = flat.into_iter().map(|(_, entry)| entry).collect();
}

/// Adds the entries of a table with dotted keys, each with the place at which its last part is.
fn flatten_one(
    written: usize,
    entry: Entry,
    is_value: &impl Fn(&[Entry]) -> bool,
    flat: &mut Vec<(usize, Entry)>,
) {
    match entry.value.shape {
        Shape::Table(below) if !below.is_empty() && !is_value(&below) => {
            for inner in below {
                let key = format!("{}.{}", entry.key, inner.key);
                // A dot is between the parts of one key.
                let joined = inner.key_origin.start == entry.key_origin.end + 1;
                let key_origin = if joined {
                    Origin { end: inner.key_origin.end, ..entry.key_origin }
                } else {
                    inner.key_origin
                };
                let written = inner.key_origin.start;
                flatten_one(written, Entry { key, key_origin, value: inner.value }, is_value, flat);
            }
        }
        _ => flat.push((written, entry)),
    }
}
