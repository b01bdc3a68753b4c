//! Checks of the (1+1) evolution strategy.

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::algorithms::OnePlusOneEs;
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of generations.
const GENERATIONS: usize = 5;
/// Number of classes of equal probability of the last step.
const CLASSES: u8 = 8;
/// Initial step size: so small that fitness is a slope, on which half of all steps succeed.
const SETTINGS: OnePlusOneEs = OnePlusOneEs { sigma: 0.0001, success_rate: 0.2 };

pub(super) fn checks() -> Vec<Check> {
    let claim = |genes| {
        format!(
            "on a slope of {genes}, half of all steps succeed, and sizes follow the one-fifth rule"
        )
    };
    let of = |count, genes| {
        check(Slot::Algorithm, "one-plus-one-es", claim(genes), move |context| {
            steps(context, count)
        })
    };
    vec![of(1, "one gene"), of(3, "three genes")]
}

/// Counts the successes of all generations, with the class of the last step if it succeeded. Only
/// the first of `genes` genes changes fitness noticeably.
fn steps(context: &mut CheckContext<'_>, genes: usize) -> Finding {
    let algorithm = context.subject.algorithm(Arc::new(SETTINGS));
    let mut start = vec![0.0; genes];
    start[0] = 90.0;
    let (problem, start) = (fixtures::reals(genes), [start]);
    let (mut counts, normal) = (BTreeMap::new(), Normal::standard());
    let generations = GENERATIONS as u64;
    trials(&problem, &algorithm, &start, generations, &mut context.random, |result| {
        let Some(Genome::F64(all)) = result.traced_genes else { return };
        let first: Vec<f64> = all.iter().copied().step_by(genes).collect();
        // The range of the genes is 200.
        let (mut sigma, mut outcome) = (200.0 * SETTINGS.sigma, Vec::new());
        let mut class = 0;
        for pair in first.windows(2) {
            let size = (pair[1] - pair[0]).abs() / sigma;
            let succeeds = size > 0.0;
            outcome.push(u8::from(succeeds));
            class = ((2.0 * normal.cdf(size) - 1.0) * f64::from(CLASSES)) as u8;
            // Hansen, Arnold and Auger (2015), algorithm 44.3.
            let exponent = if succeeds { 0.8 } else { -0.2 };
            sigma *= f64::exp(exponent / f64::sqrt(genes as f64 + 1.0));
        }
        outcome.push(class);
        *counts.entry(outcome).or_insert(0.0) += 1.0;
    });
    let mut chances = Chances::new();
    for sequence in 0..1 << GENERATIONS {
        let successes: Vec<u8> = (0..GENERATIONS).map(|at| (sequence >> at & 1) as u8).collect();
        let classes = if successes[GENERATIONS - 1] == 1 { CLASSES } else { 1 };
        for class in 0..classes {
            let chance = 0.5f64.powi(GENERATIONS as i32) / f64::from(classes);
            chances.insert([&successes[..], &[class]].concat(), chance);
        }
    }
    outcomes(&counts, &chances)
}
