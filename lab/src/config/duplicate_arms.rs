//! Arms of equal settings, and the values that made them.

use super::diagnostic::{Faults, Refused};
use super::expand::Expanded;
use super::keys;
use super::source::Origin;
use crate::plan::DuplicateArms;
use std::collections::BTreeSet;

/// Complains of arms of equal settings, once for each pair of places that made them.
pub(super) fn refuse(
    config: &Expanded<'_>,
    first: &DuplicateArms,
    others: &[DuplicateArms],
    out: &mut Faults,
) -> Refused {
    let complaint = |arms: &DuplicateArms, (at, other, what): (Origin, Origin, &str)| {
        let (one, two) = (&arms.first_label, &arms.second_label);
        let message = format!("the arms `{one}` and `{two}` have the same settings");
        at.error(message, what)
            .also(other, "is equivalent to this")
            .rule("equal arms run equal trials: the second adds no information")
            .help("change or remove one of the two")
    };
    let places = origins(config, first);
    let refused = Refused::by(complaint(first, places), out);
    let mut seen = BTreeSet::from([(places.0, places.1)]);
    for arms in others {
        let places = origins(config, arms);
        if seen.insert((places.0, places.1)) {
            out.push(complaint(arms, places));
        }
    }
    refused
}

/// Complains of two arms with the same label.
pub(super) fn refuse_label(
    config: &Expanded<'_>,
    arms: &DuplicateArms,
    out: &mut Faults,
) -> Refused {
    let (at, other, what) = origins(config, arms);
    let error = at.error(format!("two arms are called `{}`", arms.second_label), what);
    let error = error
        .also(other, "makes an arm of this name, too")
        .rule("an arm is called by its operator set and its swept values")
        .help("give the operator set another name");
    Refused::by(error, out)
}

/// Returns the source of the second of two equal arms, the source of the first, and the kind of the
/// source. For baselines, the source is the key that asks for them.
fn origins(config: &Expanded<'_>, arms: &DuplicateArms) -> (Origin, Origin, &'static str) {
    let Expanded { root, sets, axes, grid, .. } = config;
    let Some(((first, one), (second, two))) = grid.at(arms.first).zip(grid.at(arms.second)) else {
        let asked = keys::BASELINE.of(root).map_or(root.origin, |node| node.origin);
        return (asked, asked, "this baseline");
    };
    let axis = (0..axes.len()).find(|axis| one[*axis] != two[*axis]).filter(|_| first == second);
    let Some(axis) = axis else {
        return (sets[second].origin, sets[first].origin, "this operator set");
    };
    let own = &axes[axis];
    let value = |value: usize| own.values.get(value).map_or(own.origin, |it| it.origin);
    (value(two[axis]), value(one[axis]), "this value")
}
