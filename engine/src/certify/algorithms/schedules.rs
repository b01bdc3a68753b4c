//! Checks of parameters that change during a trial, against chains whose steps change with them.

use super::{TRIALS, trials_until};
use crate::certify::statistic::{Finding, kolmogorov_smirnov, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{
    Course, Crossover, CrossoverKind, Cut, Genes, Mutation, MutationKind, Replacement, Scaling,
    Schedule, Schedules, Selection, Ties, Unit,
};
use crate::problem::{Genome, Problem, fixtures};
use crate::search::{Evolutionary, OnSuccess, Stop};
use crate::stats::normal_cdf;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of bits of a genome.
const BITS: usize = 6;
/// Number of generations.
const GENERATIONS: usize = 3;
/// Fewer generations than the budget of evaluations allows.
const BUDGET: u64 = 5;

/// Parent whose child takes its place if it is no worse.
const ONE_PLUS_ONE: Evolutionary = Evolutionary {
    population: 1,
    scaling: Scaling::None,
    selection: Selection::Uniform,
    mix: None,
    crossover: None,
    mutation: None,
    replacement: Replacement::Plus { offspring: 1, ties: Ties::Children },
    sharing: None,
    schedules: Schedules::NONE,
};

const FALLING: Schedule =
    Schedule { from: 0.8, to: 0.4, over: Unit::Evaluations, course: Course::Linear };

pub(super) fn checks() -> Vec<Check> {
    let slot = Slot::Mutation;
    vec![
        check(slot, "bit-flip", "a gene rate that falls by a factor per generation", gene_rates),
        check(slot, "reset", "a mutation rate that falls with the evaluations", mutation_rates),
        check(slot, "gaussian", "a sigma that falls with the evaluations", deviations),
        check(
            Slot::Crossover,
            "one-point",
            "a crossover rate that falls with the evaluations",
            crossover_rate,
        ),
    ]
}

/// Runs trials of an operator set from given genomes, and visits the genes of all generations.
fn runs(
    context: &mut CheckContext<'_>,
    problem: &Problem,
    set: Evolutionary,
    (start, generations): (&[Vec<f64>], usize),
    mut visit: impl FnMut(Genome),
) {
    let stop = Stop {
        target: None,
        generations: Some(generations as u64),
        evaluations: Some(BUDGET),
        stagnation: None,
        diversity: None,
        trial_seconds: None,
        on_success: OnSuccess::Continue,
        keep_ended: false,
    };
    let algorithm = context.subject.algorithm(Arc::new(set));
    trials_until(&stop, TRIALS, problem, &algorithm, start, &mut context.random, |result| {
        result.traced_genes.into_iter().for_each(&mut visit);
    });
}

/// Compares the numbers of ones of all generations with a chain: `step` returns the numbers that a
/// generation leads to, with their probabilities, from its number and the ones before.
fn path_of_ones(
    context: &mut CheckContext<'_>,
    set: Evolutionary,
    step: impl Fn(usize, usize) -> Vec<(usize, f64)>,
) -> Finding {
    let mut counts = BTreeMap::new();
    let start = [vec![1.0; BITS]];
    runs(context, &fixtures::bits(BITS), set, (&start, GENERATIONS), |genes| {
        let Genome::U8(genes) = genes else { return };
        let path: Vec<u8> = genes.chunks(BITS).map(|genome| genome.iter().sum()).collect();
        *counts.entry(path).or_insert(0.0) += 1.0;
    });
    let mut chances = Chances::from([(vec![BITS as u8], 1.0)]);
    for generation in 0..GENERATIONS {
        let mut next = Chances::new();
        for (path, chance) in chances {
            let ones = usize::from(path[generation]);
            for (after, part) in step(generation, ones) {
                let path = [&path[..], &[after.min(ones) as u8]].concat();
                *next.entry(path).or_insert(0.0) += chance * part;
            }
        }
        chances = next;
    }
    outcomes(&counts, &chances)
}

/// Tests rates of 0.4, 0.2 and 0.1 in three generations.
fn gene_rates(context: &mut CheckContext<'_>) -> Finding {
    let schedule =
        Schedule { from: 0.4, to: 0.05, over: Unit::Generations, course: Course::Geometric };
    let kind = MutationKind::BitFlip { genes: Genes::Each(schedule.greatest()) };
    let schedules = Schedules { gene_rate: Some(schedule), ..Schedules::NONE };
    let mutation = Some(Mutation { kind, rate: 1.0 });
    let set = Evolutionary { mutation, schedules, ..ONE_PLUS_ONE };
    path_of_ones(context, set, |generation, ones| {
        let rate = [0.4, 0.2, 0.1][generation];
        let chance = |of: usize, flips: usize| {
            let sets: f64 = (0..flips).map(|bit| (of - bit) as f64 / (bit + 1) as f64).product();
            sets * f64::powi(rate, flips as i32) * f64::powi(1.0 - rate, (of - flips) as i32)
        };
        let pairs = (0..=ones).flat_map(|lost| (0..=BITS - ones).map(move |won| (lost, won)));
        pairs
            .map(|(lost, won)| (ones + won - lost, chance(ones, lost) * chance(BITS - ones, won)))
            .collect()
    })
}

/// Tests a fall from 0.8 to 0.4, of which 1/5, 2/5 and 3/5 is done.
fn mutation_rates(context: &mut CheckContext<'_>) -> Finding {
    let kind = MutationKind::Reset { genes: Genes::One, different: true };
    let schedules = Schedules { mutation_rate: Some(FALLING), ..Schedules::NONE };
    let mutation = Some(Mutation { kind, rate: FALLING.greatest() });
    let set = Evolutionary { mutation, schedules, ..ONE_PLUS_ONE };
    path_of_ones(context, set, |generation, ones| {
        let rate = [0.72, 0.64, 0.56][generation];
        let lost = ones as f64 / BITS as f64;
        vec![(ones, 1.0 - rate), (ones - 1, rate * lost), (ones + 1, rate * (1.0 - lost))]
            .into_iter()
            .filter(|(_, chance)| *chance > 0.0)
            .collect()
    })
}

/// Tests the step of the second generation, when 2/5 of the fall from 0.08 to 0.04 is done. The
/// steps of the first lead nowhere: all children take their parent's place.
fn deviations(context: &mut CheckContext<'_>) -> Finding {
    let schedule = Schedule { from: 0.08, to: 0.04, ..FALLING };
    let kind = MutationKind::Gaussian { sigma: schedule.greatest(), genes: Genes::Each(1.0) };
    let schedules = Schedules { sigma: Some(schedule), ..Schedules::NONE };
    let mutation = Some(Mutation { kind, rate: 1.0 });
    let replacement = Replacement::Comma { offspring: 1 };
    let set = Evolutionary { mutation, schedules, replacement, ..ONE_PLUS_ONE };
    let mut steps = Vec::new();
    runs(context, &fixtures::reals(1), set, (&[vec![0.0]], 2), |genes| {
        let Genome::F64(genes) = genes else { return };
        steps.push(genes[2] - genes[1]);
    });
    // The range of the genes is 200.
    kolmogorov_smirnov(&mut steps, |step| normal_cdf(step / (0.064 * 200.0)))
}

/// Tests the first generation, when 2/5 of the fall from 0.8 to 0.4 is done. A child of all zeros
/// and all ones has both if it was crossed.
fn crossover_rate(context: &mut CheckContext<'_>) -> Finding {
    let kind = CrossoverKind::OnePoint { cut: Cut::Inner };
    let crossover = Some(Crossover { kind, rate: FALLING.greatest(), children: 1 });
    let schedules = Schedules { crossover_rate: Some(FALLING), ..Schedules::NONE };
    let replacement = Replacement::Generational;
    let set = Evolutionary { population: 2, crossover, schedules, replacement, ..ONE_PLUS_ONE };
    let mut counts = BTreeMap::new();
    let start = [vec![0.0; BITS], vec![1.0; BITS]];
    runs(context, &fixtures::bits(BITS), set, (&start, 1), |genes| {
        let Genome::U8(genes) = genes else { return };
        let children = genes[2 * BITS..].chunks(BITS);
        let mixed = children.filter(|child| child.contains(&0) && child.contains(&1)).count();
        *counts.entry(vec![mixed as u8]).or_insert(0.0) += 1.0;
    });
    // The parents of half of the pairs differ.
    let mixed = 0.5 * 0.64;
    let chances = [(1.0 - mixed) * (1.0 - mixed), 2.0 * mixed * (1.0 - mixed), mixed * mixed];
    let chances = chances.into_iter().zip(0..).map(|(chance, count)| (vec![count], chance));
    outcomes(&counts, &chances.collect())
}
