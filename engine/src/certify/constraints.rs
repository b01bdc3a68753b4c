//! Checks of constraint handling: who is chosen and who survives where genomes violate something,
//! against the rules of the sources, written out for two individuals.

use super::fixtures::bare;
use super::statistic::{Finding, chi_square};
use super::{Check, CheckContext, check};
use crate::operators::registry::Slot;
use crate::operators::{Constraints, Scaling, Selection};
use crate::random::draws::below;
use std::cmp::Ordering;

/// Fitness and violation; 0 if it is feasible.
pub type Row = (f64, f64);

/// Feasible ones with ties; others that have a better fitness, ties of violation, and one that is
/// hardly infeasible, as fit as a feasible one.
const ROWS: [Row; 12] = [
    (3.0, 0.0),
    (1.0, 2.5),
    (7.0, 0.0),
    (-4.0, 0.5),
    (2.0, 0.0),
    (2.0, 0.0),
    (9.0, 0.5),
    (5.0, 4.0),
    (0.0, 2.5),
    (6.0, 0.0),
    (-1.0, 8.0),
    (6.0, 0.125),
];
/// Fitness per unit of violation.
const FACTOR: f64 = 1.5;
/// From which a wheel subtracts: beyond all numbers here.
const WORST: f64 = 30.0;
/// Parents drawn at a time, and how many times.
const PARENTS: usize = 500;
const ROUNDS: usize = 400;
/// Populations whose survivors are looked at.
const CASES: u64 = 2_000;

/// Which of two is better: less.
type Rule = fn(Row, Row) -> Ordering;

pub(super) fn checks() -> Vec<Check> {
    let first = Constraints::FeasibilityFirst;
    let penalty = Constraints::Penalty { factor: FACTOR };
    let (of_penalty, of_ignored) = ("fitness + factor x violation", "fitness alone");
    let tournaments = |name, by: &str, constraints, rule: Rule| {
        let claim = format!("binary tournaments by {by}");
        check(Slot::Constraints, name, claim, move |context| {
            tournaments(context, constraints, rule)
        })
    };
    let survivors = |name, by: &str, constraints, rule: Rule| {
        let claim = format!("survivors of parents and children by {by}");
        check(Slot::Constraints, name, claim, move |context| survivors(context, constraints, rule))
    };
    let wheel = |name, by: &str, constraints, rows: fn() -> Vec<Row>, number: fn(Row) -> f64| {
        let claim = format!("roulette by {by}");
        check(Slot::Constraints, name, claim, move |context| {
            wheel(context, constraints, &rows(), number)
        })
    };
    let deb = "feasibility-first";
    let criteria = "the three criteria of Deb (2000)";
    vec![
        tournaments(deb, criteria, first, by_criteria),
        survivors(deb, criteria, first, by_criteria),
        wheel(deb, "the fitness of Deb (2000)", first, || ROWS.into(), of_deb),
        wheel(deb, "violation where nobody is feasible", first, infeasible, |(_, violation)| {
            violation
        }),
        tournaments("penalty", of_penalty, penalty, by_penalty),
        survivors("penalty", of_penalty, penalty, by_penalty),
        wheel("penalty", of_penalty, penalty, || ROWS.into(), penalised),
        tournaments("ignore", of_ignored, Constraints::Ignore, by_fitness),
        survivors("ignore", of_ignored, Constraints::Ignore, by_fitness),
    ]
}

/// Deb (2000): a feasible one is preferred to an infeasible one, of two feasible ones that with the
/// better objective, and of two infeasible ones that with the smaller violation.
fn by_criteria(one: Row, other: Row) -> Ordering {
    match (one.1 > 0.0, other.1 > 0.0) {
        (false, true) => Ordering::Less,
        (true, false) => Ordering::Greater,
        (false, false) => one.0.total_cmp(&other.0),
        (true, true) => one.1.total_cmp(&other.1),
    }
}

fn penalised((fitness, violation): Row) -> f64 {
    fitness + FACTOR * violation
}

fn by_penalty(one: Row, other: Row) -> Ordering {
    penalised(one).total_cmp(&penalised(other))
}

fn by_fitness(one: Row, other: Row) -> Ordering {
    one.0.total_cmp(&other.0)
}

/// Deb (2000): the objective of a feasible one; for any other, the objective of the worst feasible
/// one in the population, here 7, and its violation.
fn of_deb((fitness, violation): Row) -> f64 {
    if violation > 0.0 { 7.0 + violation } else { fitness }
}

fn infeasible() -> Vec<Row> {
    ROWS.into_iter().filter(|row| row.1 > 0.0).collect()
}

/// How often each of the rows becomes a parent, against its chance.
fn parents(
    context: &mut CheckContext<'_>,
    (selection, scaling): (Selection, Scaling),
    constraints: Constraints,
    rows: &[Row],
    chances: &[f64],
) -> Finding {
    let set = bare(selection, scaling);
    let (mut counts, mut parents) = (vec![0.0; rows.len()], vec![0; PARENTS]);
    for _ in 0..ROUNDS {
        let CheckContext { subject, random, .. } = context;
        subject.choose_constrained(&set, constraints, rows, random, &mut parents);
        parents.iter().for_each(|parent| counts[*parent as usize] += 1.0);
    }
    let all = (PARENTS * ROUNDS) as f64;
    chi_square(&counts, &chances.iter().map(|chance| chance * all).collect::<Vec<_>>())
}

/// The better of two that are drawn with replacement; either of equals.
fn tournaments(context: &mut CheckContext<'_>, constraints: Constraints, rule: Rule) -> Finding {
    let share = |row: &Row, other: &Row| match rule(*row, *other) {
        Ordering::Less => 2.0,
        Ordering::Equal => 1.0,
        Ordering::Greater => 0.0,
    };
    let all = (ROWS.len() * ROWS.len()) as f64;
    let chance = |row: &Row| ROWS.iter().map(|other| share(row, other)).sum::<f64>() / all;
    let chances: Vec<f64> = ROWS.iter().map(chance).collect();
    let selection = (Selection::Tournament { size: 2 }, Scaling::None);
    parents(context, selection, constraints, &ROWS, &chances)
}

/// Weights of what is left of `WORST`.
fn wheel(
    context: &mut CheckContext<'_>,
    constraints: Constraints,
    rows: &[Row],
    number: fn(Row) -> f64,
) -> Finding {
    let weights: Vec<f64> = rows.iter().map(|row| WORST - number(*row)).collect();
    let sum: f64 = weights.iter().sum();
    let chances: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    let selection = (Selection::Roulette, Scaling::Complement { worst: WORST });
    parents(context, selection, constraints, rows, &chances)
}

/// Nobody who is left out is better than one who survives.
fn survivors(context: &mut CheckContext<'_>, constraints: Constraints, rule: Rule) -> Finding {
    let breaches = (0..CASES).filter(|_| {
        let mut row = |_| {
            let fitness = below(&mut context.random, 9) as f64 - 4.0;
            let violation = below(&mut context.random, 6).saturating_sub(2) as f64;
            (fitness, 0.5 * violation)
        };
        let parents: Vec<Row> = (0..8).map(&mut row).collect();
        let children: Vec<Row> = (0..12).map(row).collect();
        let living =
            context.subject.survivors(constraints, &parents, &children, &mut context.random);
        let all = [parents, children].concat();
        let outside = |row: &usize| !living.contains(&(*row as u32));
        let better = |row: usize| {
            living.iter().any(|kept| rule(all[row], all[*kept as usize]) == Ordering::Less)
        };
        living.len() != 8 || (0..all.len()).filter(outside).any(better)
    });
    Finding::promise(CASES, breaches.count() as u64)
}
