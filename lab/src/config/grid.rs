//! The grid of a sweep: which combinations of values each operator set gets.

use super::axis::{Axis, Sweep, Table};
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// Index in a combination whose sweep does not have the axis, so that the file's own value holds.
pub(super) const ABSENT: usize = usize::MAX;

/// The index of a value for each axis.
pub(super) type Combination = Vec<usize>;

/// The combinations of every operator set, the last axis fastest; one without values where nothing
/// is swept.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    sets: Vec<Vec<Made>>,
    /// Place of the first arm of each set.
    starts: Vec<usize>,
    /// Arms that an earlier sweep of the file makes too, and that are left out for that.
    repeated: usize,
}

/// A combination, and the sweep that makes it.
#[derive(Clone, Debug)]
struct Made {
    combination: Combination,
    sweep: usize,
}

impl Grid {
    /// Returns the grid of operator sets with these names; `None` if it would have more than `most`
    /// arms.
    pub(super) fn of(sweep: &Sweep, names: &[&str], most: usize) -> Option<Self> {
        let (mut sets, mut arms, mut repeated) = (Vec::new(), 0, 0);
        for name in names {
            let (combinations, left_out) = of_set(sweep, name, most)?;
            arms += combinations.len();
            repeated += left_out;
            if arms > most {
                return None;
            }
            sets.push(combinations);
        }
        let mut grid = Grid { sets, starts: Vec::new(), repeated };
        grid.count_starts();
        Some(grid)
    }

    fn count_starts(&mut self) {
        let sizes = self.sets.iter().map(Vec::len);
        self.starts =
            sizes.scan(0, |end, size| Some(std::mem::replace(end, *end + size))).collect();
    }

    /// Leaves out each arm whose operator set and settings equal those of an arm of an earlier
    /// sweep of the file. `names` identifies the settings of each arm, by its place. Arms that one
    /// sweep makes twice stay. Returns whether each arm stays.
    pub(super) fn remove_repeated_arms<T: Eq + Hash>(&mut self, names: Vec<T>) -> Vec<bool> {
        let mut names = names.into_iter();
        let mut stay = Vec::new();
        for set in &mut self.sets {
            let mut sweeps: HashMap<T, Vec<usize>> = HashMap::new();
            set.retain(|made| {
                let Some(name) = names.next() else { return true };
                let known = sweeps.entry(name).or_default();
                let stays = known.is_empty() || known.contains(&made.sweep);
                known.push(made.sweep);
                stay.push(stays);
                stays
            });
        }
        self.repeated += stay.iter().filter(|stays| !**stays).count();
        self.count_starts();
        stay
    }

    /// Arms that several sweeps make, beyond the first time.
    pub(super) fn repeated(&self) -> usize {
        self.repeated
    }

    /// Arms of all sets.
    pub(super) fn count(&self) -> usize {
        self.sets.iter().map(Vec::len).sum()
    }

    /// Returns the combinations of a set, by its place.
    pub(super) fn of_set(&self, set: usize) -> impl Iterator<Item = &Combination> {
        self.sets[set].iter().map(|made| &made.combination)
    }

    /// Returns the set and the combination of the arm at a place; `None` if the grid has no such
    /// arm.
    pub(super) fn at(&self, place: usize) -> Option<(usize, &Combination)> {
        let set = self.starts.partition_point(|start| *start <= place).checked_sub(1)?;
        // Sets without combinations begin where the next one does.
        Some((set, &self.sets[set].get(place - self.starts[set])?.combination))
    }

    /// Returns the values of the axes of one table: of all sets, or of one.
    pub(super) fn parts(&self, axes: &[Axis], table: &'static str, set: Option<usize>) -> Parts {
        let own: Vec<bool> = axes.iter().map(|axis| axis.table() == table).collect();
        let mut parts = Parts { own, list: Vec::new(), index: HashMap::new() };
        let combinations = match set {
            Some(set) => &self.sets[set..=set],
            None => &self.sets[..],
        };
        for Made { combination, .. } in combinations.iter().flatten() {
            let part = parts.cut(combination);
            if !parts.index.contains_key(&part) {
                parts.index.insert(part.clone(), parts.list.len());
                parts.list.push(part);
            }
        }
        if combinations.is_empty() {
            // Without operator sets the other tables are looked at all the same.
            let part = parts.cut(&vec![ABSENT; axes.len()]);
            parts.list.push(part);
        }
        parts
    }
}

/// The parts of combinations that lie in one table: arms that differ in other tables alone share
/// one.
pub(super) struct Parts {
    own: Vec<bool>,
    /// Each once, in the order of the arms; the axes of other tables are absent.
    pub list: Vec<Combination>,
    index: HashMap<Combination, usize>,
}

impl Parts {
    fn cut(&self, combination: &[usize]) -> Combination {
        let own = combination.iter().zip(&self.own);
        own.map(|(value, own)| if *own { *value } else { ABSENT }).collect()
    }

    /// Returns the place of a combination's part in the list.
    pub(super) fn of(&self, combination: &[usize]) -> usize {
        self.index[&self.cut(combination)]
    }
}

/// Returns the combinations of one operator set: those of each sweep after the other, each once;
/// and how many were left out for that.
fn of_set(sweep: &Sweep, name: &str, most: usize) -> Option<(Vec<Made>, usize)> {
    let axes = sweep.axes.len();
    let mut all = Vec::new();
    for (place, table) in sweep.tables.iter().enumerate() {
        let combinations = of_table(sweep, table, name, most)?.into_iter();
        all.extend(combinations.map(|combination| Made { combination, sweep: place }));
        if all.len() > most {
            return None;
        }
    }
    // A sweep whose keys are of other sets has nothing for this one, unless no sweep has.
    let has_some = |made: &Made| made.combination.iter().any(|value| *value != ABSENT);
    if all.iter().any(has_some) {
        all.retain(has_some);
    }
    let before = all.len();
    if sweep.tables.len() > 1 {
        let mut seen = BTreeSet::new();
        all.retain(|made| seen.insert(made.combination.clone()));
    }
    if sweep.tables.is_empty() {
        all.push(Made { combination: vec![ABSENT; axes], sweep: 0 });
    }
    let left_out = before.saturating_sub(all.len());
    Some((all, left_out))
}

fn of_table(sweep: &Sweep, table: &Table, name: &str, most: usize) -> Option<Vec<Combination>> {
    let axis = |place: usize| &sweep.axes[place];
    let own = |place: usize| axis(place).set.as_deref() == Some(name);
    let mut entries: Vec<&(usize, Vec<usize>)> = table.axes.iter().collect();
    // A set's own axes replace those of all sets.
    let replaced = |place: usize| {
        let path = axis(place).path();
        table.axes.iter().any(|(other, _)| own(*other) && axis(*other).path() == path)
    };
    entries.retain(|(place, _)| own(*place) || axis(*place).set.is_none() && !replaced(*place));
    let slots = slots(&entries, &table.together);
    let lengths: Vec<usize> = slots
        .iter()
        .map(|slot| slot.iter().map(|(_, values)| values.len()).max().unwrap_or(1))
        .collect();
    let count = lengths.iter().try_fold(1_usize, |count, length| count.checked_mul(*length))?;
    if count > most {
        return None;
    }
    let nth = |mut number: usize| {
        let mut combination = vec![ABSENT; sweep.axes.len()];
        for (slot, length) in slots.iter().zip(&lengths).rev() {
            for (place, values) in slot {
                // One value goes together with any number of others.
                combination[*place] = values[(number % length).min(values.len() - 1)];
            }
            number /= length;
        }
        combination
    };
    let kept = |one: &Combination| !table.except.iter().any(|rule| rule.holds(one));
    // A set that has not all keys of a group may have the same of several of its rows.
    let mut seen = BTreeSet::new();
    let first = |one: &Combination| table.together.is_empty() || seen.insert(one.clone());
    Some((0..count).map(nth).filter(kept).filter(first).collect())
}

/// Returns the axes in groups that go together, in the order of the first of each.
pub(super) fn slots<'a>(
    entries: &[&'a (usize, Vec<usize>)],
    together: &[Vec<usize>],
) -> Vec<Vec<&'a (usize, Vec<usize>)>> {
    let mut slots: Vec<Vec<&(usize, Vec<usize>)>> = Vec::new();
    let mut groups: HashMap<usize, usize> = HashMap::new();
    for entry in entries {
        let group = together.iter().position(|group| group.contains(&entry.0));
        match group.and_then(|group| groups.get(&group).copied()) {
            Some(slot) => slots[slot].push(entry),
            None => {
                group.into_iter().for_each(|group| _ = groups.insert(group, slots.len()));
                slots.push(vec![entry]);
            }
        }
    }
    slots
}
