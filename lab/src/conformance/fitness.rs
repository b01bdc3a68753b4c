//! Fitness, of genomes wherever they come from.

use super::batch::{Batch, of_kind};
use super::subject::{Subject, seed};
use super::{Finding, Found};
use crate::problem::{CallError, Encoding, Gene, GeneKind, Noise, Space, Walk};
use crate::random::draws::Random;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Maximum size of a space whose genomes are all tried.
const WHOLE: u64 = 200_000;

/// Returns genomes at the corners of the encoding and random ones, as operators make them.
fn strange(subject: &Subject) -> Option<Batch> {
    let description = subject.description();
    let length = description.genome_length;
    let mut random = Random::seed_from_u64(2);
    let of = |gene: &mut dyn FnMut(usize) -> f64| (0..length).map(gene).collect::<Vec<f64>>();
    let mut rows = Vec::new();
    match description.encoding {
        Encoding::Opaque => return None,
        Encoding::Permutation => {
            let ordered = of(&mut |locus| locus as f64);
            rows.push(ordered.iter().rev().copied().collect());
            rows.push(ordered.clone());
            for _ in rows.len()..subject.rows {
                let mut shuffled = ordered.clone();
                shuffled.shuffle(&mut random);
                rows.push(shuffled);
            }
        }
        encoding => {
            let bounds = |locus| description.bounds.of(locus);
            let mixed = description.bounds.mixed();
            rows.push(of(&mut |locus| bounds(locus).0));
            rows.push(of(&mut |locus| bounds(locus).1));
            for _ in rows.len()..subject.rows {
                rows.push(of(&mut |locus| {
                    let (low, high) = bounds(locus);
                    match encoding {
                        Encoding::Real => random.random_range(low..=high),
                        Encoding::Mixed if !mixed[locus].is_whole() => {
                            random.random_range(low..=high)
                        }
                        _ => random.random_range(low as i64..=high as i64) as f64,
                    }
                }));
            }
        }
    }
    Some(Batch::of_numbers(description, &rows))
}

/// Maximum number of comparisons until some value differs.
const NOISE_ROUNDS: u8 = 100;

/// Checks that the noise of a noisy fitness depends on the seed and the row.
pub(super) fn noise(subject: &Subject) -> Found {
    if !subject.description().is_noisy() {
        return Ok(Finding::Skipped("its fitness has no noise".to_owned()));
    }
    let genomes = subject.sample(&seed(0), 0, subject.rows)?;
    let evaluate = |number, first| subject.evaluate_noisy(&seed(number), first, &genomes);
    let (mut rows, mut by_seed, mut by_row) = (0, 0, 0);
    // Weak noise changes few values.
    for round in 0..NOISE_ROUNDS {
        let (one, other, later) =
            (evaluate(2 * round, 0)?, evaluate(2 * round + 1, 0)?, evaluate(2 * round, 1)?);
        let differing = |others: &[f64]| one.iter().zip(others).filter(|(a, b)| a != b).count();
        rows += one.len();
        by_seed += differing(&other);
        by_row += differing(&later);
        if by_seed > 0 && by_row > 0 {
            break;
        }
    }
    let seen = format!(
        "of {rows} genomes, {by_seed} have another fitness by another seed, {by_row} in another row"
    );
    Ok(if by_seed == 0 || by_row == 0 { Finding::Failed(seen) } else { Finding::Passed(seen) })
}

pub(super) fn bounds(subject: &Subject) -> Found {
    // The handle checks each fitness against ideal and worst.
    let samples = subject.sample(&seed(1), 0, subject.rows)?;
    let mut fitness = subject.evaluate(&samples)?;
    let mut sources = format!("{} samples", samples.rows());
    if let Some(strange) = strange(subject) {
        fitness.extend(subject.evaluate(&strange)?);
        sources = format!("{sources}, {} genomes of the encoding at random", strange.rows());
    }
    let (least, most) =
        fitness.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), fitness| {
            (least.min(*fitness), most.max(*fitness))
        });
    Ok(Finding::Passed(format!("{least} to {most} ({sources})")))
}

pub(super) fn ideal(subject: &Subject) -> Found {
    let description = subject.description();
    let Some(ideal) = description.ideal else {
        return Ok(Finding::Skipped("it states no ideal".to_owned()));
    };
    if description.noise == Noise::NoiselessUnknown {
        return Ok(Finding::Skipped("the noiseless fitness is not known".to_owned()));
    }
    let Some(space) = Space::of(description).filter(|space| space.size() <= WHOLE) else {
        let words = "there are too many genomes to try them all; smaller parameters (--set) may \
            have fewer";
        return Ok(Finding::Skipped(words.to_owned()));
    };
    let least = of_kind!(description.gene, G => least::<G>(subject, space))?;
    let seen = format!("the least fitness of all {} genomes is {least}", space.size());
    Ok(if least <= description.reaching(ideal) {
        Finding::Passed(seen)
    } else {
        Finding::Failed(format!("{seen}, the ideal {ideal}"))
    })
}

/// The least fitness of a whole space; with constraints, of its feasible genomes.
fn least<G: Gene>(subject: &Subject, space: Space) -> Result<f64, CallError> {
    let length = subject.description().genome_length;
    let mut walk = Walk::<G>::new(&subject.problem, space);
    let mut least = f64::INFINITY;
    while walk.left() > 0 {
        let rows = subject.rows.min(usize::try_from(walk.left()).unwrap_or(usize::MAX));
        let mut genomes = crate::problem::Genomes::new::<G>(rows * length);
        walk.fill(genomes.genes_mut())?;
        let (fitness, violations) = subject.figures_of::<G>(genomes.genes(), rows)?;
        let feasible = |row: &usize| violations.get(*row).is_none_or(|one| *one == 0.0);
        least = (0..rows).filter(feasible).map(|row| fitness[row]).fold(least, f64::min);
    }
    Ok(least)
}
