//! Rules beyond those of tables when a file is laid over another: keys of which a table has one,
//! and keys that the other file sweeps.

use super::diagnostic::Faults;
use super::keys::{self, Key};
use super::node::{Node, Shape};
use super::repeats;
use super::set_name::{of_one_set, set_names};
use super::source::Origin;
use super::sweep_tables::{is_rule, sweeps};
use super::swept_keys::operator_sets;

/// Tables with the keys of which each has one.
const ALTERNATIVES: [(&Key, &[&Key]); 2] = [
    (&keys::REPEATS, &repeats::RULES),
    (&keys::START, &[&keys::START_FILE, &keys::START_EXPERIMENT]),
];

/// Takes those keys out of a tree that one of `over` replaces, such as the stopping rule of
/// `repeats`.
pub(super) fn take_replaced(under: &mut Node, over: &Node) {
    for (table, names) in ALTERNATIVES {
        let own = table.of(over).filter(|own| names.iter().any(|key| key.of(own).is_some()));
        if let (Some(_), Some(below)) = (own, under.get_mut(table.name)) {
            names.iter().for_each(|key| _ = below.take(key.name));
        }
    }
}

/// Swept key of a file, and the value that a file over it gives the key.
pub(super) struct Lost {
    key: String,
    swept: Origin,
    value: Node,
}

/// Returns the values of `over` for keys that the tree below it sweeps, unless `over` sweeps them.
pub(super) fn lost(under: &Node, over: &Node) -> Vec<Lost> {
    if keys::SWEEP.of(over).is_some_and(|sweep| matches!(sweep.shape, Shape::List(_))) {
        return Vec::new();
    }
    let resweeps = |key: &str| sweeps(over).iter().any(|sweep| sweep.get(key).is_some());
    let mut found = Vec::new();
    for entry in sweeps(under).iter().filter_map(Node::entries).flatten() {
        if is_rule(&entry.key) || resweeps(&entry.key) {
            continue;
        }
        let lost = |value: &Node| Lost {
            key: entry.key.clone(),
            swept: entry.key_origin,
            value: value.clone(),
        };
        found.extend(values(over, &entry.key).into_iter().map(lost));
    }
    found
}

/// Returns the values that a tree has for a key of its problem, its stop rules or its operator
/// sets.
fn values<'a>(root: &'a Node, key: &str) -> Vec<&'a Node> {
    let walk = |node: &'a Node, path: &str| path.split('.').try_fold(node, |at, key| at.get(key));
    let Some(below) = key.strip_prefix("operators.") else {
        return walk(root, key).into_iter().collect();
    };
    let sets = operator_sets(root);
    match of_one_set(below, &set_names(sets)) {
        Some((place, rest)) => walk(&sets[place], rest).into_iter().collect(),
        None => sets.iter().filter_map(|set| walk(set, below)).collect(),
    }
}

/// Warns of values that a sweep of the whole tree replaces.
pub(super) fn warn(lost: Vec<Lost>, root: &Node, out: &mut Faults) {
    let mut swept = sweeps(root).iter().filter_map(Node::entries).flatten();
    let origins: Vec<Origin> = swept.by_ref().map(|entry| entry.key_origin).collect();
    for Lost { key, swept, value } in lost.into_iter().filter(|one| origins.contains(&one.swept)) {
        let text = value.to_toml();
        let warning = value.origin.warning(format!("`{key}` = {text} is not used"), "not used");
        let warning = warning.also(swept, "swept here").rule(
            "the values of a sweep replace that of the key, also where a file over it has the key",
        );
        out.push(warning.help(format!("write \"{key}\" = [{text}] in [sweep], or remove it")));
    }
}
