//! Layers: one tree over another. A file is laid over the file that it extends, an operator set
//! over its preset, and the value of an option or of a sweep over the table that it changes.

use super::node::{Entry, Node, Shape};
use super::source::Origin;
use super::{keys, tuned_key};
use crate::operators::operator::Slot;

/// Kind of the upper tree: it decides which tables are merged with the tables below them. All other
/// values replace what is below them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// A file: all tables are merged.
    File,
    /// A sweep or a tuning of a file: all tables are merged but ranges with both ends, which are
    /// values.
    Ranges,
    /// An operator set: a slot that names no operator, such as `mutation.rate = 0.3`, is merged
    /// with the operator of the preset, and so is a table that an option made.
    OperatorSet,
    /// Parameters of an operator: only tables that an option made are merged.
    Parameters,
    /// A value at a path of this many keys: the tables that lead to it are merged. They and their
    /// keys keep their origins.
    Value(usize),
}

impl Layer {
    /// Returns the layer of the values in a table that is merged; `None` if the value replaces.
    fn within(self, entry: &Entry, under: &Node) -> Option<Layer> {
        let is_table = |node: &Node| matches!(node.shape, Shape::Table(_));
        let over = &entry.value;
        let both = is_table(over) && is_table(under);
        match self {
            Layer::File if [keys::SWEEP.name, keys::TUNE.name].contains(&&*entry.key) => {
                both.then_some(Layer::Ranges)
            }
            Layer::File => both.then_some(self),
            Layer::Ranges => {
                let is_whole = over.entries().is_some_and(tuned_key::is_whole);
                (both && !is_whole).then_some(self)
            }
            Layer::OperatorSet => {
                let is_slot = Slot::parse(&entry.key).is_some();
                let names_one = over.get(keys::KIND).or(keys::PLUGIN.of(over)).is_some();
                let merges = if is_slot { !names_one } else { is_of_option(entry) };
                (is_table(over) && merges).then_some(Layer::Parameters)
            }
            Layer::Parameters => (is_table(over) && is_of_option(entry)).then_some(self),
            Layer::Value(keys) => (keys > 1).then(|| Layer::Value(keys - 1)),
        }
    }
}

/// Returns whether [`put`] made the table of an entry on the way to the value of an option. All
/// keys of such a path have one origin, and the tables that of the value.
fn is_of_option(entry: &Entry) -> bool {
    let first = entry.value.entries().and_then(<[Entry]>::first);
    let is_key_of_path = |first: &Entry| first.key_origin == entry.key_origin;
    first.is_some_and(is_key_of_path) && entry.key_origin != entry.value.origin
}

/// Lays the entries of a table over a tree, behind the entries that only the tree has. A list takes
/// them in each of its items.
pub(super) fn lay(under: &mut Node, over: Node, layer: Layer) {
    if let Shape::List(items) = &mut under.shape {
        return items.iter_mut().for_each(|item| lay(item, over.clone(), layer));
    }
    make_table(under);
    let keeps_origins = matches!(layer, Layer::Value(_));
    if !keeps_origins {
        under.origin = over.origin;
    }
    let (Shape::Table(entries), Some(below)) = (over.shape, under.entries_mut()) else { return };
    for entry in entries {
        let Some(place) = below.iter().position(|one| one.key == entry.key) else {
            below.push(entry);
            continue;
        };
        let one = &mut below[place];
        if !keeps_origins {
            one.key_origin = entry.key_origin;
        }
        match layer.within(&entry, &one.value) {
            Some(within) => lay(&mut one.value, entry.value, within),
            None => one.value = entry.value,
        }
    }
}

/// Lays a value over a tree, at a path of at least one key.
pub(super) fn put(under: &mut Node, path: &[&str], key_origin: Origin, value: Node) {
    let origin = value.origin;
    let table = |below: Node, key: &&str| {
        let entry = Entry { key: (*key).to_owned(), key_origin, value: below };
        Node { shape: Shape::Table(vec![entry]), origin }
    };
    lay(under, path.iter().rev().fold(value, table), Layer::Value(path.len()));
}

/// Makes a value a table. A bare name becomes a table of that kind; any other value gives way to an
/// empty table.
fn make_table(node: &mut Node) {
    if matches!(node.shape, Shape::Table(_)) {
        return;
    }
    let value = std::mem::replace(node, Node::empty_table(node.origin));
    if let (Shape::Text(_), Some(entries)) = (&value.shape, node.entries_mut()) {
        entries.push(Entry { key: keys::KIND.to_owned(), key_origin: value.origin, value });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse::parse;
    use crate::config::source::Sources;

    /// Returns the trees of two texts, which are the sources 0 and 1.
    fn trees(under: &str, over: &str) -> [Node; 2] {
        let mut sources = Sources::default();
        [under, over].map(|text| {
            let source = sources.add("x.toml", text);
            parse(&sources, source, &mut Vec::new())
        })
    }

    fn laid(layer: Layer, under: &str, over: &str) -> String {
        let [mut under, over] = trees(under, over);
        lay(&mut under, over, layer);
        under.to_toml()
    }

    #[test]
    fn files_are_merged_table_by_table() {
        let under = "a = 1\nlist = [1, 2]\n[t]\nx = 1\ny = 2";
        let over = "list = [3]\nb = 2\n[t]\ny = 3\nz = 4";
        assert_eq!(
            laid(Layer::File, under, over),
            "{ a = 1, list = [3], t = { x = 1, y = 3, z = 4 }, b = 2 }"
        );
    }

    #[test]
    fn an_operator_set_changes_parameters_of_its_preset() {
        let under = "population = 10\nmutation = \"reset\"\nmix = { clone = 0.5, mutate = 0.5 }";
        for (over, expected) in [
            ("mutation.rate = 0.3", "mutation = { kind = \"reset\", rate = 0.3 }"),
            ("mutation.kind = \"swap\"", "mutation = { kind = \"swap\" }"),
            ("mutation.plugin = \"mine\"", "mutation = { plugin = \"mine\" }"),
            ("mutation = \"swap\"", "mutation = \"swap\""),
            ("mix.clone = 1.0", "mix = { clone = 1.0 }"),
        ] {
            let laid = laid(Layer::OperatorSet, under, over);
            assert!(laid.contains(expected) && laid.contains("population = 10"), "{over}: {laid}");
        }
    }

    #[test]
    fn a_value_replaces_all_at_its_path_and_no_place_above_it() {
        let [mut under, value] = trees("[[sets]]\nslot = \"a\"\n[[sets]]\n[sets.slot]\nx = 1", "");
        let before = under.get("sets").expect("a list").origin;
        let at = value.origin;
        put(&mut under, &["sets", "slot", "x"], at, Node { shape: Shape::Integer(2), origin: at });
        let sets = "[{ slot = { kind = \"a\", x = 2 } }, { slot = { x = 2 } }]";
        assert_eq!(under.to_toml(), format!("{{ sets = {sets} }}"));
        assert_eq!(under.get("sets").expect("a list").origin, before);
        put(&mut under, &["sets"], at, Node { shape: Shape::Boolean(true), origin: at });
        assert_eq!(under.to_toml(), "{ sets = true }");
        assert_eq!(under.get("sets").expect("a value").origin.source, 1);
    }
}
