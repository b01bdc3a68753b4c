//! Values that no arm uses: those beside a sweep of their keys, and those of presets that no
//! operator set names. They are checked as far as each alone can be.

use super::axis::Axis;
use super::diagnostic::{Diagnostic, Faults};
use super::fields::{value, wrong_type};
use super::keys;
use super::node::Node;
use super::operator_plugins::OperatorPlugins;
use super::operator_set;
use super::presets::SetTable;
use super::source::Origin;
use super::stop;
use crate::operators::operator::Slot;
use crate::problem::Library;
use crate::problem::parameter::Kind;

/// Returns the places of the values of a table that sweeps replace, and of all that is in them.
fn replaced<'a>(axes: impl Iterator<Item = &'a Axis>, table: &Node) -> Vec<Origin> {
    let mut places = Vec::new();
    for axis in axes {
        let found = axis.path().into_iter().try_fold(table, |node, key| node.get(key));
        found.into_iter().for_each(|node| add_places(node, &mut places));
    }
    places
}

/// Adds the places of a value and of all that is in it. A table of dotted keys does not span them.
fn add_places(node: &Node, places: &mut Vec<Origin>) {
    places.push(node.origin);
    node.entries().into_iter().flatten().for_each(|entry| add_places(&entry.value, places));
}

/// Adds the faults that lie in one of these places. What else is wrong is said of the arms.
fn add_within(places: &[Origin], found: Faults, out: &mut Faults) {
    let lies_in = |place: &Origin, at: Origin| {
        at.source == place.source && place.start <= at.start && at.end <= place.end
    };
    let within = |one: &Diagnostic| {
        one.origin.is_some_and(|at| places.iter().any(|place| lies_in(place, at))) && !one.absence
    };
    out.extend(found.into_iter().filter(within));
}

/// Complains of parameters of [problem] beside a sweep of them. A file is not read.
pub(super) fn check_problem(axes: &[Axis], table: &Node, library: &Library, out: &mut Faults) {
    for axis in axes.iter().filter(|axis| axis.table() == keys::PROBLEM.name) {
        let [name] = axis.path()[..] else { continue };
        let parameter = library.parameters().iter().find(|parameter| parameter.key == name);
        let Some((parameter, node)) = parameter.zip(table.get(name)) else { continue };
        if parameter.kind != Kind::File {
            _ = value(node, name, &parameter.kind, out);
        } else if node.as_text().is_none() {
            out.push(wrong_type(node, name, &parameter.kind.to_string()));
        }
    }
}

/// Complains of keys of [stop] beside a sweep of them.
pub(super) fn check_stop(axes: &[Axis], table: &Node, endless: bool, out: &mut Faults) {
    let places = replaced(axes.iter().filter(|axis| axis.table() == keys::STOP.name), table);
    if !places.is_empty() {
        let mut found = Vec::new();
        _ = stop::read(table, endless, &mut found);
        add_within(&places, found, out);
    }
}

/// Complains of keys of an operator set beside a sweep of them.
pub(super) fn check_set(
    axes: &[Axis],
    set: &SetTable,
    plugins: &mut OperatorPlugins<'_>,
    out: &mut Faults,
) {
    let own = |axis: &&Axis| axis.table() == keys::OPERATORS.name && axis.is_of(&set.name);
    let places = replaced(axes.iter().filter(own), &set.node);
    check_values(&set.name, &set.node, &places, plugins, out);
}

/// Complains of values of presets that no operator set uses.
pub(super) fn check_presets(
    unused: &[SetTable],
    plugins: &mut OperatorPlugins<'_>,
    out: &mut Faults,
) {
    for preset in unused {
        let entries = preset.node.entries().unwrap_or_default();
        let mut places = Vec::new();
        entries.iter().for_each(|entry| add_places(&entry.value, &mut places));
        check_values(&preset.name, &preset.node, &places, plugins, out);
    }
}

/// Complains of values of a table of an operator set. Plugins of operators are not loaded.
fn check_values(
    name: &str,
    table: &Node,
    places: &[Origin],
    plugins: &mut OperatorPlugins<'_>,
    out: &mut Faults,
) {
    if places.is_empty() {
        return;
    }
    let mut table = table.clone();
    for slot in Slot::ALL.map(Slot::as_str) {
        if table.get(slot).is_some_and(|node| keys::PLUGIN.of(node).is_some()) {
            _ = table.take(slot);
        }
    }
    let mut found = Vec::new();
    operator_set::read(name, &table, plugins, &mut found);
    add_within(places, found, out);
}
