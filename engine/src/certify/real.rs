//! Checks of operators on real genes: distributions, by the Kolmogorov-Smirnov test.

use super::fixtures::{REALS, crossing, mutating};
use super::statistic::{Finding, chi_square, kolmogorov_smirnov};
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{CrossoverKind, Genes, MutationKind};
use crate::stats::normal_cdf;

/// Number of children per check.
const CHILDREN: usize = 20_000;
/// Width of the bounds, -100 to 100.
const WIDTH: f64 = 200.0;

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(Slot::Mutation, "gaussian", "normal, sigma 0.02 of the range", |context| {
            let kind = MutationKind::Gaussian { sigma: 0.02, genes: Genes::One };
            steps(context, kind, 10.0, |step| normal_cdf(step / (0.02 * WIDTH)))
        }),
        check(
            Slot::Mutation,
            "gaussian",
            "stays within the bounds, is set to the bound if it would leave",
            clamped,
        ),
        check(
            Slot::Mutation,
            "polynomial",
            "steps as in Deb and Goyal (1996), eta 15",
            |context| {
                // In the middle of the range, truncation removes 2^-17 on either side.
                polynomial(context, 15.0)
            },
        ),
        check(Slot::Mutation, "polynomial", "stays within the bounds", |context| {
            bounded(context, MutationKind::Polynomial { eta: 1.0, genes: Genes::Each(1.0) }, 95.0)
        }),
        check(Slot::Mutation, "reset", "real genes uniform within the bounds", |context| {
            let kind = MutationKind::Reset { genes: Genes::One, different: true };
            steps(context, kind, 0.0, |value| ((value + WIDTH / 2.0) / WIDTH).clamp(0.0, 1.0))
        }),
        check(
            Slot::Crossover,
            "blend",
            "uniform in the parents' range widened by alpha 0.5",
            |context| {
                let mut genes = first_children(context, CrossoverKind::Blend { alpha: 0.5 });
                kolmogorov_smirnov(&mut genes, |gene| ((gene + 15.0) / 40.0).clamp(0.0, 1.0))
            },
        ),
        check(
            Slot::Crossover,
            "sbx",
            "spread as in Deb and Agrawal (1995), eta 5; half of the genes crossed",
            |context| spread(context, 5.0),
        ),
    ]
}

/// Tests the steps of genes that changed; every gene starts at `start`.
fn steps(
    context: &mut CheckContext<'_>,
    kind: MutationKind,
    start: f64,
    cdf: impl Fn(f64) -> f64,
) -> Finding {
    let parents = |needed: usize| vec![0; needed];
    let (problem, set) = (&context.problems.reals, mutating(kind, 1.0));
    let made = context.subject.vary_real(
        problem,
        &set,
        &[start; REALS],
        &parents,
        CHILDREN,
        &mut context.random,
    );
    let mut steps: Vec<f64> =
        made.iter().map(|gene| gene - start).filter(|step| *step != 0.0).collect();
    let changed = steps.len();
    let finding = kolmogorov_smirnov(&mut steps, cdf);
    finding.and(
        changed == CHILDREN,
        &format!("{changed} genes of {CHILDREN} children changed instead of one each"),
    )
}

fn bounded(context: &mut CheckContext<'_>, kind: MutationKind, start: f64) -> Finding {
    let made = mutants(context, kind, start);
    let moved = made.iter().filter(|gene| **gene != start).count();
    Finding::promise(made.len() as u64, outside(&made))
        .and(moved > made.len() / 2, "most genes did not move")
}

/// Tests that long Gaussian steps which would leave the bounds end at the bound.
fn clamped(context: &mut CheckContext<'_>) -> Finding {
    let (sigma, start, bound) = (0.5, 90.0, WIDTH / 2.0);
    let kind = MutationKind::Gaussian { sigma, genes: Genes::Each(1.0) };
    let made = mutants(context, kind, start);
    let at = |bound: f64| made.iter().filter(|gene| **gene == bound).count() as f64;
    let (low, high, all) = (at(-bound), at(bound), made.len() as f64);
    let below = normal_cdf((-bound - start) / (sigma * WIDTH));
    let above = normal_cdf((start - bound) / (sigma * WIDTH));
    let expected = [below, above, 1.0 - below - above].map(|share| share * all);
    chi_square(&[low, high, all - low - high], &expected)
        .and(outside(&made) == 0, "genes are outside of the bounds")
}

/// Returns the number of genes outside of the bounds, or that are no numbers.
fn outside(genes: &[f64]) -> u64 {
    genes.iter().filter(|gene| gene.is_nan() || gene.abs() > WIDTH / 2.0).count() as u64
}

/// Returns the genes of mutants whose parents have the gene `start` everywhere.
fn mutants(context: &mut CheckContext<'_>, kind: MutationKind, start: f64) -> Vec<f64> {
    let parents = |needed: usize| vec![0; needed];
    let (problem, set) = (&context.problems.reals, mutating(kind, 1.0));
    context.subject.vary_real(
        problem,
        &set,
        &[start; REALS],
        &parents,
        CHILDREN,
        &mut context.random,
    )
}

/// Tests polynomial steps. The density of the step, divided by the range, is (eta + 1) / 2 (1 -
/// |step|)^eta, truncated at the bounds.
fn polynomial(context: &mut CheckContext<'_>, eta: f64) -> Finding {
    let below = |step: f64| 0.5 * (1.0 + step).powf(eta + 1.0);
    let whole = |step: f64| if step < 0.0 { below(step) } else { 1.0 - below(-step) };
    let (low, high) = (whole(-0.5), whole(0.5));
    let kind = MutationKind::Polynomial { eta, genes: Genes::One };
    steps(context, kind, 0.0, move |step| {
        ((whole(step / WIDTH) - low) / (high - low)).clamp(0.0, 1.0)
    })
}

/// Returns the genes of the first children of parents whose genes are all -5 and all 15.
fn first_children(context: &mut CheckContext<'_>, kind: CrossoverKind) -> Vec<f64> {
    let made = both_children(context, kind);
    made.into_iter().map(|(first, _)| first).collect()
}

/// Returns the genes of both children at each position.
fn both_children(context: &mut CheckContext<'_>, kind: CrossoverKind) -> Vec<(f64, f64)> {
    let parents = |needed: usize| (0..needed as u32).map(|row| row % 2).collect();
    let genes = [[-5.0; REALS], [15.0; REALS]].concat();
    let (problem, set) = (&context.problems.reals, crossing(kind, 1.0, 2));
    let made =
        context.subject.vary_real(problem, &set, &genes, &parents, CHILDREN, &mut context.random);
    let pairs = made
        .chunks_exact(2 * REALS)
        .flat_map(|pair| (0..REALS).map(|place| (pair[place], pair[REALS + place])));
    pairs.collect()
}

/// Tests the spread factor of crossed genes: the children's distance divided by the parents'
/// distance.
fn spread(context: &mut CheckContext<'_>, eta: f64) -> Finding {
    let genes = both_children(context, CrossoverKind::Sbx { eta });
    let crossed = |(first, second): &&(f64, f64)| (*first, *second) != (-5.0, 15.0);
    let mut factors: Vec<f64> =
        genes.iter().filter(crossed).map(|(first, second)| (first - second).abs() / 20.0).collect();
    let half = super::statistic::share(factors.len() as f64, genes.len() as f64, 0.5);
    let turned = genes.iter().filter(crossed).filter(|(first, second)| first > second).count();
    let turns = super::statistic::share(turned as f64, factors.len() as f64, 0.5);
    // The bounds are so far away that truncation has no noticeable effect.
    let finding = kolmogorov_smirnov(&mut factors, |factor| {
        if factor <= 1.0 {
            0.5 * factor.powf(eta + 1.0)
        } else {
            1.0 - 0.5 * factor.powf(-eta - 1.0)
        }
    });
    let least = [&finding, &half, &turns].into_iter().filter_map(|one| one.p).fold(1.0, f64::min);
    Finding { p: Some((3.0 * least).min(1.0)), ..finding }
}
