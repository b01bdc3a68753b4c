//! Checks of rates and mixes: the frequency of each operation in whole generations of children.

use super::fixtures::{BITS, DIGITS, REALS, crossing, mixing, mutating};
use super::statistic::{Finding, chi_square, share};
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{CrossoverKind, Cut, Genes, Mix, MutationKind};

/// Number of children per generation.
const OFFSPRING: usize = 500;
/// Number of generations.
const ROUNDS: usize = 200;

pub(super) fn checks() -> Vec<Check> {
    let flip = |rate| MutationKind::BitFlip { genes: Genes::Each(rate) };
    vec![
        check(Slot::Crossover, "one-point", "a mix of 30 / 69 / 1 has these shares", |context| {
            mix(context, Mix { clone: 0.30, crossover: 0.69, mutate: 0.01 })
        }),
        check(
            Slot::Crossover,
            "one-point",
            "crossover at its rate of 0.7, one child per pair",
            |context| crossed(context, 0.7, 1),
        ),
        check(
            Slot::Crossover,
            "one-point",
            "crossover at its rate of 0.7, two children per pair",
            |context| crossed(context, 0.7, 2),
        ),
        check(Slot::Mutation, "reset", "mutation at its rate of 0.03 per child", |context| {
            mutated(context, 0.03)
        }),
        check(
            Slot::Mutation,
            "bit-flip",
            "flips a child at a gene rate of 1 / length",
            move |context| flips(context, flip(1.0 / BITS as f64), 1.0 / BITS as f64),
        ),
        check(Slot::Mutation, "bit-flip", "flips a child at a gene rate of 0.3", move |context| {
            flips(context, flip(0.3), 0.3)
        }),
        check(Slot::Mutation, "bit-flip", "every position flips equally often", move |context| {
            places(context, flip(0.05))
        }),
    ]
}

/// Tests the shares of a mix. All genes of row r are r/8. A clone has one such number, a crossed
/// child has two, and a mutant has one that is no multiple of 1/8.
fn mix(context: &mut CheckContext<'_>, mix: Mix) -> Finding {
    let genes: Vec<f64> = (0..OFFSPRING).flat_map(|row| [row as f64 / 8.0; REALS]).collect();
    // Every unmutated gene is a multiple of 1/8, far within the bounds; a mutated gene hardly ever
    // is.
    let whole = |gene: f64| (gene * 8.0).fract() == 0.0;
    let kind = CrossoverKind::OnePoint { cut: Cut::Inner };
    let set = mixing(mix, kind, MutationKind::Gaussian { sigma: 0.01, genes: Genes::One });
    let mut counts = [0.0; 3];
    for _ in 0..ROUNDS {
        let parents =
            |needed: usize| (0..needed as u32).map(|row| row % OFFSPRING as u32).collect();
        let problem = &context.problems.reals;
        let children = context.subject.vary_real(
            problem,
            &set,
            &genes,
            &parents,
            OFFSPRING,
            &mut context.random,
        );
        for child in children.chunks_exact(REALS) {
            let kind = if child.iter().any(|gene| !whole(*gene)) {
                2
            } else {
                usize::from(child.iter().any(|gene| *gene != child[0]))
            };
            counts[kind] += 1.0;
        }
    }
    let steps: f64 = counts.iter().sum();
    let finding =
        chi_square(&counts, &[mix.clone, mix.crossover, mix.mutate].map(|share| share * steps));
    let [clones, crossed, mutants] = counts.map(|count| 100.0 * count / steps);
    finding.noting(&format!("{clones:.1} / {crossed:.1} / {mutants:.2} %"))
}

/// Tests the crossover rate with parents of all 0 and all 1. A child with both values was crossed.
fn crossed(context: &mut CheckContext<'_>, rate: f64, children: usize) -> Finding {
    let set = crossing(CrossoverKind::OnePoint { cut: Cut::Inner }, rate, children);
    let genes = [[0; DIGITS], [1; DIGITS]].concat();
    let (mut hits, mut pairs, mut breaches) = (0.0, 0.0, 0);
    for _ in 0..ROUNDS {
        let parents = |needed: usize| (0..needed as u32).map(|row| row % 2).collect();
        let made = context.subject.vary(
            &context.problems.digits,
            &set,
            &genes,
            &parents,
            OFFSPRING,
            &mut context.random,
        );
        for pair in made.chunks_exact(children * DIGITS) {
            pairs += 1.0;
            hits += f64::from(u8::from(pair[..DIGITS].contains(&0) && pair[..DIGITS].contains(&1)));
            // The second child is the complement of the first.
            let mirrored =
                pair[DIGITS..].iter().zip(pair).all(|(second, first)| *second == 1 - *first);
            breaches += u64::from(!mirrored);
        }
    }
    share(hits, pairs, rate).and(
        breaches == 0,
        &format!("{breaches} pairs whose children do not complement each other"),
    )
}

/// Tests the mutation rate. The new value always differs, so any child unlike its parent has
/// mutated.
fn mutated(context: &mut CheckContext<'_>, rate: f64) -> Finding {
    let set = mutating(MutationKind::Reset { genes: Genes::One, different: true }, rate);
    let mut hits = 0.0;
    for _ in 0..ROUNDS {
        let parents = |needed: usize| vec![0; needed];
        let problem = &context.problems.digits;
        let made = context.subject.vary(
            problem,
            &set,
            &[3; DIGITS],
            &parents,
            OFFSPRING,
            &mut context.random,
        );
        hits +=
            made.chunks_exact(DIGITS).filter(|child| child.iter().any(|gene| *gene != 3)).count()
                as f64;
    }
    share(hits, (ROUNDS * OFFSPRING) as f64, rate)
}

/// Returns rows of zeros after mutation.
fn flipped(context: &mut CheckContext<'_>, kind: MutationKind) -> Vec<u8> {
    let set = mutating(kind, 1.0);
    let parents = |needed: usize| vec![0; needed];
    let rows = ROUNDS * OFFSPRING;
    context.subject.vary(
        &context.problems.bits,
        &set,
        &[0; BITS],
        &parents,
        rows,
        &mut context.random,
    )
}

/// Tests the number of flips per child, which is binomial.
fn flips(context: &mut CheckContext<'_>, kind: MutationKind, rate: f64) -> Finding {
    let mut counts = [0.0; BITS + 1];
    for child in flipped(context, kind).chunks_exact(BITS) {
        counts[child.iter().map(|gene| usize::from(*gene)).sum::<usize>()] += 1.0;
    }
    let rows: f64 = counts.iter().sum();
    let mut due = [0.0; BITS + 1];
    let mut ways = 1.0;
    for (hits, due) in due.iter_mut().enumerate() {
        *due = rows * ways * rate.powi(hits as i32) * (1.0 - rate).powi((BITS - hits) as i32);
        ways *= (BITS - hits) as f64 / (hits + 1) as f64;
    }
    chi_square(&counts, &due)
}

fn places(context: &mut CheckContext<'_>, kind: MutationKind) -> Finding {
    let mut counts = [0.0; BITS];
    for child in flipped(context, kind).chunks_exact(BITS) {
        child.iter().zip(&mut counts).for_each(|(gene, count)| *count += f64::from(*gene));
    }
    let all: f64 = counts.iter().sum();
    chi_square(&counts, &[all / BITS as f64; BITS])
}
