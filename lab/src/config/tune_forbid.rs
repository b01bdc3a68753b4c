//! Rules that leave settings out: `forbid` of [tune].

use super::diagnostic::{Diagnostic, Faults};
use super::fields::wrong_type;
use super::keys;
use super::node::{Entry, Node, Shape};
use super::tune_condition::{Condition, Match, matches};
use super::tuned_key::{TunedKey, WrittenKey, names};

/// Returns the rules of `forbid`. Complains of values that no setting has.
pub(super) fn forbidden(tune: &Node, keys: &[WrittenKey], out: &mut Faults) -> Vec<Condition> {
    let definition = &keys::FORBID_TABLE;
    let Some(node) = keys::TUNE_FORBID.of(tune) else { return Vec::new() };
    let Shape::List(rules) = &node.shape else {
        let error = wrong_type(node, definition.name, "a list of tables");
        out.push(error.help(format!("write it as {}", definition.example)));
        return Vec::new();
    };
    let names = names(keys);
    let mut read = Vec::new();
    for rule in rules {
        let named = (definition.name, definition.example);
        let Some(condition) = Condition::read(rule, named, &names, out) else { continue };
        read.push(condition);
        for entry in rule.entries().unwrap_or_default() {
            let key = keys.iter().find(|one| one.name == entry.key);
            out.extend(key.and_then(|one| matches_none(entry, one.read.as_ref()?)));
        }
    }
    read
}

/// Returns the warning about a value that a tuned key never has, so that its rule holds for no
/// setting.
fn matches_none(entry: &Entry, key: &TunedKey) -> Option<Diagnostic> {
    let can = |wanted: &Match| match wanted {
        Match::Value(value) => key.coordinate(value).is_some(),
        Match::Between(low, high) => key.has_between(*low, *high),
    };
    let wanted = matches(&entry.value, &entry.key, &mut Vec::new());
    let never = wanted.iter().find(|one| !can(one));
    if never.is_none() && !wanted.is_empty() {
        return None;
    }
    let node = match never {
        Some(Match::Value(value)) => value,
        _ => &entry.value,
    };
    let message = format!("no setting has `{}` = {}", entry.key, node.to_toml());
    let warning = node.origin.warning(message, "forbids nothing");
    let warning = warning.rule(format!("[tune.keys] has its values: {}", key.shown()));
    Some(warning.help("name values that the key has, or remove this"))
}
