//! Check of exhaustive search: every genome once, in order.

use super::landscapes::Landscape;
use super::{STOP, trials_until};
use crate::certify::statistic::Finding;
use crate::certify::{Check, CheckContext, check};
use crate::operators::Rearrangement;
use crate::operators::operator::Slot;
use crate::problem::Genome;
use crate::record::Outcome;
use crate::search::Stop;
use crate::search::algorithms::Exhaustive;
use std::sync::Arc;

/// Number of trials, which are all alike.
const TRIALS: u32 = 3;

pub(super) fn checks() -> Vec<Check> {
    let of = |words: &str, on: Landscape, start: &'static [u8], population: usize| {
        let claim = format!("every genome once, and in order: {words}");
        check(Slot::Algorithm, "exhaustive", claim, move |context| {
            all_genomes(context, on, start, population)
        })
    };
    let kings = Landscape::Kings(Rearrangement::Swap);
    vec![
        of("binary numbers", Landscape::Ones, &[0; 4], 5),
        of("numbers to the base 3", Landscape::Ring, &[0; 3], 27),
        of("permutations", kings, &[0, 1, 2, 3], 1),
    ]
}

/// Compares the genomes of trials with all genomes in order. The last generation may be shorter.
fn all_genomes(
    context: &mut CheckContext<'_>,
    on: Landscape,
    start: &[u8],
    population: usize,
) -> Finding {
    let due = on.genomes(start);
    let least = due.iter().map(|genome| on.fitness(genome)).min().map(|least| least as f64);
    let algorithm = context.subject.algorithm(Arc::new(Exhaustive { population }));
    let (mut cases, mut breaches) = (0, 0);
    let problem = on.problem(start.len());
    let (random, size) = (&mut context.random, due.len() as u64);
    let generations = size.div_ceil(population as u64) - 1;
    // A search that does not end by itself is ended.
    let stop = Stop { generations: Some(generations + 1), ..STOP };
    trials_until(&stop, TRIALS, &problem, &algorithm, &[], random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        cases += 1;
        let is_due = genes == due.concat()
            && result.outcome == Outcome::Exhausted
            && (result.evaluations, result.generations) == (size, generations)
            && result.best_fitness == least;
        breaches += u64::from(!is_due);
    });
    Finding::promise(cases, breaches).and(cases > 0, "no trial has genomes of bytes")
}
