//! Checks of replacements: who survives, against a plain sort.

use super::statistic::Finding;
use super::{Bench, Check, check};
use crate::operators::random::below;
use crate::operators::registry::Slot;

/// Populations of each check.
const CASES: u64 = 2_000;

pub fn checks() -> Vec<Check> {
    let slot = Slot::Replacement;
    vec![
        check(slot, "elitism", "the best live on, of equals the earlier", |bench| best(bench, 20, 7)),
        check(slot, "comma", "the best of the children, of equals the earlier", |bench| best(bench, 30, 10)),
        check(slot, "plus", "the best of both, parents first among equals", plus),
        check(slot, "steady-state", "the worst give way, of equals the later", worst),
    ]
}

/// Small whole numbers: ties abound.
fn fitness(bench: &mut Bench<'_>, size: usize) -> Vec<f64> {
    (0..size).map(|_| below(&mut bench.random, 9) as f64).collect()
}

/// Rows in a stable order of their values.
fn sorted(values: &[f64]) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..values.len() as u32).collect();
    rows.sort_by(|a, b| values[*a as usize].total_cmp(&values[*b as usize]));
    rows
}

fn best(bench: &mut Bench<'_>, size: usize, count: usize) -> Finding {
    let breaches = (0..CASES).filter(|_| {
        let fitness = fitness(bench, size);
        bench.subject.best(&fitness, count) != sorted(&fitness)[..count]
    });
    Finding::promise(CASES, breaches.count() as u64)
}

fn worst(bench: &mut Bench<'_>) -> Finding {
    let breaches = (0..CASES).filter(|_| {
        let fitness = fitness(bench, 20);
        let mut due = sorted(&fitness);
        due.reverse();
        bench.subject.worst(&fitness, 6) != due[..6]
    });
    Finding::promise(CASES, breaches.count() as u64)
}

fn plus(bench: &mut Bench<'_>) -> Finding {
    let breaches = (0..CASES).filter(|_| {
        let (parents, children) = (fitness(bench, 12), fitness(bench, 18));
        bench.subject.plus(&parents, &children) != sorted(&[parents.clone(), children.clone()].concat())[..12]
    });
    Finding::promise(CASES, breaches.count() as u64)
}
