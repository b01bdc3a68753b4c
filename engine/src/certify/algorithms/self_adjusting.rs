//! Checks of self-adjusting (1+λ) evolutionary algorithms: their first generations on a sum of bits
//! against a Markov chain of the number of ones and the strength.

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::algorithms::{Control, Rounding, SelfAdjustingOnePlusLambda};
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of generations.
const GENERATIONS: usize = 3;
/// Number of mutants per generation.
const LAMBDA: usize = 4;

pub(super) fn checks() -> Vec<Check> {
    let normal = |factor, rounding| Control::Normal { strength: 2.0, factor, rounding };
    let claim = |control: &str, bits: usize| {
        format!("{GENERATIONS} generations with {control} on OneMax of {bits} bits")
    };
    let of = |words: &str, bits, control| {
        let words = claim(words, bits);
        check(Slot::Algorithm, "self-adjusting-one-plus-lambda", words, move |context| {
            first_generations(context, bits, control)
        })
    };
    vec![
        of(
            "the two rates of Doerr, Gießen, Witt and Yang (2019)",
            16,
            Control::TwoRate { strength: 2.0 },
        ),
        of(
            "the normal numbers of Ye, Doerr and Bäck (2019), truncated,",
            8,
            normal(1.0, Rounding::Truncate),
        ),
        of(
            "the normal numbers of Ye, Doerr and Bäck (2019), rounded,",
            8,
            normal(1.0, Rounding::Nearest),
        ),
        of(
            "the variance control of Ye, Doerr and Bäck (2019), F = 0.5,",
            8,
            normal(0.5, Rounding::Truncate),
        ),
        of("the log-normal rates of Bäck and Schütz (1996)", 8, Control::LogNormal { rate: 0.2 }),
    ]
}

/// Counts the numbers of ones in all generations of trials that start with all ones.
fn first_generations(context: &mut CheckContext<'_>, bits: usize, control: Control) -> Finding {
    let mut counts = BTreeMap::new();
    let algorithm = SelfAdjustingOnePlusLambda { lambda: LAMBDA, control };
    let algorithm = context.subject.algorithm(Arc::new(algorithm));
    let (problem, ones) = (fixtures::bits(bits), vec![vec![1.0; bits]]);
    trials(&problem, &algorithm, &ones, GENERATIONS as u64, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        let path: Vec<u8> = genes.chunks(bits).map(|genome| genome.iter().sum()).collect();
        *counts.entry(path).or_insert(0.0) += 1.0;
    });
    let mut states = BTreeMap::from([((vec![bits as u8], State::first(control)), 1.0)]);
    for _ in 0..GENERATIONS {
        let mut next = BTreeMap::new();
        for ((path, state), chance) in states {
            let ones = path[path.len() - 1];
            for ((ones, state), part) in generations_of(control, bits, usize::from(ones), state) {
                let path = [&path[..], &[ones as u8]].concat();
                *next.entry((path, state)).or_insert(0.0) += chance * part;
            }
        }
        states = next;
    }
    let mut chances = Chances::new();
    for ((path, _), chance) in states {
        *chances.entry(path).or_insert(0.0) += chance;
    }
    outcomes(&counts, &chances)
}

/// State of the strength, in whole numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// Number of bits r, or the number of steps of the logarithm of the odds.
    strength: i64,
    /// Number of generations in which the strength has stayed.
    stayed: i32,
}

impl State {
    fn first(control: Control) -> Self {
        let strength = match control {
            Control::TwoRate { strength } | Control::Normal { strength, .. } => strength as i64,
            Control::LogNormal { .. } => 0,
        };
        State { strength, stayed: 0 }
    }
}

/// Number of steps that one standard deviation of a log-normal factor is divided into.
const STEPS: i64 = 2;

/// Mutant: strength, number of ones, probability.
type Mutant = (i64, usize, f64);

/// Returns what a generation may end with: the ones of the parent, the next state, and the
/// probability.
fn generations_of(
    control: Control,
    bits: usize,
    ones: usize,
    state: State,
) -> BTreeMap<(usize, State), f64> {
    // The mutants of each half are alike.
    let halves = [0, LAMBDA - 1].map(|mutant| mutants(control, bits, ones, state, mutant));
    let counts = [LAMBDA / 2, LAMBDA - LAMBDA / 2];
    let tallies = halves.each_ref().map(|law| {
        let mut tally = vec![0.0; bits + 1];
        law.iter().for_each(|(_, after, chance)| tally[*after] += chance);
        tally
    });
    let mut ends = BTreeMap::new();
    for (half, law) in halves.iter().enumerate() {
        let shares: Vec<f64> =
            (0..=bits).map(|best| share_of_best(&tallies, counts, half, best)).collect();
        for (strength, best, chance) in law {
            let part = chance * shares[*best] * counts[half] as f64;
            for (state, share) in next_states(control, bits, state, *strength) {
                *ends.entry(((*best).min(ones), state)).or_insert(0.0) += part * share;
            }
        }
    }
    ends
}

/// Returns the probability that a mutant of this half with `best` ones is the one that is chosen:
/// no other has fewer, and one of those with as many is drawn.
fn share_of_best(tallies: &[Vec<f64>; 2], counts: [usize; 2], half: usize, best: usize) -> f64 {
    // Probabilities of each number of others with as many ones, while no other has fewer.
    let mut ties = vec![1.0];
    for (other, tally) in tallies.iter().enumerate() {
        let (worse, equal) = (tally[best + 1..].iter().sum::<f64>(), tally[best]);
        for _ in 0..counts[other] - usize::from(other == half) {
            let mut next = vec![0.0; ties.len() + 1];
            for (count, chance) in ties.iter().enumerate() {
                next[count] += chance * worse;
                next[count + 1] += chance * equal;
            }
            ties = next;
        }
    }
    ties.iter().enumerate().map(|(count, chance)| chance / (count + 1) as f64).sum()
}

/// Returns the states after a generation whose best mutant has this strength.
fn next_states(control: Control, bits: usize, old: State, best: i64) -> Vec<(State, f64)> {
    let of = |strength| State { strength, stayed: 0 };
    match control {
        Control::TwoRate { .. } => {
            let within = |strength: i64| of(strength.clamp(2, bits as i64 / 4));
            let (half, twice) = (old.strength / 2, old.strength * 2);
            vec![(within(best), 0.5), (within(half), 0.25), (within(twice), 0.25)]
        }
        Control::Normal { .. } => {
            let stayed = if best == old.strength { old.stayed + 1 } else { 0 };
            // With a mean of all bits, the variance would be 0.
            vec![(State { strength: best.min(bits as i64 - 1), stayed }, 1.0)]
        }
        Control::LogNormal { .. } => vec![(of(best), 1.0)],
    }
}

/// Returns the mutants of a parent with this number of ones.
fn mutants(control: Control, bits: usize, ones: usize, state: State, mutant: usize) -> Vec<Mutant> {
    let mut law = Vec::new();
    let mut add = |strength, flips: usize, chance: f64| {
        for (after, share) in after_flips(bits, ones, flips) {
            law.push((strength, after, chance * share));
        }
    };
    let strength = state.strength as f64;
    match control {
        Control::TwoRate { .. } => {
            let tried = if mutant < LAMBDA / 2 { state.strength / 2 } else { 2 * state.strength };
            let rate = tried as f64 / bits as f64;
            (1..=bits).for_each(|flips| add(tried, flips, at_least_one(bits, rate, flips)));
        }
        Control::Normal { factor, rounding, .. } => {
            let variance = factor.powi(state.stayed) * strength * (1.0 - strength / bits as f64);
            let shift = if rounding == Rounding::Nearest { 0.5 } else { 0.0 };
            let below = |number: f64| match Normal::new(strength, variance.sqrt()) {
                Ok(normal) if variance > 0.0 => normal.cdf(number - shift),
                _ => f64::from(u8::from(strength < number - shift)),
            };
            let all = 1.0 - below(1.0);
            for flips in 1..=bits {
                let upper = if flips == bits { 1.0 } else { below(flips as f64 + 1.0) };
                add(flips as i64, flips, (upper - below(flips as f64)) / all);
            }
        }
        Control::LogNormal { rate } => {
            // The trapezoidal rule is all but exact for normal densities.
            for step in -6 * STEPS..=6 * STEPS {
                let place = step as f64 / STEPS as f64;
                let density = (-place * place / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
                let strength = state.strength + step;
                let odds = rate / (1.0 - rate) * (0.22 * strength as f64 / STEPS as f64).exp();
                let rate = odds / (1.0 + odds);
                for flips in 1..=bits {
                    let chance = density / STEPS as f64 * at_least_one(bits, rate, flips);
                    add(strength, flips, chance);
                }
            }
        }
    }
    law
}

/// Returns the probability that this number of bits flips at a rate, given that at least one does.
fn at_least_one(bits: usize, rate: f64, flips: usize) -> f64 {
    let chance = rate.powi(flips as i32) * (1.0 - rate).powi((bits - flips) as i32);
    choose(bits, flips) * chance / (1.0 - (1.0 - rate).powi(bits as i32))
}

/// Returns the numbers of ones after this number of flips, with their probabilities.
fn after_flips(bits: usize, ones: usize, flips: usize) -> Vec<(usize, f64)> {
    let lost = flips.saturating_sub(bits - ones)..=flips.min(ones);
    lost.map(|lost| {
        let sets = choose(ones, lost) * choose(bits - ones, flips - lost);
        (ones + flips - 2 * lost, sets / choose(bits, flips))
    })
    .collect()
}

fn choose(of: usize, count: usize) -> f64 {
    (0..count).map(|place| (of - place) as f64 / (place + 1) as f64).product()
}
