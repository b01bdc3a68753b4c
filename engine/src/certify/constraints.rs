//! Checks of constraint handling: selection and survival when genomes have violations. The rules of
//! the sources are written out for two individuals.

use super::fixtures::bare;
use super::statistic::{Finding, chi_square};
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Constraints, Scaling, Selection};
use crate::random::draws::below;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Fitness and violation; the violation is 0 if the row is feasible.
pub type Row = (f64, f64);

/// Feasible rows with ties, and infeasible rows. Some infeasible rows have better fitness, and some
/// have equal violations. One is nearly feasible, and as fit as a feasible row.
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
/// Fitness with weight 0 on the wheel; greater than all numbers here.
const WORST: f64 = 30.0;
/// Number of parents drawn at a time.
const PARENTS: usize = 500;
/// Number of draws of [`PARENTS`] parents.
const ROUNDS: usize = 400;
/// Number of populations whose survivors are checked.
const CASES: u64 = 2_000;

/// Comparison of two rows; the better one is less.
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

/// Compares by the criteria of Deb (2000). A feasible row is preferred to an infeasible one. Of two
/// feasible rows, the one with the better objective is preferred. Of two infeasible rows, the one
/// with the smaller violation is preferred.
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

/// Returns the fitness of Deb (2000). For a feasible row this is the objective. For any other row
/// it is the objective of the worst feasible row in the population, here 7, plus the violation.
fn of_deb((fitness, violation): Row) -> f64 {
    if violation > 0.0 { 7.0 + violation } else { fitness }
}

fn infeasible() -> Vec<Row> {
    ROWS.into_iter().filter(|row| row.1 > 0.0).collect()
}

/// Tests the frequency of each row as a parent against its probability.
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

/// Tests binary tournaments: the better of two rows drawn with replacement wins, and ties are
/// random.
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

/// Tests roulette with weights `WORST` minus the number of a row.
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

/// Checks that no excluded row is better than a survivor.
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
        let distinct: BTreeSet<&u32> = living.iter().collect();
        living.len() != 8 || distinct.len() != 8 || (0..all.len()).filter(outside).any(better)
    });
    Finding::promise(CASES, breaches.count() as u64)
}
