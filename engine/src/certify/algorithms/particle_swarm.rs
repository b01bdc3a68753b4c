//! Checks of particle swarm optimisation.

use super::{STOP, trials_until};
use crate::certify::statistic::{Finding, kolmogorov_smirnov};
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::Stop;
use crate::search::algorithms::{ParticleSwarm, Topology};
use std::sync::Arc;

/// Number of particles, genes and generations.
const PARTICLES: usize = 5;
const LENGTH: usize = 2;
const GENERATIONS: usize = 3;

const SWARM: ParticleSwarm = ParticleSwarm {
    population: PARTICLES,
    topology: Topology::Ring,
    inertia: 0.729_844,
    cognitive: 1.496_18,
    social: 1.496_18,
};

pub(super) fn checks() -> Vec<Check> {
    let of = |topology, name: &str| {
        let claim = format!(
            "steps of {GENERATIONS} generations are those of Bratton and Kennedy (2007), topology \
            {name}"
        );
        check(Slot::Algorithm, "particle-swarm", claim, move |context| steps(context, topology))
    };
    vec![of(Topology::Ring, "ring"), of(Topology::Global, "global")]
}

/// Probability that a sum of independent uniform numbers, each between 0 and one of `widths`, is at
/// most `sum`. Widths may be negative or 0.
fn below_sum(sum: f64, widths: &[f64]) -> f64 {
    let widths: Vec<f64> = widths.iter().copied().filter(|width| width.abs() > 1e-9).collect();
    // A negative width is a positive one, moved.
    let moved = sum - widths.iter().filter(|width| **width < 0.0).sum::<f64>();
    let widths: Vec<f64> = widths.iter().map(|width| width.abs()).collect();
    let power = widths.len() as i32;
    let (mut volume, mut factorial) = (0.0, 1.0);
    (1..=power).for_each(|k| factorial *= f64::from(k));
    // Volume of a corner of the box, by inclusion and exclusion.
    for subset in 0..1usize << widths.len() {
        let chosen = (0..widths.len()).filter(|at| subset >> at & 1 == 1);
        let rest = moved - chosen.map(|at| widths[at]).sum::<f64>();
        let sign = if subset.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
        volume += sign * rest.max(0.0).powi(power);
    }
    volume / factorial / widths.iter().product::<f64>()
}

fn fitness(row: &[f64]) -> f64 {
    row.iter().map(|gene| gene * gene).sum()
}

/// Tests, for each gene whose step cannot lead out of bounds, where the step is in its distribution
/// given all before.
fn steps(context: &mut CheckContext<'_>, topology: Topology) -> Finding {
    let algorithm = context.subject.algorithm(Arc::new(ParticleSwarm { topology, ..SWARM }));
    let ParticleSwarm { inertia, cognitive, social, .. } = SWARM;
    let (mut numbers, mut stopped, mut breaches) = (Vec::new(), 0u64, 0u64);
    let stop = Stop { generations: Some(GENERATIONS as u64), ..STOP };
    let problem = fixtures::reals(LENGTH);
    trials_until(&stop, 2000, &problem, &algorithm, &[], &mut context.random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        let at = |generation: usize, row: usize| {
            &genes[(generation * PARTICLES + row) * LENGTH..][..LENGTH]
        };
        // First of the least positions up to a generation.
        let best = |generation: usize, row: usize| {
            let earlier = (0..=generation).map(|generation| at(generation, row));
            earlier.reduce(|best, next| if fitness(next) < fitness(best) { next } else { best })
        };
        for generation in 0..GENERATIONS {
            for row in 0..PARTICLES {
                let neighbors: Vec<usize> = match topology {
                    Topology::Global => (0..PARTICLES).collect(),
                    Topology::Ring => {
                        vec![row, (row + PARTICLES - 1) % PARTICLES, (row + 1) % PARTICLES]
                    }
                };
                let leader = neighbors
                    .iter()
                    .filter_map(|row| best(generation, *row))
                    .min_by(|one, other| fitness(one).total_cmp(&fitness(other)));
                let Some((own, leader)) = best(generation, row).zip(leader) else { return };
                let (old, new) = (at(generation, row), at(generation + 1, row));
                for gene in 0..LENGTH {
                    let mut widths = vec![
                        cognitive * (own[gene] - old[gene]),
                        social * (leader[gene] - old[gene]),
                    ];
                    let mut base = old[gene];
                    if generation == 0 {
                        // The first velocity is half the way to a random position.
                        base += inertia * 0.5 * (-100.0 - old[gene]);
                        widths.push(inertia * 100.0);
                    } else if old[gene].abs() < 100.0 {
                        base += inertia * (old[gene] - at(generation - 1, row)[gene]);
                    }
                    let least = base + widths.iter().map(|width| width.min(0.0)).sum::<f64>();
                    let most = base + widths.iter().map(|width| width.max(0.0)).sum::<f64>();
                    stopped += u64::from(new[gene].abs() == 100.0);
                    let within = least.max(-100.0) - 1e-6..=most.min(100.0) + 1e-6;
                    breaches +=
                        u64::from(most > -100.0 && least < 100.0 && !within.contains(&new[gene]));
                    if least > -100.0 && most < 100.0 && most - least > 1e-6 {
                        numbers.push(below_sum(new[gene] - base, &widths));
                    }
                }
            }
        }
    });
    kolmogorov_smirnov(&mut numbers, |number| number)
        .and(breaches == 0, "steps that are too long")
        .and(stopped > 100, "no particle at a bound")
}
