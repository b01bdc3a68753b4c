//! Checks of differential evolution.

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::algorithms::{DifferentialEvolution, Strategy};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn checks() -> Vec<Check> {
    let of = |claim: &'static str, run: fn(&mut CheckContext<'_>) -> Finding| {
        check(Slot::Algorithm, "differential-evolution", claim, run)
    };
    vec![
        of("children are those of rand/1/bin by Storn and Price (1997)", |context| {
            differential_evolution(context, Strategy::Rand)
        }),
        of("children are those of best/1/bin by Storn and Price (1997)", |context| {
            differential_evolution(context, Strategy::Best)
        }),
        of(
            "children are those of current-to-pbest/1/bin by Zhang and Sanderson (2009)",
            |context| differential_evolution(context, Strategy::CurrentToPBest { p: 0.5 }),
        ),
        of("genes stay within bounds, and no row becomes worse", differential_bounds),
    ]
}

/// Returns four rows; the first is so bad that every child is better.
fn rows() -> Vec<Vec<f64>> {
    [[90.0, -90.0, 90.0], [1.0, 2.0, 3.0], [5.0, -7.0, 11.0], [-3.0, 8.0, -1.0]]
        .map(|row| row.to_vec())
        .to_vec()
}

const DIFFERENTIAL: DifferentialEvolution = DifferentialEvolution {
    population: 4,
    weight: 0.5,
    crossover_rate: 0.7,
    strategy: Strategy::Rand,
};

/// Returns every mutant of the first row, with its probability. The second row is the best, the
/// last is the next.
fn mutants(rows: &[Vec<f64>], strategy: Strategy) -> Vec<(f64, Vec<f64>)> {
    let mut all = Vec::new();
    for [base, plus, minus] in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
        let made = |base: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let weight = DIFFERENTIAL.weight;
            let gene = |at| base(at) + weight * (rows[plus][at] - rows[minus][at]);
            (0..rows[0].len()).map(gene).collect()
        };
        match strategy {
            Strategy::Rand => all.push((1.0 / 6.0, made(&|at| rows[base][at]))),
            // The base of the list above has no part in these.
            Strategy::Best => all.push((1.0 / 6.0, made(&|at| rows[1][at]))),
            Strategy::CurrentToPBest { .. } => {
                for best in [1, 3] {
                    let halfway = |at: usize| 0.5 * rows[0][at] + 0.5 * rows[best][at];
                    all.push((1.0 / 12.0, made(&halfway)));
                }
            }
        }
    }
    all
}

/// Counts the first row after one generation.
fn differential_evolution(context: &mut CheckContext<'_>, strategy: Strategy) -> Finding {
    let (mut counts, rows) = (BTreeMap::new(), rows());
    let length = rows[0].len();
    let bytes = |row: &[f64]| row.iter().flat_map(|gene| gene.to_le_bytes()).collect::<Vec<u8>>();
    let algorithm = DifferentialEvolution { strategy, ..DIFFERENTIAL };
    let algorithm = context.subject.algorithm(Arc::new(algorithm));
    let problem = fixtures::reals(length);
    trials(&problem, &algorithm, &rows, 1, &mut context.random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        *counts.entry(bytes(&genes[4 * length..][..length])).or_insert(0.0) += 1.0;
    });
    let DifferentialEvolution { crossover_rate, .. } = DIFFERENTIAL;
    let mut chances = Chances::new();
    for (part, mutant) in mutants(&rows, strategy) {
        for mask in 1..1usize << length {
            let taken = |locus: usize| mask >> locus & 1 == 1;
            let child: Vec<f64> = (0..length)
                .map(|locus| match taken(locus) {
                    true => mutant[locus],
                    false => rows[0][locus],
                })
                .collect();
            // One gene always comes from the mutant; each other gene does so with the crossover
            // rate.
            let others = mask.count_ones() as i32 - 1;
            let drawn = crossover_rate.powi(others)
                * (1.0 - crossover_rate).powi(length as i32 - 1 - others);
            let chance = f64::from(mask.count_ones()) / length as f64 * drawn;
            *chances.entry(bytes(&child)).or_insert(0.0) += chance * part;
        }
    }
    outcomes(&counts, &chances)
}

/// Checks rows near the bounds, whose differences lead out of bounds.
fn differential_bounds(context: &mut CheckContext<'_>) -> Finding {
    let rows: Vec<Vec<f64>> = [[99.0, -99.0], [-98.0, 97.0], [96.0, 95.0], [-94.0, -93.0]]
        .map(|row| row.to_vec())
        .to_vec();
    let algorithm = context.subject.algorithm(Arc::new(DIFFERENTIAL));
    let (mut cases, mut breaches) = (0, 0);
    trials(&fixtures::reals(2), &algorithm, &rows, 5, &mut context.random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        cases += 1;
        let fitness = |row: &[f64]| row.iter().map(|gene| gene * gene).sum::<f64>();
        let within = genes.iter().all(|gene| (-100.0..=100.0).contains(gene));
        let better = genes
            .chunks(2)
            .zip(genes.chunks(2).skip(4))
            .all(|(old, new)| fitness(new) <= fitness(old));
        breaches += u64::from(!within || !better);
    });
    Finding::promise(cases, breaches)
}
