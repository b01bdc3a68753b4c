//! Domains: the problems that an operator works on.

use super::registry::{Operator, Slot, listed};
use crate::problem::{Description, Encoding};

/// The problems that an operator works on.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// Problems of any encoding.
    Any,
    /// Problems of these encodings.
    Encodings(&'static [Encoding]),
    /// Problems whose genes may change places. These have any encoding but opaque, and the same
    /// bounds for all genes.
    Rearranged,
    /// Problems that pass a test. On failure, the test returns the reason as a sentence without a
    /// full stop.
    Where(fn(&Description) -> Result<(), String>),
    /// Problems whose plugin provides the operator.
    Plugin,
}

/// Encodings whose genes may take any value within bounds, independently of the other genes.
pub(super) const PLACED: Domain =
    Domain::Encodings(&[Encoding::Integer, Encoding::Bits, Encoding::Real]);

impl Domain {
    /// Returns the encodings of the domain's problems; other conditions may also apply.
    #[must_use]
    pub fn encodings(self) -> &'static [Encoding] {
        match self {
            Domain::Encodings(encodings) => encodings,
            Domain::Rearranged => {
                &[Encoding::Integer, Encoding::Permutation, Encoding::Bits, Encoding::Real]
            }
            Domain::Any | Domain::Where(_) | Domain::Plugin => &Encoding::ALL,
        }
    }
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
