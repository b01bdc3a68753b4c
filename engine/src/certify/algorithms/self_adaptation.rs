//! Checks of mutations whose individuals carry a strength.

use super::trials;
use crate::certify::statistic::{Finding, chi_square, kolmogorov_smirnov};
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{
    Mutation, MutationKind, Replacement, Scaling, Schedules, Selection, SelfAdaptation,
};
use crate::problem::{Genome, fixtures};
use crate::search::Evolutionary;
use crate::stats::normal_cdf;
use std::sync::Arc;

/// Number of bits of a genome.
const BITS: usize = 12;
/// Number of generations: the last strength has the changes of all.
const GENERATIONS: usize = 3;

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(
            Slot::Mutation,
            "self-adaptive-gaussian",
            "after three generations of one child, a step is a mixture by a log-normal sigma",
            steps,
        ),
        check(
            Slot::Mutation,
            "self-adaptive-bit-flip",
            "after three generations of one child, flips are a mixture by a rate with normal \
            log-odds",
            flips,
        ),
    ]
}

/// Returns a search whose parent is replaced by its child.
fn chain(kind: MutationKind) -> Evolutionary {
    Evolutionary {
        population: 1,
        scaling: Scaling::None,
        selection: Selection::Uniform,
        sharing: None,
        mix: None,
        crossover: None,
        mutation: Some(Mutation { kind, rate: 1.0 }),
        replacement: Replacement::Comma { offspring: 1 },
        schedules: Schedules::NONE,
    }
}

/// Returns the expectation of `value` at a normal number whose standard deviation is that of the
/// last generation. The trapezoidal rule is all but exact for normal densities.
fn expectation(learning_rate: f64, value: impl Fn(f64) -> f64) -> f64 {
    let deviation = learning_rate * (GENERATIONS as f64).sqrt();
    let part = |step: i32| {
        let place = f64::from(step) / 16.0;
        let density = (-place * place / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        density / 16.0 * value(deviation * place)
    };
    (-128..=128).map(part).sum()
}

fn steps(context: &mut CheckContext<'_>) -> Finding {
    let (first, learning_rate) = (0.005, 0.5);
    let kind = MutationKind::SelfAdaptiveGaussian(SelfAdaptation { first, learning_rate });
    let algorithm = context.subject.algorithm(Arc::new(chain(kind)));
    let (problem, start) = (fixtures::reals(1), [vec![0.0]]);
    let mut steps = Vec::new();
    trials(&problem, &algorithm, &start, GENERATIONS as u64, &mut context.random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        steps.push(genes[GENERATIONS] - genes[GENERATIONS - 1]);
    });
    // The range of the genes is 200.
    kolmogorov_smirnov(&mut steps, |step| {
        let at = |change: f64| normal_cdf(step / (200.0 * first * change.exp()));
        expectation(learning_rate, at)
    })
}

fn flips(context: &mut CheckContext<'_>) -> Finding {
    // So far from the least rate, 1 / length, that no rate is raised to it.
    let (first, learning_rate) = (0.4, 0.3);
    let kind = MutationKind::SelfAdaptiveBitFlip(SelfAdaptation { first, learning_rate });
    let algorithm = context.subject.algorithm(Arc::new(chain(kind)));
    let (problem, start) = (fixtures::bits(BITS), [vec![1.0; BITS]]);
    let mut counts = [0.0; BITS + 1];
    trials(&problem, &algorithm, &start, GENERATIONS as u64, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        let (old, new) = genes[(GENERATIONS - 1) * BITS..].split_at(BITS);
        counts[old.iter().zip(new).filter(|(old, new)| old != new).count()] += 1.0;
    });
    let trials: f64 = counts.iter().sum();
    let chance = |flips: usize| {
        let sets: f64 = (0..flips).map(|bit| (BITS - bit) as f64 / (bit + 1) as f64).product();
        expectation(learning_rate, |change| {
            let odds = first / (1.0 - first) * change.exp();
            let rate = odds / (1.0 + odds);
            sets * rate.powi(flips as i32) * (1.0 - rate).powi((BITS - flips) as i32)
        })
    };
    let due: Vec<f64> = (0..=BITS).map(|flips| trials * chance(flips)).collect();
    chi_square(&counts, &due)
}
