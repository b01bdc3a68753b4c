//! Sharing: the table of an operator set by which individuals that are alike share their weights.

use super::diagnostic::Faults;
use super::fields::{given_number, is_meant, strict};
use super::keys;
use super::node::Node;
use crate::operators::Selection;
use crate::search::Sharing;

/// Reads the table. `None` if something is wrong with it, which is reported.
pub(super) fn read(node: &Node, out: &mut Faults) -> Option<Sharing> {
    let before = out.len();
    let entries = strict(node, &keys::SHARING_TABLE, out)?;
    let radius = given_number(node, &keys::RADIUS, out);
    let alpha = given_number(node, &keys::ALPHA, out);
    let names = keys::SHARING_TABLE.names();
    if keys::RADIUS.of(node).is_none() && !is_meant(entries, keys::RADIUS.name, &names) {
        let message = "this table `sharing` has no `radius`";
        let error = node.error(message, "in this table");
        let error = error.rule("individuals share their weights up to a distance");
        out.push(error.help(format!("write it as {}", keys::SHARING_TABLE.example)));
    }
    if out.len() > before { None } else { Some(Sharing { radius: radius?, alpha: alpha? }) }
}

/// Complains of sharing where the selection of the operator set `name` draws by no weights.
pub(super) fn suit(
    selection: Option<Selection>,
    name: &str,
    node: &Node,
    out: &mut Faults,
) -> Option<()> {
    if selection.is_some_and(Selection::uses_weights) {
        return Some(());
    }
    let message = format!("operator set `{name}` shares weights, and its selection has none");
    let error = node.error(message, "no weights to share");
    let error = error.rule("sharing divides the weights by which a selection draws");
    error.help("choose such a selection, \"roulette\" or \"sus\", with a scaling").to(out)
}
