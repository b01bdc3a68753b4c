//! Checks of a plugin's results. Each check is one pass without data-dependent branches, so that it
//! costs little compared with the call. The offending element is searched for only after a check
//! fails.

use super::description::{Bounds, Description, Encoding, GeneKind};
use super::gene::Gene;
use super::mixed::MixedGene;
use multiversion::multiversion;
use std::cell::RefCell;

/// Maximum number of bytes of a text or a state that a plugin gives; more are rejected.
pub(super) const MOST_BYTES: usize = 1 << 30;

/// Fitness and violation before a plugin writes them: a NaN that arithmetic does not make.
pub(super) const UNWRITTEN: f64 = f64::from_bits(0x7FF8_756E_7772_6974);

fn is_unwritten(value: f64) -> bool {
    value.to_bits() == UNWRITTEN.to_bits()
}

/// Checks that all genes are within their bounds and that all permutations are complete.
pub(super) fn check_genes<G: Gene>(description: &Description, genes: &[G]) -> Result<(), String> {
    let length = description.genome_length;
    if description.encoding == Encoding::Permutation {
        return check_permutations(genes, length);
    }
    match &description.bounds {
        Bounds::None => Ok(()),
        Bounds::Uniform { low, high } => {
            if are_all_values::<G>(*low, *high)
                || all_within(genes, G::from_f64(*low), G::from_f64(*high))
            {
                return Ok(());
            }
            Err(stray_gene(description, genes))
        }
        Bounds::PerGene { low, high } => {
            let within = genes.chunks_exact(length).all(|genome| {
                genome.iter().zip(low.iter().zip(high)).fold(
                    true,
                    |within, (gene, (&low, &high))| {
                        let gene = gene.to_f64();
                        within & (gene >= low) & (gene <= high)
                    },
                )
            });
            if within { Ok(()) } else { Err(stray_gene(description, genes)) }
        }
        Bounds::Mixed(mixed) => {
            let allowed = genes.chunks_exact(length).all(|genome| {
                mixed.iter().zip(genome).all(|(gene, value)| gene.allows(value.to_f64()))
            });
            if allowed { Ok(()) } else { Err(stray_value(mixed, genes)) }
        }
    }
}

/// Returns whether every value of the type is in `low..=high`, as every u8 is in 0..=255. Then
/// there is nothing to check.
fn are_all_values<G: Gene>(low: f64, high: f64) -> bool {
    G::KIND != GeneKind::F64 && low == 0.0 && G::from_f64(f64::MAX).to_f64() == high
}

/// Returns whether all values are in `low..=high`; false if one is NaN.
#[inline(always)]
fn all_within<G: PartialOrd + Copy>(values: &[G], low: G, high: G) -> bool {
    values.iter().fold(true, |within, &value| within & (value >= low) & (value <= high))
}

/// Returns whether all numbers are in `low..=high`. Every evaluation uses this vectorised version.
#[multiversion(targets("x86_64+avx2"))]
fn numbers_within(values: &[f64], low: f64, high: f64) -> bool {
    numbers_within_in_lanes(values, low, high)
}

/// Body that is compiled once per instruction set.
#[inline(always)]
fn numbers_within_in_lanes(values: &[f64], low: f64, high: f64) -> bool {
    // Each lane keeps its own result, because comparisons in a single lane would wait for each
    // other.
    let (eights, rest) = values.as_chunks::<8>();
    let mut within = [u64::MAX; 8];
    for eight in eights {
        for (within, value) in within.iter_mut().zip(eight) {
            *within &= u64::from(*value >= low && *value <= high).wrapping_neg();
        }
    }
    within == [u64::MAX; 8] && all_within(rest, low, high)
}

fn stray_gene<G: Gene>(description: &Description, genes: &[G]) -> String {
    let length = description.genome_length;
    let stray = genes.iter().enumerate().find_map(|(place, gene)| {
        let (low, high) = description.bounds.of(place % length);
        let gene = gene.to_f64();
        (!(gene >= low && gene <= high)).then(|| (place / length, place % length, gene, low, high))
    });
    let (row, locus, gene, low, high) = stray.expect("called because there is one");
    format!("gene {locus} of row {row} is {gene}, outside its bounds {low} to {high}")
}

fn stray_value<G: Gene>(mixed: &[MixedGene], genes: &[G]) -> String {
    let length = mixed.len();
    let stray = genes.iter().enumerate().find_map(|(place, value)| {
        let (gene, value) = (&mixed[place % length], value.to_f64());
        (!gene.allows(value)).then_some((place, gene, value))
    });
    let (place, gene, value) = stray.expect("called because there is one");
    let name = if gene.name.is_empty() { String::new() } else { format!(" (`{}`)", gene.name) };
    let (row, locus) = (place / length, place % length);
    format!("gene {locus}{name} of row {row} is {value}, but must be {}", gene.rule())
}

thread_local! {
    /// One bit per element, for genomes longer than a machine word.
    static SEEN: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

fn check_permutations<G: Gene>(genes: &[G], length: usize) -> Result<(), String> {
    let whole = if length <= 64 {
        let all = u64::MAX >> (64 - length);
        genes.chunks_exact(length).all(|genome| {
            // An element above 63 would wrap to the bit of another element. Then one bit is
            // missing, or the element is rejected as too large.
            let (seen, within) = genome.iter().fold((0u64, true), |(seen, within), gene| {
                let element = gene.to_index();
                (seen | 1u64.wrapping_shl(element as u32), within & (element < length))
            });
            within & (seen == all)
        })
    } else {
        SEEN.with_borrow_mut(|seen| {
            genes.chunks_exact(length).all(|genome| {
                seen.clear();
                seen.resize(length.div_ceil(64), 0);
                genome.iter().all(|gene| {
                    let element = gene.to_index();
                    // A genome with `length` distinct elements below `length` contains each of them
                    // once.
                    element < length && {
                        let (word, bit) = (&mut seen[element / 64], 1u64 << (element % 64));
                        let fresh = *word & bit == 0;
                        *word |= bit;
                        fresh
                    }
                })
            })
        })
    };
    if whole { Ok(()) } else { Err(broken_permutation(genes, length)) }
}

fn broken_permutation<G: Gene>(genes: &[G], length: usize) -> String {
    for (row, genome) in genes.chunks_exact(length).enumerate() {
        let mut seen = vec![false; length];
        for (locus, gene) in genome.iter().enumerate() {
            let element = gene.to_index();
            if element >= length {
                return format!(
                    "gene {locus} of row {row} is {element}, but a permutation of {length} ends at \
                    {}",
                    length - 1
                );
            }
            if std::mem::replace(&mut seen[element], true) {
                return format!(
                    "row {row} is not a permutation of {length}: it holds {element} twice"
                );
            }
        }
    }
    unreachable!("called because there is one")
}

/// Checks that all parents are existing rows.
pub(super) fn check_parents(parents: &[u32], rows: usize) -> Result<(), String> {
    match parents.iter().position(|parent| *parent as usize >= rows) {
        None => Ok(()),
        Some(place) => Err(format!(
            "parent {place} is row {}, but the population has {rows} rows, from 0",
            parents[place]
        )),
    }
}

/// Checks that all violations are finite and at least 0.
pub(super) fn check_violations(violations: &[f64]) -> Result<(), String> {
    if numbers_within(violations, 0.0, f64::MAX) {
        return Ok(());
    }
    let stray = violations.iter().position(|value| !(*value >= 0.0 && *value <= f64::MAX));
    let row = stray.expect("looked for because there is one");
    if is_unwritten(violations[row]) {
        return Err(format!("the plugin did not write the violation of row {row}"));
    }
    Err(format!(
        "the violation of row {row} is {}, but must be a finite number of at least 0: 0 for a \
        feasible genome, and the larger the worse",
        violations[row]
    ))
}

/// Checks fitness like [`check_fitness`], but the fitness of an infeasible row may be below the
/// ideal.
pub(super) fn check_constrained(
    description: &Description,
    fitness: &[f64],
    violations: &[f64],
) -> Result<(), String> {
    if check_fitness(description, fitness).is_ok() {
        return Ok(());
    }
    let free = Description { ideal: None, tolerance: 0.0, ..description.clone() };
    fitness.iter().zip(violations).enumerate().try_for_each(|(row, (fitness, violation))| {
        check_row(if *violation == 0.0 { description } else { &free }, row, *fitness)
    })
}

/// Checks that all fitness is finite.
pub(super) fn check_noisy(fitness: &[f64]) -> Result<(), String> {
    match fitness.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(row) => Err(not_finite(row, fitness[row])),
    }
}

fn not_finite(row: usize, value: f64) -> String {
    match is_unwritten(value) {
        true => format!("the plugin did not write the fitness of row {row}"),
        false => format!("the fitness of row {row} is {value}, but must be a finite number"),
    }
}

/// Checks that all fitness is finite and, up to rounding, neither below the ideal nor above the
/// worst.
#[inline]
pub(super) fn check_fitness(description: &Description, fitness: &[f64]) -> Result<(), String> {
    let (low, high) = fitness_range(description);
    // For a few numbers, the choice of the instruction set takes longer than the check.
    let is_within = match fitness {
        [_, _, _, _, _, _, _, _, ..] => numbers_within(fitness, low, high),
        few => all_within(few, low, high),
    };
    if is_within { Ok(()) } else { stray_fitness(description, fitness) }
}

/// Describes the first fitness that breaks a rule.
#[cold]
fn stray_fitness(description: &Description, fitness: &[f64]) -> Result<(), String> {
    fitness.iter().enumerate().try_for_each(|(row, value)| check_row(description, row, *value))
}

/// Returns the minimum and the maximum fitness, extended by the tolerances for rounding.
#[inline]
fn fitness_range(description: &Description) -> (f64, f64) {
    let Description { ideal, worst, tolerance, worst_tolerance, .. } = description;
    let low = ideal.map_or(f64::MIN, |ideal| (ideal - tolerance).max(f64::MIN));
    let high = worst.map_or(f64::MAX, |worst| (worst + worst_tolerance).min(f64::MAX));
    (low, high)
}

/// Returns the rule that the fitness of a genome breaks, as this problem describes itself.
#[must_use]
pub fn fitness_fault(description: &Description, fitness: f64) -> Option<String> {
    let (low, high) = fitness_range(description);
    if !fitness.is_finite() {
        Some("fitness is a finite number".to_owned())
    } else if fitness < low {
        let ideal = description.ideal.unwrap_or(low);
        Some(format!("no fitness of this problem is below its ideal, {ideal}"))
    } else if fitness > high {
        let worst = description.worst.unwrap_or(high);
        Some(format!("no fitness of this problem is above its worst, {worst}"))
    } else {
        None
    }
}

/// Checks the fitness of one row and describes the violated rule in the error.
fn check_row(description: &Description, row: usize, value: f64) -> Result<(), String> {
    let (low, high) = fitness_range(description);
    if value >= low && value <= high {
        return Ok(());
    }
    Err(if !value.is_finite() {
        not_finite(row, value)
    } else if value < low {
        let (ideal, tolerance) = (description.ideal.unwrap_or(low), description.tolerance);
        format!(
            "the fitness of row {row} is {value}, below {ideal}, which the plugin states as the \
            ideal, by {}, more than its tolerance {tolerance}; the plugin is to state the least \
            fitness there can be, or, where this is rounding, a tolerance",
            ideal - value
        )
    } else {
        let (worst, tolerance) = (description.worst.unwrap_or(high), description.worst_tolerance);
        format!(
            "the fitness of row {row} is {value}, above {worst}, which the plugin states as the \
            worst, by {}, more than the tolerance {tolerance}; the plugin is to state the greatest \
            fitness there can be, or, where this is rounding, a tolerance",
            value - worst
        )
    })
}

/// Checks that all answers are 0 or 1.
pub(super) fn check_valid(valid: &[u8]) -> Result<(), String> {
    match valid.iter().position(|&answer| answer > 1) {
        None => Ok(()),
        Some(row) => Err(format!("the answer for row {row} is {}, neither 0 nor 1", valid[row])),
    }
}

/// Checks that all numbers are below the space size, or `u64::MAX` for a genome without a number.
pub(super) fn check_numbers(description: &Description, numbers: &[u64]) -> Result<(), String> {
    let size = description.space_size.unwrap_or(0);
    match numbers.iter().position(|&number| number >= size && number != u64::MAX) {
        None => Ok(()),
        Some(row) => Err(format!(
            "the number of row {row} is {}, but there are {size} genomes, from 0",
            numbers[row]
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_without_other_values_need_no_check() {
        assert!(are_all_values::<u8>(0.0, 255.0) && are_all_values::<u32>(0.0, 4_294_967_295.0));
        assert!(!are_all_values::<u8>(0.0, 254.0) && !are_all_values::<u16>(1.0, 65_535.0));
        // A double may be negative, infinite or NaN.
        assert!(!are_all_values::<f64>(0.0, f64::MAX));
    }

    #[test]
    fn one_number_that_is_not_within_is_found_wherever_it_is() {
        for ways in [numbers_within, numbers_within_in_lanes] {
            for rows in 0..40 {
                let mut values: Vec<f64> = (0..rows).map(|row| f64::from(row % 6) - 2.0).collect();
                assert!(ways(&values, -2.0, 3.0));
                for row in 0..values.len() {
                    for stray in [f64::NAN, f64::INFINITY, -2.5, 3.5] {
                        let kept = std::mem::replace(&mut values[row], stray);
                        assert!(!ways(&values, -2.0, 3.0), "{stray} in row {row} of {rows}");
                        values[row] = kept;
                    }
                }
            }
        }
    }
}
