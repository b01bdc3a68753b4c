//! Checks of estimation-of-distribution algorithms: their first generations against every
//! outcome that the definitions allow.

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::Algorithm;
use crate::search::algorithms::{Cga, Pbil, Umda};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn checks() -> Vec<Check> {
    let of = |name, claim: &'static str, run: fn(&mut CheckContext<'_>) -> Finding| {
        check(Slot::Algorithm, name, claim, run)
    };
    vec![
        of("umda", "two generations have the marginals of Mühlenbein (1997), with margins", umda),
        of("pbil", "two generations learn, unlearn and mutate as in Baluja (1994)", pbil),
        of("cga", "three generations step as in Harik, Lobo and Goldberg (1999), and end", cga),
    ]
}

/// Probabilities of the bits, as the bits of numbers, so that they can be keys.
type Model = Vec<u64>;
/// Models with their probabilities.
type Models = BTreeMap<Model, f64>;

fn model(probabilities: impl IntoIterator<Item = f64>) -> Model {
    // Probabilities that differ only by rounding are the same.
    probabilities.into_iter().map(|p| ((p * 1e12).round() / 1e12).to_bits()).collect()
}

/// Returns every way to sample this number of strings, with its probability.
fn samples(model: &Model, rows: usize) -> Vec<(Vec<u8>, f64)> {
    let length = model.len();
    let all = 0..1usize << (rows * length);
    let sample = |mask: usize| {
        let genes: Vec<u8> = (0..rows * length).map(|at| (mask >> at & 1) as u8).collect();
        let chance = genes.iter().enumerate().map(|(at, gene)| {
            let p = f64::from_bits(model[at % length]);
            if *gene == 1 { p } else { 1.0 - p }
        });
        let chance = chance.product();
        (genes, chance)
    };
    all.map(sample).filter(|(_, chance)| *chance > 0.0).collect()
}

fn sum(row: &[u8]) -> u8 {
    row.iter().sum()
}

/// Counts the last `genes` genes of trials of this number of generations.
fn counted(
    context: &mut CheckContext<'_>,
    algorithm: Arc<dyn Algorithm>,
    start: &[Vec<f64>],
    generations: u64,
    visit: impl Fn(&[u8]) -> Vec<u8>,
) -> BTreeMap<Vec<u8>, f64> {
    let mut counts = BTreeMap::new();
    let algorithm = context.subject.algorithm(algorithm);
    let problem = fixtures::bits(start[0].len());
    trials(&problem, &algorithm, start, generations, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        *counts.entry(visit(&genes)).or_insert(0.0) += 1.0;
    });
    counts
}

fn reals(rows: &[&[u8]]) -> Vec<Vec<f64>> {
    rows.iter().map(|row| row.iter().map(|gene| f64::from(*gene)).collect()).collect()
}

/// Returns the models after a generation in which every sample of every model is learned from.
fn learned(
    models: &Models,
    rows: usize,
    learn: impl Fn(&Model, &[u8]) -> Vec<(f64, Model)>,
) -> Models {
    let mut next = Models::new();
    for (before, chance) in models {
        for (genes, part) in samples(before, rows) {
            for (share, after) in learn(before, &genes) {
                *next.entry(after).or_insert(0.0) += chance * part * share;
            }
        }
    }
    next
}

/// Tests the first two strings of the second generation.
fn umda(context: &mut CheckContext<'_>) -> Finding {
    const BITS: usize = 3;
    let start: [&[u8]; 4] = [&[1, 1, 1], &[0, 1, 1], &[1, 0, 0], &[1, 1, 0]];
    let rows = start.len();
    let margin = 1.0 / 3.0;
    let algorithm = Umda { population: rows, selected: 2, margin };
    let counts = counted(context, Arc::new(algorithm), &reals(&start), 2, |genes| {
        genes[2 * rows * BITS..][..2 * BITS].to_vec()
    });
    // Every pair of strings whose sums are the two least is equally likely.
    let learn = |_: &Model, genes: &[u8]| {
        let strings: Vec<&[u8]> = genes.chunks(BITS).collect();
        let pairs: Vec<[&[u8]; 2]> = (0..rows)
            .flat_map(|one| (0..one).map(move |other| [one, other]))
            .map(|pair| pair.map(|row| strings[row]))
            .collect();
        let least = pairs.iter().map(|[one, other]| sum(one) + sum(other)).min();
        let best: Vec<_> =
            pairs.iter().filter(|[one, other]| Some(sum(one) + sum(other)) == least).collect();
        let share = 1.0 / best.len() as f64;
        best.into_iter()
            .map(|[one, other]| {
                let ones = (0..BITS).map(|at| f64::from(one[at] + other[at]) / 2.0);
                (share, model(ones.map(|p| p.clamp(margin, 1.0 - margin))))
            })
            .collect()
    };
    let first: Models = summed(learn(&Vec::new(), &start.concat()));
    let second = learned(&first, rows, learn);
    outcomes(&counts, &sampled(&second, 2))
}

/// Sums the probabilities of equal models.
fn summed(models: Vec<(f64, Model)>) -> Models {
    let mut all = Models::new();
    for (chance, model) in models {
        *all.entry(model).or_insert(0.0) += chance;
    }
    all
}

/// Returns the probabilities of this number of strings.
fn sampled(models: &Models, rows: usize) -> Chances {
    let mut chances = Chances::new();
    for (model, chance) in models {
        for (genes, part) in samples(model, rows) {
            *chances.entry(genes).or_insert(0.0) += chance * part;
        }
    }
    chances
}

/// Tests all strings of the second generation.
fn pbil(context: &mut CheckContext<'_>) -> Finding {
    const BITS: usize = 2;
    let start: [&[u8]; 3] = [&[1, 1], &[0, 1], &[0, 0]];
    let rows = start.len();
    let (rate, negative, mutated, shift) = (0.3, 0.2, 0.25, 0.4);
    let algorithm = Pbil {
        population: rows,
        learning_rate: rate,
        negative_learning_rate: negative,
        mutation_probability: mutated,
        mutation_shift: shift,
        margin: 0.0,
    };
    let counts = counted(context, Arc::new(algorithm), &reals(&start), 2, |genes| {
        genes[2 * rows * BITS..].to_vec()
    });
    let learn = |before: &Model, genes: &[u8]| {
        let strings: Vec<&[u8]> = genes.chunks(BITS).collect();
        let with = |wanted: Option<u8>| {
            strings.iter().filter(|row| Some(sum(row)) == wanted).collect::<Vec<_>>()
        };
        let best = with(strings.iter().map(|row| sum(row)).min());
        let worst = with(strings.iter().map(|row| sum(row)).max());
        let mut models = Vec::new();
        for (best, worst) in best.iter().flat_map(|one| worst.iter().map(move |two| (one, two))) {
            // Mutation leaves each probability, or moves it to 0 or to 1.
            for mutation in 0..9 {
                let mut share = 1.0;
                let probabilities = (0..BITS).map(|at| {
                    let bit = f64::from(best[at]);
                    let mut p = f64::from_bits(before[at]);
                    p += rate * (bit - p);
                    if best[at] != worst[at] {
                        p += negative * (bit - p);
                    }
                    let kind = if at == 0 { mutation % 3 } else { mutation / 3 };
                    if kind == 2 {
                        share *= 1.0 - mutated;
                        return p;
                    }
                    share *= mutated / 2.0;
                    p + shift * (f64::from(kind) - p)
                });
                let after = model(probabilities.collect::<Vec<_>>());
                models.push((share, after));
            }
        }
        let all: f64 = models.iter().map(|(share, _)| share).sum();
        models.into_iter().map(|(share, model)| (share / all, model)).collect()
    };
    let first: Models = summed(learn(&model([0.5; BITS]), &start.concat()));
    let second = learned(&first, rows, learn);
    outcomes(&counts, &sampled(&second, rows))
}

/// Tests the last two strings of trials of at most three generations, and their number of genes.
/// Probabilities go from 1/2 to 1/6 or 5/6, and on to 0 or 1.
fn cga(context: &mut CheckContext<'_>) -> Finding {
    const BITS: usize = 3;
    const PAIR: usize = 2;
    const GENERATIONS: usize = 3;
    let algorithm = Cga { virtual_population: 3, margin: 0.0 };
    let start = reals(&[&[1, 0, 1]]);
    let counts = counted(context, Arc::new(algorithm), &start, GENERATIONS as u64, |genes| {
        [&genes[genes.len() - PAIR * BITS..], &[genes.len() as u8]].concat()
    });
    let learn = |before: &Model, genes: &[u8]| {
        let (one, other) = genes.split_at(BITS);
        let (winner, loser) = if sum(other) < sum(one) { (other, one) } else { (one, other) };
        let step = |at: usize| (f64::from(winner[at]) - f64::from(loser[at])) / 3.0;
        model((0..BITS).map(|at| (f64::from_bits(before[at]) + step(at)).clamp(0.0, 1.0)))
    };
    let mut chances = Chances::new();
    let mut models = Models::from([(model([0.5; BITS]), 1.0)]);
    for generation in 1..=GENERATIONS {
        let mut next = Models::new();
        for (before, chance) in models {
            for (genes, part) in samples(&before, PAIR) {
                let after = learn(&before, &genes);
                let is_fixed = after.iter().all(|p| [0.0, 1.0].contains(&f64::from_bits(*p)));
                if is_fixed || generation == GENERATIONS {
                    let count = BITS + generation * PAIR * BITS;
                    let outcome = [&genes[..], &[count as u8]].concat();
                    *chances.entry(outcome).or_insert(0.0) += chance * part;
                } else {
                    *next.entry(after).or_insert(0.0) += chance * part;
                }
            }
        }
        models = next;
    }
    outcomes(&counts, &chances)
}
