//! Checks of the evolutionary algorithm: its populations after some generations, against all ways
//! through selection, crossover, mutation and replacement (De Jong 2006).

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{
    Crossover, CrossoverKind, Cut, Genes, Mix, Mutation, MutationKind, Replacement, Scaling,
    Schedules, Selection, Ties,
};
use crate::problem::{Genome, fixtures};
use crate::search::Evolutionary;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of bits of a genome, which is written as a number.
const BITS: usize = 3;
/// Number of genomes.
const ALL: u8 = 1 << BITS;
/// Share of the bits of a mutant that flip.
const GENE_RATE: f64 = 0.2;
/// Number of individuals per tournament.
const RIVALS: usize = 2;

/// All operators: tournaments of pairs, of which some are crossed, and of whose children most
/// mutate.
const PIPELINE: Evolutionary = Evolutionary {
    population: 3,
    scaling: Scaling::None,
    selection: Selection::Tournament { size: RIVALS },
    mix: None,
    crossover: Some(Crossover {
        kind: CrossoverKind::OnePoint { cut: Cut::Inner },
        rate: 0.6,
        children: 2,
    }),
    mutation: Some(Mutation {
        kind: MutationKind::BitFlip { genes: Genes::Each(GENE_RATE) },
        rate: 0.9,
    }),
    replacement: Replacement::Generational,
    sharing: None,
    schedules: Schedules::NONE,
};
/// One parent with its mutants.
const ONE_PARENT: Evolutionary = Evolutionary {
    population: 1,
    selection: Selection::Uniform,
    crossover: None,
    mutation: Some(Mutation {
        kind: MutationKind::BitFlip { genes: Genes::Each(GENE_RATE) },
        rate: 1.0,
    }),
    ..PIPELINE
};

pub(super) fn checks() -> Vec<Check> {
    let of = |words: &str, set: Evolutionary| {
        let claim = format!("populations of {words} are those of all ways");
        check(Slot::Algorithm, "evolutionary", claim, move |context| populations(context, &set))
    };
    let three = |replacement| Evolutionary { replacement, ..PIPELINE };
    let plus = |ties| three(Replacement::Plus { offspring: 2, ties });
    let one = |replacement| Evolutionary { replacement, ..ONE_PARENT };
    let one_plus = |ties| one(Replacement::Plus { offspring: 2, ties });
    let mix = Mix { clone: 0.2, crossover: 0.5, mutate: 0.3 };
    let mixed = Evolutionary {
        mix: Some(mix),
        crossover: PIPELINE.crossover.map(|crossover| Crossover { rate: 1.0, ..crossover }),
        ..PIPELINE
    };
    vec![
        of("2 generations of 3 children", three(Replacement::Generational)),
        of("2 generations of a mix", mixed),
        of("2 generations with an elite", three(Replacement::Elitism { elite: 1 })),
        of("the (3,4) strategy", three(Replacement::Comma { offspring: 4 })),
        of("the (3+2) strategy, ties to children", plus(Ties::Children)),
        of("the (3+2) strategy, ties to parents", plus(Ties::Parents)),
        of("the (3+2) strategy, ties at random", plus(Ties::Random)),
        of(
            "2 generations that replace the worst 2",
            three(Replacement::SteadyState { offspring: 2 }),
        ),
        of("the (1,2) strategy", one(Replacement::Comma { offspring: 2 })),
        of("the (1+2) strategy, ties to children", one_plus(Ties::Children)),
        of("the (1+2) strategy, ties to parents", one_plus(Ties::Parents)),
        of("the (1+2) strategy, ties at random", one_plus(Ties::Random)),
    ]
}

/// Counts the populations of the last generation, each in order.
fn populations(context: &mut CheckContext<'_>, set: &Evolutionary) -> Finding {
    // Fitness is the number of ones.
    let (start, generations) = match set.population {
        1 => (vec![0b101], 3),
        _ => (vec![0b010, 0b101, 0b111], 2),
    };
    let bits = |genome: &u8| (0..BITS).map(|at| f64::from(genome >> at & 1)).collect();
    let first: Vec<Vec<f64>> = start.iter().map(bits).collect();
    let algorithm = context.subject.algorithm(Arc::new(set.clone()));
    let mut counts = BTreeMap::new();
    let problem = fixtures::bits(BITS);
    trials(&problem, &algorithm, &first, generations, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        let number = |bits: &[u8]| bits.iter().rev().fold(0, |number, bit| 2 * number + bit);
        let last = &genes[genes.len() - start.len() * BITS..];
        let outcome = sorted(last.chunks(BITS).map(number).collect());
        *counts.entry(outcome).or_insert(0.0) += 1.0;
    });
    let mut states = Chances::from([(start, 1.0)]);
    for _ in 0..generations {
        let mut next = Chances::new();
        for (population, chance) in states {
            for (children, part) in broods(&population, set) {
                for (survivors, share) in survivors(&population, &children, set.replacement) {
                    *next.entry(survivors).or_insert(0.0) += chance * part * share;
                }
            }
        }
        states = next;
    }
    outcomes(&counts, &states)
}

fn sorted(mut genomes: Vec<u8>) -> Vec<u8> {
    genomes.sort_unstable();
    genomes
}

fn ones(genome: u8) -> u32 {
    genome.count_ones()
}

/// Returns the chances of all children of a generation, in order.
fn broods(population: &[u8], set: &Evolutionary) -> Chances {
    let offspring = set.replacement.offspring(population.len());
    let operations = operations(&parents(population, set.selection), set);
    let (mut open, mut whole) = (Chances::from([(Vec::new(), 1.0)]), Chances::new());
    while !open.is_empty() {
        let mut next = Chances::new();
        for (children, chance) in open {
            for (more, part) in &operations {
                let left = offspring - children.len();
                let more = &more[..left.min(more.len())];
                let children = sorted([&children, more].concat());
                let to = if children.len() == offspring { &mut whole } else { &mut next };
                *to.entry(children).or_insert(0.0) += chance * part;
            }
        }
        open = next;
    }
    whole
}

/// Returns the chance of each genome to be the next parent.
fn parents(population: &[u8], selection: Selection) -> Chances {
    let mut chances = Chances::new();
    let each = 1.0 / population.len().pow(RIVALS as u32) as f64;
    for first in population {
        for second in population {
            let wins = selection == Selection::Uniform || ones(*first) <= ones(*second);
            let winner = if wins { *first } else { *second };
            *chances.entry(vec![winner]).or_insert(0.0) += each;
        }
    }
    chances
}

/// Returns the chances of the children of the next operation.
fn operations(parents: &Chances, set: &Evolutionary) -> Chances {
    let pairs = |rate: f64, count: usize| {
        let mut pairs = Chances::new();
        for (first, chance) in parents {
            for (second, part) in parents {
                let both = chance * part;
                let mut add = |children: [u8; 2], chance: f64| {
                    *pairs.entry(children[..count].to_vec()).or_insert(0.0) += chance;
                };
                add([first[0], second[0]], both * (1.0 - rate));
                for cut in 1..BITS {
                    let mask = (1 << cut) - 1;
                    let crossed = |one: u8, other: u8| one & mask | other & !mask;
                    let children = [crossed(first[0], second[0]), crossed(second[0], first[0])];
                    add(children, both * rate / (BITS - 1) as f64);
                }
            }
        }
        pairs
    };
    let rate = set.mutation.map_or(0.0, |mutation| mutation.rate);
    let Some(Mix { clone, crossover, mutate }) = set.mix else {
        return match set.crossover {
            Some(Crossover { rate: crossed, children, .. }) => {
                mutants(&pairs(crossed, children), rate)
            }
            None => mutants(parents, rate),
        };
    };
    let mut all = Chances::new();
    let shares = [(clone, parents), (crossover, &pairs(1.0, 2)), (mutate, &mutants(parents, 1.0))];
    for (share, chances) in shares {
        for (children, chance) in chances {
            *all.entry(children.clone()).or_insert(0.0) += share * chance;
        }
    }
    all
}

/// Returns the chances of the same children after mutation at this rate.
fn mutants(children: &Chances, rate: f64) -> Chances {
    let flipped = |bits: u8| {
        let flips = bits.count_ones() as i32;
        let chance = GENE_RATE.powi(flips) * (1.0 - GENE_RATE).powi(BITS as i32 - flips);
        rate * chance + if bits == 0 { 1.0 - rate } else { 0.0 }
    };
    let mut all = children.clone();
    for at in 0..all.keys().next().map_or(0, Vec::len) {
        let mut next = Chances::new();
        for (children, chance) in all {
            for bits in 0..ALL {
                let mut children = children.clone();
                children[at] ^= bits;
                *next.entry(children).or_insert(0.0) += chance * flipped(bits);
            }
        }
        all = next;
    }
    all
}

/// Returns the chances of the next population, in order.
fn survivors(population: &[u8], children: &[u8], replacement: Replacement) -> Chances {
    let all = |genomes: &[u8], place: u32| -> Vec<((u32, u32), u8)> {
        genomes.iter().map(|genome| ((ones(*genome), place), *genome)).collect()
    };
    let (of_parents, of_children) = (all(population, 1), all(children, 1));
    let and_children = |best: Chances| {
        let with = |(rows, chance): (Vec<u8>, f64)| (sorted([&rows, children].concat()), chance);
        best.into_iter().map(with).collect()
    };
    match replacement {
        Replacement::Elitism { elite } => and_children(least(of_parents, elite)),
        Replacement::SteadyState { offspring } => {
            and_children(least(of_parents, population.len() - offspring))
        }
        Replacement::Comma { .. } => least(of_children, population.len()),
        Replacement::Plus { ties, .. } => {
            let (first, second) = match ties {
                Ties::Children => (of_parents, all(children, 0)),
                Ties::Parents => (all(population, 0), of_children),
                Ties::Random => (of_parents, of_children),
            };
            least([first, second].concat(), population.len())
        }
        _ => Chances::from([(children.to_vec(), 1.0)]),
    }
}

/// Returns the chances of the `count` genomes with the least keys, in order. Among equals, each is
/// equally likely.
fn least(mut rows: Vec<((u32, u32), u8)>, count: usize) -> Chances {
    rows.sort_unstable();
    let Some(last) = count.checked_sub(1).map(|last| rows[last].0) else {
        return Chances::from([(Vec::new(), 1.0)]);
    };
    let of = |wanted: &dyn Fn((u32, u32)) -> bool| -> Vec<u8> {
        rows.iter().filter(|(key, _)| wanted(*key)).map(|(_, genome)| *genome).collect()
    };
    let (better, equal) = (of(&|key| key < last), of(&|key| key == last));
    let room = (count - better.len()) as u32;
    let choices: Vec<u32> =
        (0..1 << equal.len()).filter(|choice: &u32| choice.count_ones() == room).collect();
    let mut chances = Chances::new();
    for choice in &choices {
        let chosen = equal.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1);
        let chosen: Vec<u8> = chosen.map(|(_, genome)| *genome).collect();
        let rows = sorted([&better[..], &chosen].concat());
        *chances.entry(rows).or_insert(0.0) += 1.0 / choices.len() as f64;
    }
    chances
}
