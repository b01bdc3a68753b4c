//! Checks of structured populations: islands, cellular grids, crowding and restricted tournaments.

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::{Chances, exchange};
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Crossover, CrossoverKind, Cut, Replacement, Scaling, Schedules, Selection};
use crate::problem::{Genome, fixtures};
use crate::search::algorithms::{
    Cells, Cellular, DeterministicCrowding, Emigrants, Islands, Migration, Update,
};
use crate::search::{Algorithm, Evolutionary};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn checks() -> Vec<Check> {
    let islands = |words: &str, emigrants, topology| {
        let claim = format!("after three generations, {words} have moved");
        check(Slot::Algorithm, "islands", claim, move |context| {
            islands(context, emigrants, topology)
        })
    };
    let cellular = |words: &str, neighborhood, update| {
        let claim = format!("the best spreads among {words} as in Alba and Dorronsoro (2008)");
        check(Slot::Algorithm, "cellular", claim, move |context| {
            cellular(context, neighborhood, update)
        })
    };
    vec![
        islands("the best along a ring", Emigrants::Best, Migration::Ring),
        islands("random ones to all others", Emigrants::Random, Migration::Complete),
        cellular("four neighbours at once", Cells::Linear5, Update::Synchronous),
        cellular("four neighbours row by row", Cells::Linear5, Update::LineSweep),
        cellular("eight neighbours at once", Cells::Compact9, Update::Synchronous),
        cellular("eight neighbours row by row", Cells::Compact9, Update::LineSweep),
        check(
            Slot::Algorithm,
            "deterministic-crowding",
            "children replace the parents they are like, as in Mahfoud (1992)",
            crowding,
        ),
        check(
            Slot::Replacement,
            "restricted-tournament",
            "children replace the nearest of random rows, as in Harik (1995)",
            restricted_tournament,
        ),
    ]
}

/// Counts the last generations of trials: the genes of all rows, as `key` writes them.
fn last_generations(
    context: &mut CheckContext<'_>,
    algorithm: Arc<dyn Algorithm>,
    start: &[Vec<u8>],
    generations: u64,
    key: impl Fn(&[u8]) -> Vec<u8>,
) -> BTreeMap<Vec<u8>, f64> {
    let algorithm = context.subject.algorithm(algorithm);
    let problem = fixtures::digits(start[0].len());
    let genes = start.len() * start[0].len();
    let start: Vec<Vec<f64>> =
        start.iter().map(|row| row.iter().copied().map(f64::from).collect()).collect();
    let mut counts = BTreeMap::new();
    trials(&problem, &algorithm, &start, generations, &mut context.random, |result| {
        let Some(Genome::U8(traced)) = result.traced_genes else { return };
        *counts.entry(key(&traced[traced.len() - genes..])).or_insert(0.0) += 1.0;
    });
    counts
}

/// Returns every outcome of a step from every state, with its probability.
fn step(states: Chances, outcomes_of: impl Fn(&[u8]) -> Chances) -> Chances {
    let mut next = Chances::new();
    for (state, chance) in states {
        for (outcome, part) in outcomes_of(&state) {
            *next.entry(outcome).or_insert(0.0) += chance * part;
        }
    }
    next
}

/// Operators whose children are copies of random parents.
const COPIES: Evolutionary = Evolutionary {
    population: 2,
    scaling: Scaling::Reciprocal,
    selection: Selection::Uniform,
    mix: None,
    crossover: None,
    mutation: None,
    replacement: Replacement::Generational,
    sharing: None,
    schedules: Schedules::NONE,
};

/// Number of islands.
const ISLANDS: usize = 3;
/// Number of individuals of an island.
const SIZE: usize = 3;
/// Generation of the only migration.
const EVERY: u64 = 2;

/// Returns the genes with those of each island in order.
fn sorted(genes: &[u8]) -> Vec<u8> {
    let mut genes = genes.to_vec();
    genes.chunks_mut(SIZE).for_each(<[u8]>::sort_unstable);
    genes
}

/// Counts islands after three generations of copies of random parents, with a migration after the
/// second.
fn islands(context: &mut CheckContext<'_>, emigrants: Emigrants, topology: Migration) -> Finding {
    let operators = Evolutionary { population: SIZE, ..COPIES };
    let algorithm =
        Islands { count: ISLANDS, every: EVERY, migrants: 1, emigrants, topology, operators };
    let start: Vec<Vec<u8>> = [0, 4, 6, 1, 5, 5, 2, 3, 7].map(|gene| vec![gene]).to_vec();
    let counts = last_generations(context, Arc::new(algorithm), &start, EVERY + 1, sorted);
    let mut states = Chances::from([(sorted(&start.concat()), 1.0)]);
    for generation in 1..=EVERY + 1 {
        for island in 0..ISLANDS {
            states = step(states, |state| copied(state, island));
        }
        if generation == EVERY {
            states = step(states, |state| migrated(state, emigrants, topology));
        }
    }
    outcomes(&counts, &states)
}

/// Returns the outcomes if the rows of an island become copies of random ones.
fn copied(state: &[u8], island: usize) -> Chances {
    let rows = &state[island * SIZE..][..SIZE];
    let mut all = Chances::new();
    for choice in 0..SIZE.pow(SIZE as u32) {
        let mut next = state.to_vec();
        for place in 0..SIZE {
            next[island * SIZE + place] = rows[choice / SIZE.pow(place as u32) % SIZE];
        }
        *all.entry(sorted(&next)).or_insert(0.0) += 1.0 / SIZE.pow(SIZE as u32) as f64;
    }
    all
}

/// Returns the outcomes of a migration. The rows of islands are in order, the best first.
fn migrated(state: &[u8], emigrants: Emigrants, topology: Migration) -> Chances {
    let choices = if emigrants == Emigrants::Best { 1 } else { SIZE };
    let mut all = Chances::new();
    for choice in 0..choices.pow(ISLANDS as u32) {
        let leaves =
            |island: usize| state[island * SIZE + choice / choices.pow(island as u32) % choices];
        let mut next = state.to_vec();
        for island in 0..ISLANDS {
            let origins = match topology {
                Migration::Ring => vec![(island + ISLANDS - 1) % ISLANDS],
                Migration::Complete => (0..ISLANDS).filter(|other| *other != island).collect(),
            };
            let worst = next[island * SIZE..][..SIZE].iter_mut().rev();
            worst.zip(origins).for_each(|(gene, origin)| *gene = leaves(origin));
        }
        *all.entry(sorted(&next)).or_insert(0.0) += 1.0 / choices.pow(ISLANDS as u32) as f64;
    }
    all
}

/// Columns and rows of the grid.
const GRID: (usize, usize) = (3, 4);
/// Cell of the best individual.
const FIRST: usize = 4;

/// Counts the cells that the best individual has reached after two generations of copies. The
/// others are equally good and of two kinds, so that a copy of one never takes a cell.
fn cellular(context: &mut CheckContext<'_>, neighborhood: Cells, update: Update) -> Finding {
    let cells = GRID.0 * GRID.1;
    let chosen = (Scaling::Reciprocal, Selection::Uniform);
    let algorithm =
        Cellular::new((cells, GRID.0), neighborhood, update, chosen, (None, None, None));
    let genome = |cell: usize| match cell {
        FIRST => vec![0, 0],
        _ if cell.is_multiple_of(2) => vec![1, 0],
        _ => vec![0, 1],
    };
    let start: Vec<Vec<u8>> = (0..cells).map(genome).collect();
    let counts = last_generations(context, Arc::new(algorithm), &start, 2, <[u8]>::to_vec);
    let mut states = Chances::from([(start.concat(), 1.0)]);
    for _ in 0..2 {
        // Each state with the grid that parents are chosen from.
        let mut pairs = states;
        pairs = step(pairs, |state| Chances::from([([state, state].concat(), 1.0)]));
        for cell in 0..cells {
            pairs = step(pairs, |pair| reached(pair, cell, neighborhood, update));
        }
        states = step(pairs, |pair| Chances::from([(pair[..pair.len() / 2].to_vec(), 1.0)]));
    }
    outcomes(&counts, &states)
}

/// Returns the outcomes of a cell's turn. A pair is the grid after the turns so far, and the grid
/// that parents are chosen from.
fn reached(pair: &[u8], cell: usize, neighborhood: Cells, update: Update) -> Chances {
    let (width, height) = GRID;
    let (row, column) = (cell / width, cell % width);
    let (up, down) = ((row + height - 1) % height, (row + 1) % height);
    let (left, right) = ((column + width - 1) % width, (column + 1) % width);
    let mut near = vec![(row, column), (up, column), (down, column), (row, left), (row, right)];
    if neighborhood == Cells::Compact9 {
        near.extend([(up, left), (up, right), (down, left), (down, right)]);
    }
    let source = &pair[pair.len() / 2..];
    let is_best = |at: &&(usize, usize)| source[(at.0 * width + at.1) * 2..][..2] == [0, 0];
    let chance = near.iter().filter(is_best).count() as f64 / near.len() as f64;
    let mut taken = pair.to_vec();
    taken[cell * 2..][..2].fill(0);
    if update == Update::LineSweep {
        taken[pair.len() / 2 + cell * 2..][..2].fill(0);
    }
    let mut all = Chances::from([(pair.to_vec(), 1.0 - chance)]);
    *all.entry(taken).or_insert(0.0) += chance;
    all.retain(|_, chance| *chance > 0.0);
    all
}

/// Counts the rows after one generation of one-point crossovers.
fn crowding(context: &mut CheckContext<'_>) -> Finding {
    const LENGTH: usize = 3;
    let rows: [[u8; LENGTH]; 4] = [[4, 1, 3], [2, 5, 3], [7, 0, 2], [1, 6, 6]];
    let kind = CrossoverKind::OnePoint { cut: Cut::Inner };
    let crossover = Crossover { kind, rate: 1.0, children: 2 };
    let algorithm = DeterministicCrowding::new(rows.len(), Some(crossover), None);
    let start = rows.map(|row| row.to_vec());
    let counts = last_generations(context, Arc::new(algorithm), &start, 1, <[u8]>::to_vec);
    let mut states = Chances::new();
    // Pairs and their order, by the partner of the first row: 24 orders are 8 per partner.
    for partner in 1..4 {
        let others: Vec<usize> = (1..4).filter(|row| *row != partner).collect();
        let pairs = [(0, partner), (others[0], others[1])];
        for cuts in 0..4usize {
            for turned in 0..4 {
                let mut next = rows;
                for (number, pair) in pairs.iter().enumerate() {
                    let (one, other) =
                        if turned >> number & 1 == 1 { (pair.1, pair.0) } else { *pair };
                    let cut = 1 + (cuts >> number & 1);
                    let compete = |next: &mut [[u8; LENGTH]; 4], row: usize, child: &[u8]| {
                        if child.iter().sum::<u8>() < rows[row].iter().sum() {
                            next[row].copy_from_slice(child);
                        }
                    };
                    let (a, b) = (&rows[one], &rows[other]);
                    let first = exchange(a, b, cut, LENGTH);
                    let second = exchange(b, a, cut, LENGTH);
                    if differing(a, &first) + differing(b, &second)
                        <= differing(a, &second) + differing(b, &first)
                    {
                        compete(&mut next, one, &first);
                        compete(&mut next, other, &second);
                    } else {
                        compete(&mut next, one, &second);
                        compete(&mut next, other, &first);
                    }
                }
                *states.entry(next.concat()).or_insert(0.0) += 1.0 / 48.0;
            }
        }
    }
    outcomes(&counts, &states)
}

/// Counts the rows after one generation of copies of random parents.
fn restricted_tournament(context: &mut CheckContext<'_>) -> Finding {
    const WINDOW: usize = 2;
    let rows = [[4, 1, 3], [4, 1, 5], [0, 0, 2]];
    let size = rows.len();
    let replacement = Replacement::RestrictedTournament { offspring: size, window: WINDOW };
    let algorithm = Evolutionary { population: size, replacement, ..COPIES };
    let start = rows.map(|row| row.to_vec());
    let counts = last_generations(context, Arc::new(algorithm), &start, 1, <[u8]>::to_vec);
    let mut states = Chances::new();
    for choice in 0..size.pow(size as u32) {
        let chance = 1.0 / size.pow(size as u32) as f64;
        let mut populations = Chances::from([(start.concat(), chance)]);
        for child in 0..size {
            let child = &rows[choice / size.pow(child as u32) % size];
            populations = step(populations, |population| {
                let mut all = Chances::new();
                for draws in 0..size.pow(WINDOW as u32) {
                    let row = |draw: usize| &population[draw * child.len()..][..child.len()];
                    let drawn = [draws % size, draws / size];
                    let nearest = drawn.into_iter().min_by_key(|at| differing(child, row(*at)));
                    let nearest = nearest.unwrap_or(0);
                    let mut next = population.to_vec();
                    if child.iter().sum::<u8>() < row(nearest).iter().sum() {
                        next[nearest * child.len()..][..child.len()].copy_from_slice(child);
                    }
                    *all.entry(next).or_insert(0.0) += 1.0 / size.pow(WINDOW as u32) as f64;
                }
                all
            });
        }
        for (population, chance) in populations {
            *states.entry(population).or_insert(0.0) += chance;
        }
    }
    outcomes(&counts, &states)
}

fn differing(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).filter(|(a, b)| a != b).count()
}
