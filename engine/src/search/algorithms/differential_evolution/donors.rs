//! Donors: the individuals that a mutant is made of.

use crate::operators::Order;
use crate::operators::values::Complaint;
use crate::random::draws::{Random, below};
use crate::search::population::Population;
use crate::search::ranking::Use;
use crate::search::trial::Trial;

/// Number of individuals that a child is made from: its parent and three others.
pub(super) const LEAST: usize = 4;

/// Checks that a population is large enough.
pub(super) fn require(population: usize) -> Result<(), Complaint> {
    if population >= LEAST {
        return Ok(());
    }
    Err(Complaint::new(
        format!(
            "differential evolution makes a child of its parent and three others, and the \
            population has {population}"
        ),
        format!("let `population` be at least {LEAST}"),
    ))
}

/// Draws different rows other than this one, each order with equal probability.
pub(super) fn others<const COUNT: usize>(
    row: usize,
    rows: usize,
    random: &mut Random,
) -> [usize; COUNT] {
    let mut drawn = [0; COUNT];
    for count in 0..COUNT {
        let mut taken = [row; LEAST];
        taken[1..=count].copy_from_slice(&drawn[..count]);
        drawn[count] = other_than(&mut taken[..=count], rows, random);
    }
    drawn
}

/// Draws one of `rows` rows that is not taken. The rows that are taken differ.
pub(super) fn other_than(taken: &mut [usize], rows: usize, random: &mut Random) -> usize {
    // Number of a row among the rows that are not taken.
    let mut drawn = below(random, rows - taken.len());
    taken.sort_unstable();
    for other in taken {
        drawn += usize::from(drawn >= *other);
    }
    drawn
}

/// Writes the `count` best rows of a population, the best first.
pub(super) fn find_best(
    count: usize,
    population: &Population<f64>,
    trial: &mut Trial<'_, f64>,
    order: &mut Order,
    best: &mut Vec<u32>,
) {
    let scores = trial.ranking.scores(Use::Order, population).iter().copied();
    best.clear();
    best.extend_from_slice(order.least(scores, count, 0, &mut trial.random));
}

/// Returns the number of the best rows that a share of the rows makes. At least two, as in the code
/// of Zhang and Sanderson.
pub(super) fn best_rows(share: f64, rows: usize) -> usize {
    ((share * rows as f64).round() as usize).max(2).min(rows)
}
