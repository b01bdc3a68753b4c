//! Operators: the slots of an operator set, the description of an operator, and the problems that
//! it works on.

use super::domain::Domain;
use crate::named;
use crate::problem::parameter::Parameter;
use crate::problem::{Description, Encoding};
use crate::words::listed;

named! {
    /// A slot of an operator set.
    #[derive(Hash)]
    pub enum Slot {
        /// The kind of search.
        Algorithm = "algorithm",
        /// Conversion of fitness to weights for selection.
        Scaling = "scaling",
        /// Choice of the individuals that become parents.
        Selection = "selection",
        /// Combination of two parents into two children.
        Crossover = "crossover",
        /// Change of a child.
        Mutation = "mutation",
        /// Choice of the next generation from parents and children.
        Replacement = "replacement",
        /// Treatment of constraint violations when genomes are compared.
        Constraints = "constraints",
    }
}

/// User-visible description of an operator.
#[derive(Debug)]
pub struct Operator {
    /// Name in configs, such as `one-point`.
    pub name: &'static str,
    /// Description in one sentence.
    pub summary: &'static str,
    /// Problems that the operator works on.
    pub domain: Domain,
    /// Parameters, in the order in which settings show them.
    pub parameters: &'static [Parameter],
    /// Author, year, and DOI if there is one; `-` if there is no source to cite.
    pub source: &'static str,
}

impl Operator {
    /// Checks whether the operator works on this problem in this slot.
    ///
    /// # Errors
    /// Returns the reason if it does not, as a sentence without a full stop.
    pub fn fits(&self, slot: Slot, problem: &Description) -> Result<(), String> {
        match self.domain {
            Domain::Plugin => return brings(slot, problem),
            Domain::Where(passes) => return passes(problem),
            Domain::Any => {}
            Domain::Encodings(_) | Domain::Rearranged => {
                let encodings = self.domain.encodings();
                if !encodings.contains(&problem.encoding) {
                    let words: Vec<&str> =
                        encodings.iter().map(|encoding| encoding.as_str()).collect();
                    return Err(format!(
                        "it works on {}, and the problem's encoding is {}",
                        listed(&words, "and"),
                        problem.encoding
                    ));
                }
            }
        }
        if matches!(self.domain, Domain::Rearranged) {
            same_bounds(problem)?;
        }
        match slot {
            Slot::Crossover | Slot::Mutation => finite_widths(problem),
            _ => Ok(()),
        }
    }
}

fn brings(slot: Slot, problem: &Description) -> Result<(), String> {
    let there = if slot == Slot::Crossover { problem.has_crossover } else { problem.has_mutate };
    if there { Ok(()) } else { Err(format!("the plugin does not provide its own {slot}")) }
}

/// Checks that all genes have the same bounds, because moved genes must stay within bounds.
fn same_bounds(problem: &Description) -> Result<(), String> {
    let first = problem.bounds.of(0);
    let odd = (1..problem.genome_length).find(|locus| problem.bounds.of(*locus) != first);
    let Some(locus) = odd else { return Ok(()) };
    let ((first_low, first_high), (low, high)) = (first, problem.bounds.of(locus));
    Err(format!(
        "it moves genes to other positions, but the bounds differ: {first_low} to {first_high} for \
        gene 0, {low} to {high} for gene {locus}"
    ))
}

/// Checks that real bounds have finite widths, because new real values are drawn between them.
fn finite_widths(problem: &Description) -> Result<(), String> {
    let endless = |locus: &usize| {
        let (low, high) = problem.bounds.of(*locus);
        (high - low).is_infinite()
    };
    if problem.encoding == Encoding::Real
        && let Some(locus) = (0..problem.genome_length).find(endless)
    {
        let (low, high) = problem.bounds.of(locus);
        return Err(format!(
            "the bounds of gene {locus}, {low:e} to {high:e}, are too far apart: their distance is \
            not a finite number"
        ));
    }
    Ok(())
}
