//! Expansion, the second pass: a sweep turns one tree into the trees of every arm.

use super::axis::{Axis, Sweep};
use super::diagnostic::{Diagnostic, Faults, Refused};
use super::grid::{ABSENT, Combination, Grid, Parts};
use super::keys::{self, Key};
use super::layer;
use super::node::Node;
use super::overlay::Overlaid;
use super::presets::SetTable;
use super::source::Origin;
use super::stop;
use super::sweep;
use crate::plan::MOST_ARMS;
use crate::problem::Library;
use crate::words::{count, counted};

/// A tree and its sweep: every combination for the first operator set, then for the second, and so
/// on.
#[derive(Debug)]
pub(super) struct Expanded<'a> {
    pub root: &'a Node,
    pub sets: &'a [SetTable],
    /// Presets of the file that no operator set uses.
    pub unused_presets: &'a [SetTable],
    /// Whether the file extends others.
    pub extends: bool,
    /// Whether it is the experiment that a tuning begins with.
    pub tunes: bool,
    pub axes: Vec<Axis>,
    pub grid: Grid,
    /// Whether there are several tables [[sweep]].
    pub several: bool,
    /// Samples that sweeps take of their combinations, in words.
    pub samples: Vec<String>,
}

/// Expands the sweep of a tree. `library` is the problem's plugin, if it could be loaded; samples
/// are drawn by `seed`.
pub(super) fn expand<'a>(
    Overlaid { root, sets, unused_presets, extends, tunes, .. }: &'a Overlaid,
    library: Option<&Library>,
    seed: u64,
    out: &mut Faults,
) -> Result<Expanded<'a>, Refused> {
    let sweep = sweep::read(root, library, seed, out);
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    let grid = Grid::of(&sweep, &names, MOST_ARMS).filter(|_| sets.len() <= MOST_ARMS);
    let Some(grid) = grid else {
        return Err(Refused::by(too_many(&sweep.axes, sets.len(), root), out));
    };
    if grid.count() == 0 && !sets.is_empty() {
        return Err(Refused::by(nothing_left(root), out));
    }
    stop::swept_budget(root, &sweep.axes, out);
    let several = sweep.tables.len() > 1;
    let Sweep { axes, samples, .. } = sweep;
    Ok(Expanded {
        root,
        sets,
        unused_presets,
        extends: *extends,
        tunes: *tunes,
        axes,
        grid,
        several,
        samples,
    })
}

impl Expanded<'_> {
    /// Returns the trees of one table: of all operator sets, or of the one at a place.
    pub(super) fn trees<'a>(
        &'a self,
        table: &'static str,
        node: &'a Node,
        set: Option<usize>,
    ) -> Trees<'a> {
        Trees { axes: &self.axes, table, node, parts: self.parts(table, set) }
    }

    /// Returns the parts of combinations that lie in one table.
    pub(super) fn parts(&self, table: &'static str, set: Option<usize>) -> Parts {
        self.grid.parts(&self.axes, table, set)
    }

    /// Returns the operator set of the arm at a place.
    pub(super) fn set(&self, place: usize) -> Option<&SetTable> {
        self.sets.get(self.grid.at(place)?.0)
    }

    /// Returns the source span of the value of a key of [stop], for the arm at a place. The value
    /// is in the sweep, or in the key's table.
    pub(super) fn origin_in_stop(&self, key: &Key, place: usize) -> Option<Origin> {
        let path = format!("stop.{}", key.name);
        let (_, combination) = self.grid.at(place)?;
        let swept = self.axes.iter().position(|axis| axis.key == path);
        match swept.filter(|axis| combination[*axis] != ABSENT) {
            Some(axis) => Some(self.axes[axis].values[combination[axis]].origin),
            None => Some(key.of(keys::STOP.of(self.root)?)?.origin),
        }
    }

    /// Returns whether a sweep gives a key values, or a table around it.
    pub(super) fn is_swept(&self, path: &str) -> bool {
        let covers =
            |axis: &Axis| path == axis.path || path.starts_with(&format!("{}.", axis.path));
        self.axes.iter().any(covers)
    }
}

/// The trees of one table. Arms that differ in other tables alone share one.
pub(super) struct Trees<'a> {
    axes: &'a [Axis],
    table: &'static str,
    node: &'a Node,
    parts: Parts,
}

impl Trees<'_> {
    /// Returns each tree once, in the order of the arms.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Node> {
        self.parts.list.iter().map(|combination| self.tree(combination))
    }

    /// Returns the place of a combination's tree.
    pub(super) fn of(&self, combination: &[usize]) -> usize {
        self.parts.of(combination)
    }

    /// Returns a copy of the table with the swept values laid over it. The shorter path goes first:
    /// a whole slot, then a parameter of it.
    fn tree(&self, combination: &Combination) -> Node {
        let mut tree = self.node.clone();
        let mut own: Vec<(&Axis, usize)> =
            self.axes.iter().zip(combination.iter().copied()).collect();
        own.retain(|(axis, value)| axis.table() == self.table && *value != ABSENT);
        own.sort_by_key(|(axis, _)| axis.path().len());
        for (axis, value) in own {
            layer::put(&mut tree, &axis.path(), axis.origin, axis.values[value].clone());
        }
        tree
    }
}

/// Maximum number of swept keys that a message lists.
const MOST_NAMED: usize = 8;

fn too_many(axes: &[Axis], sets: usize, root: &Node) -> Diagnostic {
    let mut counts: Vec<String> = axes
        .iter()
        .take(MOST_NAMED)
        .map(|axis| format!("{} of `{}`", count(axis.values.len() as u64), axis.key))
        .collect();
    if axes.len() > MOST_NAMED {
        counts.push(format!("those of {} more keys", axes.len() - MOST_NAMED));
    }
    // `except` and values swept together make fewer.
    let most = axes.iter().try_fold(sets, |arms, axis| arms.checked_mul(axis.values.len()));
    let beyond = match most {
        Some(most) if most > MOST_ARMS => {
            format!(
                "up to {}, {} beyond the limit",
                count(most as u64),
                count((most - MOST_ARMS) as u64)
            )
        }
        _ => "that is the limit".to_owned(),
    };
    let at = root.get("sweep").map_or(root.origin, |sweep| sweep.origin);
    at.error(
        format!("this experiment has more than {} arms: {beyond}", count(MOST_ARMS as u64)),
        "every combination makes an arm",
    )
    .rule(match counts.is_empty() {
        true => format!("the operator sets alone: {}", count(sets as u64)),
        false => format!(
            "{}, times the values: {}",
            counted(sets as u64, "operator set"),
            counts.join(", ")
        ),
    })
    .help("list fewer values, or write several experiments")
}

/// Returns the diagnostic of a sweep that leaves out every combination.
fn nothing_left(root: &Node) -> Diagnostic {
    let at = root.get("sweep").map_or(root.origin, |sweep| sweep.origin);
    let error = at.error("this experiment has no arms", "`except` leaves all out");
    error.rule("every combination of values makes an arm").help("leave out fewer")
}
