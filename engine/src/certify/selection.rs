//! Checks of scalings and selections: the frequency of each row as a parent.

use super::fixtures::bare;
use super::statistic::{Finding, bonferroni, chi_square};
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Scaling, Selection};

/// Number of parents drawn at a time.
const PARENTS: usize = 500;
/// Number of draws of [`PARENTS`] parents.
const ROUNDS: usize = 400;

/// Fitness values with ties, a solution, and a bad one.
const FITNESS: [f64; 12] = [3.0, 0.0, 7.0, 2.0, 2.0, 11.0, 5.0, 1.0, 5.0, 5.0, 9.0, 4.0];
/// Fitness above which `complement` gives no weight.
const WORST: f64 = 10.0;

/// Computes the weights by their formulas.
fn weights(scaling: Scaling) -> Vec<f64> {
    let count = FITNESS.len() as f64;
    let sum: f64 = FITNESS.iter().sum();
    let weight = |fitness: f64| match scaling {
        Scaling::None => 1.0,
        Scaling::Complement { worst } => (worst - fitness).max(0.0),
        Scaling::Reciprocal => 1.0 / if fitness == 0.0 { 1.0 } else { fitness },
        Scaling::ShareComplement => 1.0 - fitness / sum,
        Scaling::Rank { pressure } => {
            // Ranks start at 0, and equal rows share their mean. It is the number of rows below,
            // plus half the number of other equal rows.
            let below = FITNESS.iter().filter(|other| **other < fitness).count() as f64;
            let equal = FITNESS.iter().filter(|other| **other == fitness).count() as f64;
            pressure - 2.0 * (pressure - 1.0) * (below + (equal - 1.0) / 2.0) / (count - 1.0)
        }
    };
    FITNESS.into_iter().map(weight).collect()
}

/// Returns each row's probability of being the best of `size` draws with replacement. This is the
/// probability that no draw is better, minus the probability that all draws are worse. Equal rows
/// share it.
fn tournament(size: i32) -> Vec<f64> {
    let count = FITNESS.len() as f64;
    let chance = |fitness: f64| {
        let worse_or_equal = FITNESS.iter().filter(|other| **other >= fitness).count() as f64;
        let worse = FITNESS.iter().filter(|other| **other > fitness).count() as f64;
        ((worse_or_equal / count).powi(size) - (worse / count).powi(size))
            / (worse_or_equal - worse)
    };
    FITNESS.into_iter().map(chance).collect()
}

/// Returns probabilities that are uniform among the `count` fittest. If only some of several equal
/// rows fit, each has the same probability.
fn truncation(count: usize) -> Vec<f64> {
    let chance = |fitness: f64| {
        let better = FITNESS.iter().filter(|other| **other < fitness).count() as f64;
        let equal = FITNESS.iter().filter(|other| **other == fitness).count() as f64;
        ((count as f64 - better) / equal).clamp(0.0, 1.0) / count as f64
    };
    FITNESS.into_iter().map(chance).collect()
}

/// Positive fitness values for noisy ranking.
const NOISY: [f64; 5] = [1.0, 2.0, 2.5, 4.0, 8.0];

/// Returns each row's probability that its fitness times a uniform number is the least product.
/// This is the integral of its density, 1 / f up to f, times the probability that every other
/// product is greater. Uses Simpson's rule.
fn least_product() -> Vec<f64> {
    let chance = |own: f64| {
        let others = |x: f64| {
            let greater = NOISY.iter().map(|fitness| (1.0 - x / fitness).max(0.0)).product::<f64>();
            greater / (1.0 - x / own).max(f64::MIN_POSITIVE)
        };
        // The least fitness limits the support of the integrand.
        let (end, steps) = (own.min(NOISY[0]) * (1.0 - 1e-12), 2000);
        let width = end / f64::from(steps);
        let term = |step: i32| {
            let factor =
                if step == 0 || step == steps { 1.0 } else { 2.0 + 2.0 * f64::from(step % 2) };
            factor * others(f64::from(step) * width) / own
        };
        (0..=steps).map(term).sum::<f64>() * width / 3.0
    };
    NOISY.into_iter().map(chance).collect()
}

fn count(context: &mut CheckContext<'_>, selection: Selection, scaling: Scaling) -> Vec<f64> {
    let mut counts = vec![0.0; FITNESS.len()];
    let mut parents = vec![0; PARENTS];
    for _ in 0..ROUNDS {
        context.subject.choose(
            &bare(selection, scaling),
            &FITNESS,
            &mut context.random,
            &mut parents,
        );
        parents.iter().for_each(|parent| counts[*parent as usize] += 1.0);
    }
    counts
}

/// Tests frequencies against expected shares.
fn frequencies(
    context: &mut CheckContext<'_>,
    selection: Selection,
    scaling: Scaling,
    shares: &[f64],
) -> Finding {
    let (whole, drawn) = (shares.iter().sum::<f64>(), (PARENTS * ROUNDS) as f64);
    let expected: Vec<f64> = shares.iter().map(|share| drawn * share / whole).collect();
    chi_square(&count(context, selection, scaling), &expected)
}

pub(super) fn checks() -> Vec<Check> {
    let scalings = [
        ("complement", Scaling::Complement { worst: WORST }),
        ("reciprocal", Scaling::Reciprocal),
        ("share-complement", Scaling::ShareComplement),
        ("rank", Scaling::Rank { pressure: 1.7 }),
    ];
    let mut checks: Vec<Check> = scalings
        .into_iter()
        .map(|(name, scaling)| {
            check(Slot::Scaling, name, "roulette draws by its weights", move |context| {
                frequencies(context, Selection::Roulette, scaling, &weights(scaling))
            })
        })
        .collect();
    let complement = Scaling::Complement { worst: WORST };
    checks.push(check(Slot::Selection, "roulette", "frequencies match weights", move |context| {
        frequencies(context, Selection::Roulette, complement, &weights(complement))
    }));
    checks.push(check(
        Slot::Selection,
        "sus",
        "each row gets its expected number, rounded (Baker 1987)",
        move |context| even(context, complement),
    ));
    checks.push(check(
        Slot::Selection,
        "sus",
        "the first parent by weight: mates are shuffled",
        move |context| first_of_even(context, complement),
    ));
    for size in [2, 3, 7] {
        let claim = format!("frequencies of the best of {size} draws");
        checks.push(check(Slot::Selection, "tournament", claim, move |context| {
            frequencies(
                context,
                Selection::Tournament { size: size as usize },
                Scaling::None,
                &tournament(size),
            )
        }));
    }
    checks.push(check(
        Slot::Selection,
        "truncation",
        "uniform among the best 5 of 12",
        |context| {
            frequencies(
                context,
                Selection::Truncation { share: 5.0 / 12.0 },
                Scaling::None,
                &truncation(5),
            )
        },
    ));
    checks.push(check(
        Slot::Selection,
        "truncation",
        "equals at the cut-off of the best 7 equally often",
        |context| {
            let (mut counts, mut parent) = (vec![0.0; FITNESS.len()], [0]);
            for _ in 0..20_000 {
                let set = bare(Selection::Truncation { share: 7.0 / 12.0 }, Scaling::None);
                context.subject.choose(&set, &FITNESS, &mut context.random, &mut parent);
                counts[parent[0] as usize] += 1.0;
            }
            let expected: Vec<f64> =
                truncation(7).into_iter().map(|chance| chance * 20_000.0).collect();
            chi_square(&counts, &expected)
        },
    ));
    checks.push(check(Slot::Selection, "uniform", "uniform among all", |context| {
        frequencies(context, Selection::Uniform, Scaling::None, &[1.0; FITNESS.len()])
    }));
    checks.push(check(
        Slot::Selection,
        "noisy-rank",
        "smallest product first, by its integral",
        noisy,
    ));
    for (word, value) in [("0", 0.0), ("infinity", f64::INFINITY)] {
        let claim = format!("rows with fitness {word} come first equally often");
        checks.push(check(Slot::Selection, "noisy-rank", claim, move |context| {
            noisy_equals(context, value)
        }));
    }
    checks
}

/// Checks that counts of a round are expectations rounded down or up. Tests the frequency of
/// rounding up against the fraction.
fn even(context: &mut CheckContext<'_>, scaling: Scaling) -> Finding {
    let weights = weights(scaling);
    let (whole, rounds) = (weights.iter().sum::<f64>(), 20_000);
    // With few parents, fractions matter.
    let mut parents = vec![0; 17];
    let due: Vec<f64> = weights.iter().map(|weight| 17.0 * weight / whole).collect();
    let (mut ups, mut breaches) = (vec![0.0; due.len()], 0);
    for _ in 0..rounds {
        context.subject.choose(
            &bare(Selection::Sus, scaling),
            &FITNESS,
            &mut context.random,
            &mut parents,
        );
        for (row, due) in due.iter().enumerate() {
            let found = parents.iter().filter(|parent| **parent == row as u32).count() as f64;
            ups[row] += f64::from(u8::from(found > due.floor()));
            breaches += u64::from((found - due).abs() >= 1.0);
        }
    }
    // Rows of one round depend on each other, so the smallest p times the number of rows bounds the
    // whole.
    let each = ups.iter().zip(&due).filter(|(_, due)| due.fract() > 0.0).map(|(ups, due)| {
        let (rounds, chance) = (f64::from(rounds), due.fract());
        chi_square(&[*ups, rounds - ups], &[rounds * chance, rounds * (1.0 - chance)])
    });
    let least = each.filter_map(|finding| finding.p).fold(1.0, f64::min);
    let p = (least * due.len() as f64).min(1.0);
    let statistic = format!("{rounds} rounds, smallest p of {} rows {least:.3}", due.len());
    Finding { statistic, p: Some(p), held: true }
        .and(breaches == 0, &format!("{breaches} counts off by more than 1"))
}

fn first_of_even(context: &mut CheckContext<'_>, scaling: Scaling) -> Finding {
    let weights = weights(scaling);
    let (whole, rounds) = (weights.iter().sum::<f64>(), 20_000.0);
    let mut counts = vec![0.0; weights.len()];
    let mut parents = vec![0; 17];
    // Rounds whose first two parents are the same row, and their expected number by what was
    // chosen in each round.
    let (mut alike, mut due) = (0.0, 0.0);
    for _ in 0..rounds as usize {
        context.subject.choose(
            &bare(Selection::Sus, scaling),
            &FITNESS,
            &mut context.random,
            &mut parents,
        );
        counts[parents[0] as usize] += 1.0;
        alike += f64::from(u8::from(parents[0] == parents[1]));
        let mut chosen = vec![0.0; weights.len()];
        parents.iter().for_each(|parent| chosen[*parent as usize] += 1.0);
        let pairs = (parents.len() * (parents.len() - 1)) as f64;
        due += chosen.iter().map(|count| count * (count - 1.0) / pairs).sum::<f64>();
    }
    let expected: Vec<f64> = weights.iter().map(|weight| rounds * weight / whole).collect();
    let first = chi_square(&counts, &expected);
    let mates = chi_square(&[alike, rounds - alike], &[due, rounds - due]);
    let both: Vec<f64> = first.p.into_iter().chain(mates.p).collect();
    let words = format!("{alike} rounds begin with two copies of a row, {due:.0} expected");
    Finding { p: Some(bonferroni(&both)), ..first }.noting(&words)
}

/// Tests that the first parent of a round has the least product, and that each row is a parent once
/// per round.
fn noisy(context: &mut CheckContext<'_>) -> Finding {
    let set = bare(Selection::NoisyRank, Scaling::None);
    let (mut counts, mut breaches, rounds) = (vec![0.0; NOISY.len()], 0, 100_000);
    let mut parents = vec![0; NOISY.len()];
    for _ in 0..rounds {
        context.subject.choose(&set, &NOISY, &mut context.random, &mut parents);
        counts[parents[0] as usize] += 1.0;
        let mut sorted = parents.clone();
        sorted.sort_unstable();
        breaches += u64::from(!sorted.into_iter().eq(0..NOISY.len() as u32));
    }
    let expected: Vec<f64> =
        least_product().into_iter().map(|chance| chance * f64::from(rounds)).collect();
    chi_square(&counts, &expected)
        .and(breaches == 0, &format!("{breaches} rounds without all rows"))
}

/// Tests four rows with the same product for every random number, and one row of fitness 1.
fn noisy_equals(context: &mut CheckContext<'_>, value: f64) -> Finding {
    let set = bare(Selection::NoisyRank, Scaling::None);
    let (fitness, rounds) = ([value, value, 1.0, value, value], 20_000);
    let (mut counts, mut parents, mut breaches) = (vec![0.0; 5], vec![0; 5], 0);
    for _ in 0..rounds {
        context.subject.choose(&set, &fitness, &mut context.random, &mut parents);
        // Fitness 0 always comes before 1, and infinity always comes after it.
        let (first, other) =
            if value == 0.0 { (parents[0], parents[4]) } else { (parents[1], parents[0]) };
        counts[first as usize] += 1.0;
        breaches += u32::from(other != 2);
    }
    let each = f64::from(rounds) / 4.0;
    chi_square(&counts, &[each, each, 0.0, each, each])
        .and(breaches == 0, &format!("{breaches} rounds out of order"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_sum_to_one() {
        for chances in [tournament(2), tournament(7), truncation(5), truncation(7), least_product()]
        {
            let sum: f64 = chances.iter().sum();
            assert!((sum - 1.0).abs() < 1e-9, "{chances:?}");
        }
        // Of the products of fitness 1 and 2, the first is less with probability 3/4; the integral
        // covers five rows.
        assert!(least_product()[0] > 0.4);
        assert_eq!(weights(Scaling::Rank { pressure: 2.0 })[1], 2.0);
    }
}
