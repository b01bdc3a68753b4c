//! Check of conflict minimisation: its genomes after some exchanges that are tried, against every
//! sequence that the definition allows.

use super::min_conflicts::{close_neighbors, exchanges};
use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::algorithms::ConflictMinimization;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of exchanges that are tried.
const TRIED: u64 = 4;
/// First genome.
const START: [u8; 5] = [1, 0, 2, 3, 4];

pub(super) fn checks() -> Vec<Check> {
    let claim = format!("{TRIED} exchanges that are tried are those of Sosic and Gu (1994)");
    vec![check(Slot::Algorithm, "conflict-minimization", claim, tried)]
}

/// Counts the genomes of all generations. A trial ends where nothing is in conflict.
fn tried(context: &mut CheckContext<'_>) -> Finding {
    let algorithm = context.subject.algorithm(Arc::new(ConflictMinimization { greedy: false }));
    let start = [START.iter().map(|gene| f64::from(*gene)).collect()];
    let problem = fixtures::kings(START.len());
    let mut counts = BTreeMap::new();
    trials(&problem, &algorithm, &start, TRIED, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        *counts.entry(genes).or_insert(0.0) += 1.0;
    });
    // Genomes so far, the last one, and the gene that is exchanged until it is free.
    let first = (START.to_vec(), START.to_vec(), None);
    let mut states = BTreeMap::from([(first, 1.0)]);
    let mut chances = Chances::new();
    for _ in 0..TRIED {
        let mut next = BTreeMap::new();
        for ((path, genome, gene), chance) in states {
            let conflicted = conflicted(&genome);
            let genes = gene.map_or(conflicted, |gene| vec![gene]);
            if genes.is_empty() {
                *chances.entry(path).or_insert(0.0) += chance;
                continue;
            }
            let each = chance / (genes.len() * (genome.len() - 1)) as f64;
            for gene in genes {
                for (other, exchanged) in exchanges(&genome, gene).into_iter().enumerate() {
                    if other == gene {
                        continue;
                    }
                    let clashes = self::conflicted(&exchanged);
                    let is_free = !clashes.contains(&gene) && !clashes.contains(&other);
                    let (genome, gene) =
                        if is_free { (exchanged, None) } else { (genome.clone(), Some(gene)) };
                    let longer = [&path[..], &genome].concat();
                    *next.entry((longer, genome, gene)).or_insert(0.0) += each;
                }
            }
        }
        states = next;
    }
    for ((path, ..), chance) in states {
        *chances.entry(path).or_insert(0.0) += chance;
    }
    outcomes(&counts, &chances)
}

/// Returns the places that are in conflict.
fn conflicted(genome: &[u8]) -> Vec<usize> {
    let clashes = close_neighbors(genome);
    let is_in = |place: &usize| clashes.iter().any(|(one, other)| one == place || other == place);
    (0..genome.len()).filter(is_in).collect()
}
