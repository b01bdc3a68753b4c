//! Settings that a tuning begins with, next to those of its file: `initial` of [tune].

use super::diagnostic::Faults;
use super::fields::{table, wrong_type};
use super::keys;
use super::node::{Node, Shape};
use super::source::Origin;
use super::tuned_key::WrittenKey;
use crate::tune::{Coordinate, Point};
use std::collections::BTreeSet;

/// Returns the settings with their places in the file.
pub(super) fn initial(tune: &Node, keys: &[WrittenKey], out: &mut Faults) -> Vec<(Point, Origin)> {
    let definition = &keys::INITIAL_TABLE;
    let Some(node) = keys::TUNE_INITIAL.of(tune) else { return Vec::new() };
    let Shape::List(settings) = &node.shape else {
        let error = wrong_type(node, definition.name, "a list of tables");
        out.push(error.help(format!("write it as {}", definition.example)));
        return Vec::new();
    };
    let mut point = |one| Some((point(one, keys, out)?, one.origin));
    settings.iter().filter_map(&mut point).collect()
}

/// Returns the coordinates of a setting: it has a value for each tuned key whose condition holds,
/// and no others.
fn point(node: &Node, keys: &[WrittenKey], out: &mut Faults) -> Option<Point> {
    let definition = &keys::INITIAL_TABLE;
    let entries = table(node, definition.name, definition.example, out)?;
    let before = out.len();
    for entry in entries.iter().filter(|entry| keys.iter().all(|one| one.name != entry.key)) {
        let message = format!("`initial` names `{}`, which is no tuned key", entry.key);
        let error = entry.key_origin.error(message, "not a tuned key");
        let names = keys.iter().map(|one| one.name.as_str());
        out.push(error.help_nearest(&entry.key, names, "remove it, or add it to [tune.keys]"));
    }
    let mut point: Vec<Option<Coordinate>> = Vec::new();
    // Keys without a coordinate that should have one: nothing is said of what depends on them.
    let mut wrong: BTreeSet<usize> = BTreeSet::new();
    for (place, WrittenKey { name, read, .. }) in keys.iter().enumerate() {
        let entry = entries.iter().find(|entry| entry.key == *name);
        let when = read.as_ref().and_then(|key| key.when.as_ref());
        let unsure = when.is_some_and(|when| when.keys().any(|at| wrong.contains(&at)));
        let Some(key) = read.as_ref().filter(|_| !unsure) else {
            wrong.insert(place);
            point.push(None);
            continue;
        };
        let value = |at: usize| keys[at].read.as_ref()?.value(point[at]?);
        let has = when.is_none_or(|when| when.holds(value));
        let coordinate = entry.and_then(|entry| key.coordinate(&entry.value));
        if has && coordinate.is_none() {
            wrong.insert(place);
        }
        match entry {
            None if has => {
                let message = format!("a setting of `initial` has no `{name}`");
                let error = node.error(message, "incomplete");
                let error = error.rule("a setting has a value for each tuned key");
                out.push(error.help(format!("add \"{name}\" with a value")));
            }
            Some(entry) if !has => {
                let message = format!("a setting of `initial` has `{name}`");
                let error = entry.key_origin.error(message, "its `when` does not hold");
                out.push(error.help("remove it"));
            }
            Some(entry) if coordinate.is_none() => {
                let message =
                    format!("`{name}` = {} is not one of its values", entry.value.to_toml());
                let error = entry.value.error(message, "outside");
                let error =
                    error.rule("[tune.keys] has its values; decimals have at most 6 digits");
                out.push(error.help("correct the value, or widen the range"));
            }
            _ => {}
        }
        point.push(coordinate.filter(|_| has));
    }
    (out.len() == before).then_some(point)
}
