//! Checks of differential evolution whose parameters adapt.

use super::{STOP, trials, trials_until};
use crate::certify::statistic::{Finding, chi_square, kolmogorov_smirnov, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::random::draws::unit;
use crate::search::algorithms::{Jade, LShade, Shade};
use crate::search::{Algorithm, Stop};
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::sync::Arc;

const JADE: Jade = Jade { population: 4, p: 0.5, learning_rate: 1.0, archive: 0.0 };
const SHADE: Shade = Shade { population: 4, p: 0.75, memory: 1, archive: 0.0 };
const L_SHADE: LShade = LShade { population: 4, p: 0.75, memory: 1, archive: 0.0 };

pub(super) fn checks() -> Vec<Check> {
    let jade = |archive| -> Arc<dyn Algorithm> { Arc::new(Jade { archive, ..JADE }) };
    let shade = || -> Arc<dyn Algorithm> { Arc::new(SHADE) };
    let l_shade = || -> Arc<dyn Algorithm> { Arc::new(L_SHADE) };
    let of = |operator, claim: &'static str, run: fn(&mut CheckContext<'_>) -> Finding| {
        check(Slot::Algorithm, operator, claim, run)
    };
    let first = "first children are those of current-to-pbest/1/bin, with F and CR around 0.5";
    let second = "F of the second generation is drawn around the mean that the first one gives";
    let archived = "replaced parents take part in differences as often as others";
    // Chance of each number of best individuals that a child chooses from.
    let two = [(2, 1.0)];
    let (two_or_three, three) = ([(2, 0.5), (3, 0.5)], [(3, 1.0)]);
    vec![
        check(Slot::Algorithm, "jade", first, move |context| {
            first_generation(context, jade(0.0), &two)
        }),
        check(Slot::Algorithm, "jade", second, move |context| {
            second_generation(context, jade(0.0), |_| 1.0)
        }),
        check(Slot::Algorithm, "jade", archived, move |context| archive(context, jade(1.0))),
        check(Slot::Algorithm, "shade", first, move |context| {
            first_generation(context, shade(), &two_or_three)
        }),
        check(Slot::Algorithm, "shade", second, move |context| {
            second_generation(context, shade(), |gain| gain)
        }),
        check(Slot::Algorithm, "l-shade", first, move |context| {
            first_generation(context, l_shade(), &three)
        }),
        check(Slot::Algorithm, "l-shade", second, move |context| {
            second_generation(context, l_shade(), |gain| gain)
        }),
        of("l-shade", "the population has the size of equation 10, and keeps its best", reduction),
    ]
}

/// Number of genes.
const LENGTH: usize = 4;

/// Returns four rows. The first is so far from the others that its children are better.
fn rows() -> Vec<Vec<f64>> {
    [
        [88.0, -90.0, 89.0, -91.0],
        [1.0, 2.25, -3.0, 0.5],
        [-2.5, 1.0, 1.75, -2.0],
        [3.0, -1.5, 2.0, 2.75],
    ]
    .map(|row| row.to_vec())
    .to_vec()
}

fn fitness(row: &[f64]) -> f64 {
    row.iter().map(|gene| gene * gene).sum()
}

/// Returns the rows, the best first.
fn sorted(rows: &[Vec<f64>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|one, other| fitness(&rows[*one]).total_cmp(&fitness(&rows[*other])));
    order
}

/// Direction in which a child leaves its parent, and whether it comes from the archive.
struct Direction {
    steps: Vec<f64>,
    chance: f64,
    archived: bool,
}

/// Returns every direction of the row's child, if it chooses from this number of best rows.
fn directions(row: usize, rows: &[Vec<f64>], archive: &[Vec<f64>], best: usize) -> Vec<Direction> {
    let mut all = Vec::new();
    let others: Vec<&Vec<f64>> = rows.iter().chain(archive).collect();
    for toward in sorted(rows).into_iter().take(best) {
        for plus in (0..rows.len()).filter(|plus| *plus != row) {
            for minus in (0..others.len()).filter(|minus| ![row, plus].contains(minus)) {
                let step = |gene: usize| {
                    rows[toward][gene] - rows[row][gene] + rows[plus][gene] - others[minus][gene]
                };
                all.push(Direction {
                    steps: (0..rows[row].len()).map(step).collect(),
                    chance: 1.0 / (best * (rows.len() - 1) * (others.len() - 2)) as f64,
                    archived: minus >= rows.len(),
                });
            }
        }
    }
    all
}

/// Returns the direction and the weight F that lead from a parent to its child. `None` if fewer
/// than two genes differ, so that several directions are possible.
fn found<'all>(
    parent: &[f64],
    child: &[f64],
    all: &'all [Direction],
) -> Option<(usize, &'all Direction, f64)> {
    let changed: Vec<usize> = (0..parent.len()).filter(|at| parent[*at] != child[*at]).collect();
    if changed.len() < 2 {
        return None;
    }
    let weight = |direction: &Direction, at: usize| (child[at] - parent[at]) / direction.steps[at];
    let fits = |direction: &Direction| {
        let first = weight(direction, changed[0]);
        (0.0..1.0 + 1e-9).contains(&first)
            && changed.iter().all(|at| (weight(direction, *at) - first).abs() < 1e-9)
    };
    let number = all.iter().position(fits)?;
    Some((number, &all[number], weight(&all[number], changed[0])))
}

/// Returns the probability that F is below `weight`, which is below 1, if it is drawn around
/// `centre`: Cauchy, without the part below 0.
fn below_weight(weight: f64, centre: f64) -> f64 {
    let cauchy = |weight: f64| ((weight - centre) / 0.1).atan() / PI + 0.5;
    (cauchy(weight) - cauchy(0.0)) / (1.0 - cauchy(0.0))
}

/// Upper ends of the classes of F; the last class is F = 1.
const CLASSES: [f64; 3] = [0.4, 0.6, 1.0 - 1e-9];

/// Counts how many genes of the first row's child are the mutant's, which one if it is one, its
/// direction, and F.
fn first_generation(
    context: &mut CheckContext<'_>,
    algorithm: Arc<dyn Algorithm>,
    best: &[(usize, f64)],
) -> Finding {
    let algorithm = context.subject.algorithm(algorithm);
    let (mut counts, rows) = (BTreeMap::new(), rows());
    let all: Vec<Direction> = best
        .iter()
        .flat_map(|(best, chance)| {
            directions(0, &rows, &[], *best)
                .into_iter()
                .map(move |one| Direction { chance: one.chance * chance, ..one })
        })
        .collect();
    let mask = |child: &[f64]| {
        let changed = |at: &usize| child[*at] != rows[0][*at];
        (0..LENGTH).filter(changed).fold(0, |mask: u8, at| mask | 1 << at)
    };
    trials(&fixtures::reals(LENGTH), &algorithm, &rows, 1, &mut context.random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        let child = &genes[4 * LENGTH..][..LENGTH];
        let outcome = match found(&rows[0], child, &all) {
            _ if mask(child).count_ones() < 2 => vec![mask(child)],
            Some((number, _, weight)) => {
                let class = CLASSES.iter().filter(|end| weight >= **end).count();
                vec![mask(child).count_ones() as u8, number as u8, class as u8]
            }
            None => vec![0],
        };
        *counts.entry(outcome).or_insert(0.0) += 1.0;
    });
    // Moments of CR, whose normal distribution around 0.5 leaves 0 to 1 with a probability of 6e-7.
    let mut moments = [1.0, 0.5, 0.0, 0.0];
    for k in 2..4 {
        moments[k] = 0.5 * moments[k - 1] + (k - 1) as f64 * 0.01 * moments[k - 2];
    }
    // Mean of CR^k (1 - CR)^(3 - k).
    let mean = |k: usize| match k {
        0 => 1.0 - 3.0 * moments[1] + 3.0 * moments[2] - moments[3],
        1 => moments[1] - 2.0 * moments[2] + moments[3],
        2 => moments[2] - moments[3],
        _ => moments[3],
    };
    let mut chances = Chances::new();
    for mask in 1..1u8 << LENGTH {
        let count = mask.count_ones() as usize;
        let chance = count as f64 / LENGTH as f64 * mean(count - 1);
        if count == 1 {
            chances.insert(vec![mask], chance);
            continue;
        }
        for direction in &all {
            // Several donors may have the same direction.
            let number = all.iter().position(|one| one.steps == direction.steps);
            let mut before = 0.0;
            for class in 0..=CLASSES.len() {
                let upto = CLASSES.get(class).map_or(1.0, |end| below_weight(*end, 0.5));
                let outcome = vec![count as u8, number.unwrap_or(0) as u8, class as u8];
                *chances.entry(outcome).or_insert(0.0) +=
                    chance * direction.chance * (upto - before);
                before = upto;
            }
        }
    }
    outcomes(&counts, &chances)
}

/// First generation as far as it can be reconstructed: its rows, the replaced parents, and F with
/// the improvement of each success.
struct Past {
    rows: Vec<Vec<f64>>,
    replaced: Vec<Vec<f64>>,
    successes: Vec<(f64, f64)>,
    /// First row after the second generation.
    child: Vec<f64>,
}

/// Weight F of the first row in the first generation, below which its next child is certainly
/// better.
const SURE: f64 = 0.75;

/// Calls `visit` for trials of two generations whose first can be reconstructed.
fn two_generations(
    context: &mut CheckContext<'_>,
    algorithm: Arc<dyn Algorithm>,
    mut visit: impl FnMut(Past),
) {
    let algorithm = context.subject.algorithm(algorithm);
    let start = rows();
    let all: Vec<Vec<Direction>> = (0..4).map(|row| directions(row, &start, &[], 3)).collect();
    trials(&fixtures::reals(LENGTH), &algorithm, &start, 2, &mut context.random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        let mut generations = genes.chunks(LENGTH).map(<[f64]>::to_vec).skip(4);
        let rows: Vec<Vec<f64>> = generations.by_ref().take(4).collect();
        let (mut replaced, mut successes) = (Vec::new(), Vec::new());
        for row in 0..4 {
            if rows[row] == start[row] {
                continue;
            }
            let Some((_, _, weight)) = found(&start[row], &rows[row], &all[row]) else { return };
            if row == 0 && weight >= SURE {
                return;
            }
            successes.push((weight, fitness(&start[row]) - fitness(&rows[row])));
            replaced.push(start[row].clone());
        }
        let Some(child) = generations.next() else { return };
        visit(Past { rows, replaced, successes, child });
    });
}

/// Tests F of the first row's child in the second generation. `share` gives the weight of a success
/// from its improvement.
fn second_generation(
    context: &mut CheckContext<'_>,
    algorithm: Arc<dyn Algorithm>,
    share: fn(f64) -> f64,
) -> Finding {
    let mut cases = Vec::new();
    two_generations(context, algorithm, |Past { rows, successes, child, .. }| {
        let all = directions(0, &rows, &[], 3);
        let Some((_, _, weight)) = found(&rows[0], &child, &all) else { return };
        let sum = |power: i32| -> f64 {
            successes.iter().map(|(weight, gain)| share(*gain) * weight.powi(power)).sum()
        };
        cases.push((weight, sum(2) / sum(1)));
    });
    let mut numbers: Vec<f64> = cases
        .into_iter()
        .map(|(weight, centre)| {
            let certain = below_weight(1.0, centre);
            match weight < 1.0 - 1e-9 {
                true => below_weight(weight, centre),
                // All weights above 1 become 1: any number of these.
                false => certain + unit(&mut context.random) * (1.0 - certain),
            }
        })
        .collect();
    let enough = numbers.len() > 5000;
    kolmogorov_smirnov(&mut numbers, |number| number).and(enough, "too few cases")
}

/// Weight F below which the first row's child is better, even if a replaced parent is subtracted.
const SMALL: f64 = 0.3;

/// Counts how often a replaced parent is subtracted in the second generation.
fn archive(context: &mut CheckContext<'_>, algorithm: Arc<dyn Algorithm>) -> Finding {
    let (mut counts, mut due) = ([0.0, 0.0], [0.0, 0.0]);
    two_generations(context, algorithm, |Past { rows, replaced, child, .. }| {
        let all = directions(0, &rows, &replaced, 2);
        let Some((_, direction, weight)) = found(&rows[0], &child, &all) else { return };
        if weight >= SMALL {
            return;
        }
        counts[usize::from(direction.archived)] += 1.0;
        let share = replaced.len() as f64 / (2 + replaced.len()) as f64;
        due = [due[0] + 1.0 - share, due[1] + share];
    });
    let enough = counts[0] + counts[1] > 300.0;
    chi_square(&counts, &due).and(enough, "too few cases")
}

/// Checks the number of rows after each generation of a trial with a budget.
fn reduction(context: &mut CheckContext<'_>) -> Finding {
    const FIRST: usize = 30;
    const BUDGET: u64 = 400;
    let algorithm = LShade { population: FIRST, memory: 6, archive: 2.6, p: 0.11 };
    let algorithm = context.subject.algorithm(Arc::new(algorithm));
    let (mut cases, mut breaches) = (0, 0);
    let stop = Stop { evaluations: Some(BUDGET), ..STOP };
    let problem = fixtures::reals(2);
    trials_until(&stop, 200, &problem, &algorithm, &[], &mut context.random, |result| {
        let mut generations: BTreeMap<u64, Vec<(u64, f64)>> = BTreeMap::new();
        for row in &result.trace {
            let rows = generations.entry(row.generation).or_default();
            rows.push((row.evaluations, row.best));
        }
        let mut before: Option<(u64, usize, f64)> = None;
        for rows in generations.values() {
            let evaluations = rows[0].0;
            let best = rows.iter().map(|row| row.1).fold(f64::INFINITY, f64::min);
            let due = match before {
                None => FIRST as f64,
                Some(_) => ((4.0 - FIRST as f64) / BUDGET as f64 * evaluations as f64
                    + FIRST as f64)
                    .round(),
            };
            let sound = before.is_none_or(|(earlier, count, least)| {
                evaluations - earlier == count as u64 && best <= least
            });
            cases += 1;
            breaches += u64::from(rows.len() as f64 != due || !sound);
            before = Some((evaluations, rows.len(), best));
        }
    });
    Finding::promise(cases, breaches).and(cases > 200, "no generations")
}
