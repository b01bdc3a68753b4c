//! Checks of replacements. Survivors are compared with a simple count of better and equal rows.
//! Equal rows must survive equally often. A search without guidance by fitness must cross a plateau
//! in the expected time.

use super::statistic::{Finding, chi_square, chi_square_tail};
use super::{Check, CheckContext, check};
use crate::operators::Ties;
use crate::operators::operator::Slot;
use crate::random::draws::{Random, below};

/// Number of populations per check.
const CASES: u64 = 2_000;
/// Number of draws per check.
const LOTS: u32 = 20_000;
/// Number of walks over the plateau.
const WALKS: u32 = 2_000;
/// Number of states of the plateau, which form a ring.
const RING: usize = 16;

pub(super) fn checks() -> Vec<Check> {
    let slot = Slot::Replacement;
    let both = [(Ties::Children, "children"), (Ties::Parents, "parents"), (Ties::Random, "random")];
    let mut checks = vec![
        check(slot, "elitism", "the best survive", |context| survivors(context, 20, 7, best)),
        check(slot, "elitism", "equals survive equally often", |context| lots(context, 3, best)),
        check(slot, "comma", "the best of the children", |context| {
            survivors(context, 30, 10, best)
        }),
        check(slot, "comma", "equals survive equally often", |context| lots(context, 5, best)),
    ];
    for (ties, word) in both {
        let claim = format!("the best of both, ties broken according to ties = \"{word}\"");
        checks.push(check(slot, "plus", claim, move |context| plus(context, ties)));
        let claim = format!("equals survive equally often with ties = \"{word}\"");
        checks.push(check(slot, "plus", claim, move |context| lots_of_both(context, ties)));
    }
    checks.push(check(
        slot,
        "plus",
        "(1+1) crosses a plateau as in Droste, Jansen and Wegener (2002)",
        plateau,
    ));
    checks.push(check(slot, "steady-state", "the worst are replaced", |context| {
        survivors(context, 20, 6, worst)
    }));
    checks.push(check(slot, "steady-state", "equals survive equally often", |context| {
        lots(context, 2, worst)
    }));
    checks
}

/// Function that draws rows of a population with this fitness.
type Draw = fn(&mut CheckContext<'_>, &[f64], usize) -> Vec<u32>;

fn best(context: &mut CheckContext<'_>, fitness: &[f64], count: usize) -> Vec<u32> {
    context.subject.best(fitness, count, &mut context.random)
}

/// Draws the worst rows of the negated fitness, which have the least fitness, as the best rows do.
fn worst(context: &mut CheckContext<'_>, fitness: &[f64], count: usize) -> Vec<u32> {
    let turned: Vec<f64> = fitness.iter().map(|value| -value).collect();
    context.subject.worst(&turned, count, &mut context.random)
}

/// Draws small integers as fitness, so that ties are frequent.
fn fitness(context: &mut CheckContext<'_>, size: usize) -> Vec<f64> {
    (0..size).map(|_| below(&mut context.random, 9) as f64).collect()
}

/// Returns whether `rows` are `count` different rows, and no excluded row comes before one of them.
fn are_least(rows: &[u32], count: usize, values: &[(f64, bool)]) -> bool {
    let mut inside = vec![false; values.len()];
    rows.iter().for_each(|row| inside[*row as usize] = true);
    let of = |wanted| {
        values
            .iter()
            .zip(&inside)
            .filter(move |(_, inside)| **inside == wanted)
            .map(|(value, _)| value)
    };
    let last = of(true).fold(None, |last: Option<&(f64, bool)>, value| match last {
        Some(last) if last >= value => Some(last),
        _ => Some(value),
    });
    of(true).count() == count
        && rows.len() == count
        && last.is_none_or(|last| of(false).all(|value| value >= last))
}

fn survivors(context: &mut CheckContext<'_>, size: usize, count: usize, draw: Draw) -> Finding {
    let breaches = (0..CASES).filter(|_| {
        let fitness = fitness(context, size);
        let values: Vec<(f64, bool)> = fitness.iter().map(|value| (*value, false)).collect();
        !are_least(&draw(context, &fitness, count), count, &values)
    });
    Finding::promise(CASES, breaches.count() as u64)
}

fn plus(context: &mut CheckContext<'_>, ties: Ties) -> Finding {
    let breaches = (0..CASES).filter(|_| {
        let (parents, children) = (fitness(context, 12), fitness(context, 18));
        let second = |child: bool| match ties {
            Ties::Children => !child,
            Ties::Parents => child,
            Ties::Random => false,
        };
        let values = parents.iter().map(|value| (*value, second(false)));
        let values: Vec<(f64, bool)> =
            values.chain(children.iter().map(|value| (*value, second(true)))).collect();
        let rows = context.subject.plus(&parents, &children, ties, &mut context.random);
        !are_least(&rows, 12, &values)
    });
    Finding::promise(CASES, breaches.count() as u64)
}

/// Tests that each of the rows `equal` is drawn equally often; `room` of them are drawn each time.
fn fair(equal: &[u32], room: usize, mut draw: impl FnMut() -> Vec<u32>) -> Finding {
    let mut counts = vec![0.0; equal.len()];
    // Only one of the rows drawn together is counted, so that counts are independent.
    let mut choice = Random::seed_from_u64(1);
    for _ in 0..LOTS {
        let drawn: Vec<usize> =
            draw().iter().filter_map(|row| equal.iter().position(|other| other == row)).collect();
        if drawn.len() == room {
            counts[drawn[below(&mut choice, room)]] += 1.0;
        }
    }
    let each = f64::from(LOTS) / equal.len() as f64;
    let drawn: f64 = counts.iter().sum();
    chi_square(&counts, &vec![each; equal.len()])
        .and(drawn == f64::from(LOTS), "other rows than the equal ones")
}

/// Tests two better rows, seven equal rows among them, and three worse rows; 2 + `room` are drawn.
fn lots(context: &mut CheckContext<'_>, room: usize, draw: Draw) -> Finding {
    let fitness = [5.0, 5.0, 1.0, 5.0, 8.0, 5.0, 8.0, 5.0, 0.0, 5.0, 8.0, 5.0];
    fair(&[0, 1, 3, 5, 7, 9, 11], room, || draw(context, &fitness, 2 + room))
}

/// Tests eight parents and six children. Five of these are better than the others, which are equal.
fn lots_of_both(context: &mut CheckContext<'_>, ties: Ties) -> Finding {
    let (parents, children) =
        ([3.0, 5.0, 5.0, 3.0, 5.0, 5.0, 5.0, 3.0], [5.0, 3.0, 5.0, 5.0, 5.0, 3.0]);
    let (of_parents, of_children) = ([1, 2, 4, 5, 6], [8, 10, 11, 12]);
    // Five are better, so three of the equal ones survive.
    let equal = match ties {
        Ties::Children => of_children.to_vec(),
        Ties::Parents => of_parents.to_vec(),
        Ties::Random => [&of_parents[..], &of_children].concat(),
    };
    fair(&equal, 3, || context.subject.plus(&parents, &children, ties, &mut context.random))
}

/// Tests walks on a ring of states that are equally good, except one good state. A walk starts at
/// the opposite state, and each child is a neighbour of its parent. The mean number of steps to the
/// good state is d(n - d) = 64, as for a fair gambler's ruin or win (Feller 1968, chapter XIV). The
/// variance is 2/3 d^2 (d^2 - 1). The mean over the walks is nearly normal.
fn plateau(context: &mut CheckContext<'_>) -> Finding {
    let mut steps = 0;
    for _ in 0..WALKS {
        let (mut state, limit) = (RING / 2, steps + 100 * RING * RING);
        while state != 0 && steps < limit {
            let child =
                (state + if below(&mut context.random, 2) == 0 { 1 } else { RING - 1 }) % RING;
            let value = |state: usize| f64::from(u8::from(state != 0));
            let living = context.subject.plus(
                &[value(state)],
                &[value(child)],
                Ties::Children,
                &mut context.random,
            );
            state = if living == [1] { child } else { state };
            steps += 1;
        }
    }
    let square = ((RING / 2) * (RING / 2)) as f64;
    let (mean, deviation) =
        (steps as f64 / f64::from(WALKS), (2.0 / 3.0 * square * (square - 1.0)).sqrt());
    let off = (mean - square) / (deviation / f64::from(WALKS).sqrt());
    let statistic = format!("{mean:.1} steps per walk in {WALKS} walks, {square} expected");
    Finding { statistic, p: Some(chi_square_tail(off * off, 1.0)), held: true }
}
