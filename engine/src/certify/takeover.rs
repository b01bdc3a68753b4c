//! Checks of takeover: the time until the best individual fills the population under selection
//! alone.

use super::fixtures::bare;
use super::statistic::{Finding, chi_square_tail};
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Scaling, Selection};

/// Number of individuals; one of them is the best at the start.
const SIZE: usize = 200;
/// Number of runs.
const RUNS: usize = 200;

/// Fitness of the best individuals; weight 1 by `reciprocal`.
const BEST: f64 = 1.0;
/// Fitness of the other individuals; weight 1/2 by `reciprocal`.
const OTHER: f64 = 2.0;

/// Selection, with the probability that a parent is a best individual if their share is p (Goldberg
/// and Deb 1991, doi:10.1016/B978-0-08-050684-5.50008-2). Also their takeover time for the
/// selection.
struct Case {
    operator: &'static str,
    selection: Selection,
    scaling: Scaling,
    grows: fn(f64) -> f64,
    theory: f64,
}

fn cases() -> Vec<Case> {
    let n = SIZE as f64;
    let tournament = |size: f64| (n.ln() + n.ln().ln()) / size.ln();
    vec![
        Case {
            operator: "tournament",
            selection: Selection::Tournament { size: 2 },
            scaling: Scaling::None,
            grows: |p| 1.0 - (1.0 - p).powi(2),
            theory: tournament(2.0),
        },
        Case {
            operator: "tournament",
            selection: Selection::Tournament { size: 5 },
            scaling: Scaling::None,
            grows: |p| 1.0 - (1.0 - p).powi(5),
            theory: tournament(5.0),
        },
        Case {
            operator: "truncation",
            selection: Selection::Truncation { share: 0.25 },
            scaling: Scaling::None,
            grows: |p| (4.0 * p).min(1.0),
            theory: n.ln() / 4.0f64.ln(),
        },
        Case {
            // Ranking at the greatest pressure grows like a tournament of two, except for an effect
            // of the finite population.
            operator: "roulette",
            selection: Selection::Roulette,
            scaling: Scaling::Rank { pressure: 2.0 },
            grows: |p| 1.0 - (1.0 - p).powi(2) + p * (1.0 - p) / (SIZE as f64 - 1.0),
            theory: tournament(2.0),
        },
        Case {
            operator: "roulette",
            selection: Selection::Roulette,
            scaling: Scaling::Reciprocal,
            grows: |p| p / (p + (1.0 - p) * BEST / OTHER),
            // Two types have weights of 2 to 1. The odds double per generation, from 1 to N - 1 up
            // to N - 1 to 1.
            theory: 2.0 * (n - 1.0).ln() / 2.0f64.ln(),
        },
    ]
}

pub(super) fn checks() -> Vec<Check> {
    let name = |case: &Case| match (case.selection, case.scaling) {
        (Selection::Tournament { size }, _) => format!("takeover by tournaments of {size}"),
        (Selection::Truncation { .. }, _) => "takeover by the best quarter".into(),
        (_, Scaling::Rank { .. }) => "takeover by ranks, pressure 2".into(),
        _ => "takeover by weights of 2 to 1".into(),
    };
    let one = |case: Case| {
        check(Slot::Selection, case.operator, name(&case), move |context| run(context, &case))
    };
    cases().into_iter().map(one).collect()
}

/// Tests the growth of the best. In every generation their number is binomial, with a probability
/// given by the generation before. The squares of the standardised deviations sum to chi-square, if
/// neither type is rare.
fn run(context: &mut CheckContext<'_>, case: &Case) -> Finding {
    let set = bare(case.selection, case.scaling);
    let (mut sum, mut freedom) = (0.0, 0.0);
    let (mut times, mut taken) = (0u32, 0u32);
    let mut parents = vec![0; SIZE];
    for _ in 0..RUNS {
        let (mut best, mut generations) = (1, 0);
        while best > 0 && best < SIZE {
            let fitness: Vec<f64> =
                (0..SIZE).map(|row| if row < best { BEST } else { OTHER }).collect();
            context.subject.choose(&set, &fitness, &mut context.random, &mut parents);
            let chance = (case.grows)(best as f64 / SIZE as f64);
            best = parents.iter().filter(|parent| (**parent as usize) < best).count();
            let (mean, variance) = (SIZE as f64 * chance, SIZE as f64 * chance * (1.0 - chance));
            if variance >= 9.0 {
                sum += (best as f64 - mean).powi(2) / variance;
                freedom += 1.0;
            }
            generations += 1;
            if generations > 1000 {
                break;
            }
        }
        times += if best == SIZE { generations } else { 0 };
        taken += u32::from(best == SIZE);
    }
    // Two-sided, because a takeover without any noise would also be wrong.
    let tail = chi_square_tail(sum, freedom);
    let statistic = format!(
        "chi-square {sum:.1}, {freedom} d.f.; {:.1} generations, {:.1} in the literature",
        f64::from(times) / f64::from(taken.max(1)),
        case.theory
    );
    Finding { statistic, p: Some((2.0 * tail.min(1.0 - tail)).min(1.0)), held: true }
        .and(taken > 0, "the best one never took over")
}
