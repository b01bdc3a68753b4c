//! Check of greedy hill climbing.

use super::trials;
use crate::certify::statistic::Finding;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::algorithms::GreedyHillClimbing;
use std::sync::Arc;

/// Number of generations: twice through the string, and on.
const GENERATIONS: usize = 11;

const START: [u8; 5] = [1, 0, 1, 1, 0];

pub(super) fn checks() -> Vec<Check> {
    vec![check(
        Slot::Algorithm,
        "greedy-hill-climbing",
        "bits flip from left to right, as in Doerr, Ye, Horesh, Wang, Shir and Bäck (2020)",
        greedy,
    )]
}

/// Compares all genomes of trials with the only ones that are possible on a sum of bits.
fn greedy(context: &mut CheckContext<'_>) -> Finding {
    let mut due = vec![START.to_vec()];
    for step in 0..GENERATIONS {
        let mut genome = due[step].clone();
        // A bit that is 0 stays, because its flip is worse.
        genome[step % START.len()] = 0;
        due.push(genome);
    }
    let due = due.concat();
    let algorithm = context.subject.algorithm(Arc::new(GreedyHillClimbing));
    let start = vec![START.map(f64::from).to_vec()];
    let (mut cases, mut breaches) = (0, 0);
    let problem = fixtures::bits(START.len());
    trials(&problem, &algorithm, &start, GENERATIONS as u64, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        cases += 1;
        breaches += u64::from(genes != due);
    });
    Finding::promise(cases, breaches).and(cases > 0, "no trial has genomes of bytes")
}
