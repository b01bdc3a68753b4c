//! `sample`: a subset of a sweep's combinations, drawn by the seed of the experiment.

use super::axis::{Axis, Table};
use super::diagnostic::{Diagnostic, Faults};
use super::fields::{choice, given_count};
use super::grid::{ABSENT, slots};
use super::keys;
use super::node::Node;
use super::points::{Dimension, Fewer, Method, Points, choose};
use super::sobol::MOST_DIMENSIONS;
use super::source::Origin;
use super::spread::Spread;
use crate::random::draws::Random;
use std::collections::BTreeMap;

/// Sample that a sweep asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    count: usize,
    method: Method,
    /// Place of the count.
    origin: Origin,
}

/// Ranges without steps, by the places of their axes.
pub(super) type Spreads = BTreeMap<usize, Spread>;

/// Reads what a sweep asks for; `None` if it asks for all combinations, or wrongly.
pub(super) fn read(sweep: &Node, out: &mut Faults) -> Option<Sample> {
    let Some(node) = keys::SAMPLE.of(sweep) else {
        if let Some(method) = keys::METHOD.of(sweep) {
            let message = "`method` says how to choose a sample, and this sweep has none";
            let error = method.error(message, "without `sample`");
            out.push(error.help("add one, such as sample = 50, or remove `method`"));
        }
        return None;
    };
    let before = out.len();
    let method = match &*choice(sweep, &keys::METHOD, out) {
        "latin-hypercube" => Method::LatinHypercube,
        "sobol" => Method::Sobol,
        _ => Method::Random,
    };
    let count = given_count(sweep, &keys::SAMPLE, out);
    let count = usize::try_from(count?).ok().filter(|_| out.len() == before)?;
    Some(Sample { count, method, origin: node.origin })
}

/// Values that a sample gives an axis.
pub(super) enum Column {
    /// Places of values that the axis has.
    Places(Vec<usize>),
    /// Values of a range without steps.
    Values(Vec<Node>),
}

impl Sample {
    /// Chooses combinations of a table's values: for each axis of the table, by its place, a value
    /// of each combination. Also says in words what the sample is. `number` is the table's among
    /// all sweeps.
    pub(super) fn columns(
        self,
        (axes, table, spreads): (&[Axis], &Table, &Spreads),
        (seed, number): (u64, usize),
        out: &mut Faults,
    ) -> Option<(Vec<(usize, Column)>, String)> {
        let entries: Vec<&(usize, Vec<usize>)> = table.axes.iter().collect();
        let slots = slots(&entries, &table.together);
        if self.method == Method::Sobol && slots.len() > MOST_DIMENSIONS {
            return self.too_many_keys(slots.len()).to(out);
        }
        let most = |slot: &[&(usize, Vec<usize>)]| slot.iter().map(|(_, own)| own.len()).max();
        let dimension = |slot: &Vec<&(usize, Vec<usize>)>| {
            let spread = slot.first().and_then(|(axis, _)| spreads.get(axis));
            let values = most(slot).unwrap_or(1);
            spread.map_or(Dimension::Values(values), Dimension::Spread)
        };
        let dimensions: Vec<Dimension<'_>> = slots.iter().map(dimension).collect();
        let excepted = |row: &[usize]| {
            let mut combination = vec![ABSENT; axes.len()];
            for (slot, place) in slots.iter().zip(row) {
                for (axis, own) in slot.iter().filter(|(axis, _)| !spreads.contains_key(axis)) {
                    combination[*axis] = own[(*place).min(own.len() - 1)];
                }
            }
            table.except.iter().any(|rule| rule.holds(&combination))
        };
        let mut random = stream(seed, number);
        let chosen = choose(&dimensions, (self.count, self.method), &excepted, &mut random);
        let Points { rows, values, all, is_listed } = match chosen {
            Ok(points) => points,
            Err(fewer) => {
                return self.too_many(fewer).to(out);
            }
        };
        if rows.len() < self.count {
            out.push(self.fewer(rows.len()));
        }
        let mut columns = Vec::new();
        for (dimension, slot) in slots.iter().enumerate() {
            let places = || rows.iter().map(|row| row[dimension]);
            for (axis, own) in slot {
                // One value goes together with any number of others.
                let column = if spreads.contains_key(axis) {
                    Column::Values(places().map(|it| values[dimension][it].clone()).collect())
                } else {
                    Column::Places(places().map(|it| own[it.min(own.len() - 1)]).collect())
                };
                columns.push((*axis, column));
            }
        }
        // The number that `except` leaves is known only if all were listed.
        let all = all.filter(|_| is_listed || table.except.is_empty());
        Some((columns, self.words(all)))
    }

    fn words(&self, all: Option<u64>) -> String {
        let count = self.count;
        let of = all.map(|all| format!(" of {all}")).unwrap_or_default();
        match self.method {
            Method::Random => format!("a random sample of {count}{of} combinations"),
            Method::LatinHypercube => format!("a Latin hypercube of {count} points"),
            Method::Sobol => format!("{count} points of a Sobol sequence"),
        }
    }

    fn too_many(&self, fewer: Fewer) -> Diagnostic {
        let there = match fewer {
            Fewer::All(1) => "there is 1 combination".to_owned(),
            Fewer::All(all) => format!("there are {all} combinations"),
            Fewer::Found { combinations, draws } => {
                format!("{draws} draws have {combinations} combinations")
            }
        };
        let message = format!("`sample` = {}, but {there}", self.count);
        let error = self.origin.error(message, "more than there are");
        let error = error.rule("a sample has each combination once");
        error.help("lower it, or remove `sample` and `method` to run all combinations")
    }

    fn too_many_keys(&self, keys: usize) -> Diagnostic {
        let message = format!("a Sobol sample of {keys} keys");
        let error = self.origin.error(message, "too many keys");
        let error = error.rule(format!(
            "a Sobol sample has at most {MOST_DIMENSIONS} keys; keys that go together count as one"
        ));
        error.help("choose method = \"latin-hypercube\", or sweep fewer keys")
    }

    fn fewer(&self, there: usize) -> Diagnostic {
        let count = self.count;
        let message = format!("the sample of {count} points has {there} combinations");
        let label = format!("{} are repeated or left out", count - there);
        let error = self.origin.warning(message, label);
        let error = error.rule("points whose values are the same make one combination");
        error.help("give keys more values, or choose method = \"random\"")
    }
}

/// Returns the random numbers of a sample: a stream of the experiment's seed for each sweep.
fn stream(seed: u64, number: usize) -> Random {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"sample of a sweep");
    hasher.update(&seed.to_le_bytes()).update(&(number as u64).to_le_bytes());
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    Random::seed_from_u64(u64::from_le_bytes(bytes))
}
