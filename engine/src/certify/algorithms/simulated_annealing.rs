//! Checks of simulated annealing on an enumerated landscape. The states of its generations are
//! compared with the Markov chain of Metropolis et al. (1953), doi:10.1063/1.1699114, whose
//! temperature falls as in Kirkpatrick, Gelatt and Vecchi (1983), doi:10.1126/science.220.4598.671.

use super::landscapes::Landscape;
use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Genes, MutationKind, Rearrangement};
use crate::problem::Genome;
use crate::search::algorithms::SimulatedAnnealing;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Landscape with a start and the settings of the search.
#[derive(Clone, Copy)]
struct Case {
    on: Landscape,
    start: &'static [u8],
    generations: u64,
    settings: SimulatedAnnealing,
}

/// Another value of a random gene.
const RESET: MutationKind = MutationKind::Reset { genes: Genes::One, different: true };
/// A few moves at each temperature, from a genome without clashes.
const FEW: Case = Case {
    on: Landscape::Ring,
    start: &[0, 1, 0, 1],
    generations: 3,
    settings: SimulatedAnnealing { temperature: 1.5, cooling: 0.6, moves: 2, mutation: RESET },
};
/// So many moves that the search keeps the probabilities of a temperature.
const MANY: Case = Case {
    generations: 2,
    settings: SimulatedAnnealing { temperature: 1.0, cooling: 0.5, moves: 32, mutation: RESET },
    ..FEW
};
/// Moves of a permutation.
const SWAPS: Case = Case {
    on: Landscape::Kings(Rearrangement::Swap),
    start: &[1, 3, 0, 2],
    generations: 4,
    settings: SimulatedAnnealing {
        temperature: 2.0,
        cooling: 0.7,
        moves: 1,
        mutation: MutationKind::Swap,
    },
};

pub(super) fn checks() -> Vec<Check> {
    let of = |words: &str, case: Case| {
        let claim = format!("states follow the chain of Metropolis et al. (1953): {words}");
        check(Slot::Algorithm, "simulated-annealing", claim, move |context| states(context, case))
    };
    vec![
        of("2 moves at each of 3 temperatures", FEW),
        of("32 moves at each of 2 temperatures", MANY),
        of("an exchange at each of 4 temperatures", SWAPS),
    ]
}

/// Counts the last genomes, with the fitness of all generations.
fn states(context: &mut CheckContext<'_>, case: Case) -> Finding {
    let Case { on, start, generations, settings } = case;
    let algorithm = context.subject.algorithm(Arc::new(settings));
    let (problem, length) = (on.problem(start.len()), start.len());
    let first = [start.iter().map(|gene| f64::from(*gene)).collect()];
    let mut counts = BTreeMap::new();
    trials(&problem, &algorithm, &first, generations, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        let path = genes.chunks(length).skip(1).map(|genome| on.fitness(genome) as u8);
        let outcome = path.chain(genes[genes.len() - length..].iter().copied()).collect();
        *counts.entry(outcome).or_insert(0.0) += 1.0;
    });
    let genomes = on.genomes(start);
    let number = |genome: &[u8]| genomes.iter().position(|other| other == genome).unwrap_or(0);
    let neighbors: Vec<Vec<usize>> = genomes
        .iter()
        .map(|genome| on.neighbors(genome).iter().map(|neighbor| number(neighbor)).collect())
        .collect();
    let fitness: Vec<usize> = genomes.iter().map(|genome| on.fitness(genome)).collect();
    // Chances of the genomes, by the fitness of the generations so far.
    let mut chances = vec![0.0; genomes.len()];
    chances[number(start)] = 1.0;
    let mut paths = BTreeMap::from([(Vec::new(), chances)]);
    for generation in 0..generations {
        let temperature = settings.temperature * settings.cooling.powi(generation as i32);
        let mut next = BTreeMap::new();
        for (path, mut chances) in paths {
            for _ in 0..settings.moves {
                chances = moved(&chances, &neighbors, &fitness, temperature);
            }
            for (genome, chance) in chances.iter().enumerate().filter(|(_, chance)| **chance > 0.0)
            {
                let path = [&path[..], &[fitness[genome] as u8]].concat();
                next.entry(path).or_insert_with(|| vec![0.0; genomes.len()])[genome] = *chance;
            }
        }
        paths = next;
    }
    let mut outcomes_of = Chances::new();
    for (path, chances) in paths {
        let ends = genomes.iter().zip(chances).filter(|(_, chance)| *chance > 0.0);
        outcomes_of.extend(ends.map(|(genome, chance)| ([&path[..], genome].concat(), chance)));
    }
    outcomes(&counts, &outcomes_of)
}

/// Returns the chances of genomes after one move from a random genome with these chances.
fn moved(
    chances: &[f64],
    neighbors: &[Vec<usize>],
    fitness: &[usize],
    temperature: f64,
) -> Vec<f64> {
    let mut next = vec![0.0; chances.len()];
    for (genome, chance) in chances.iter().enumerate() {
        let each = chance / neighbors[genome].len() as f64;
        for neighbor in &neighbors[genome] {
            let worse = fitness[*neighbor] as f64 - fitness[genome] as f64;
            let accepted = (-worse / temperature).exp().min(1.0);
            next[*neighbor] += each * accepted;
            next[genome] += each * (1.0 - accepted);
        }
    }
    next
}
